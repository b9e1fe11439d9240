"""How five flocks come to order: polarization over time, one line for each seed. Needs matplotlib.

usage: python order_parameter.py [--boids 5000] [--seconds 10] [--out order.png]
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import starlings as st

arguments = argparse.ArgumentParser()
arguments.add_argument("--boids", type=int, default=5_000)
arguments.add_argument("--seconds", type=float, default=10.0)
arguments.add_argument("--out", default="order.png")
options = arguments.parse_args()

every = 15
figure, axes = plt.subplots()
for seed in range(1, 6):
    flock = st.Flock("reynolds", boids=options.boids, seed=seed)
    samples = round(options.seconds / (every * flock.time_step))
    moments = [(f.time, f.order().polarization) for f in flock.steps(samples, every=every)]
    axes.plot(*zip(*moments), label=f"seed {seed}")
    print(f"seed {seed}: polarization {moments[-1][1]:.3f} after {moments[-1][0]:.2f} s")
axes.set(xlabel="simulated seconds", ylabel="polarization", ylim=(0, 1))
axes.legend()
figure.savefig(options.out)
