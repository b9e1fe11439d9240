"""A rule of your own between the steps: a wind that turns with the height, added to each velocity with numpy.

usage: python numpy_rule.py [--boids 20000] [--steps 120] [--out wind.png]
"""

import argparse

import numpy as np
import starlings as st

arguments = argparse.ArgumentParser()
arguments.add_argument("--boids", type=int, default=20_000)
arguments.add_argument("--steps", type=int, default=120)
arguments.add_argument("--out", default="wind.png")
options = arguments.parse_args()

flock = st.Flock("reynolds", boids=options.boids, seed=2)
height = np.ptp(flock.positions[:, 1])
for _ in flock.steps(options.steps // 4, every=4, progress=False):
    angle = np.pi * flock.positions[:, 1] / height
    wind = np.stack([np.cos(angle), np.zeros_like(angle), np.sin(angle)], axis=1)
    velocities = flock.velocities + 4 * flock.time_step * wind
    speed = np.linalg.norm(velocities, axis=1, keepdims=True)
    flock.velocities = velocities * np.minimum(1, flock.max_speed / speed)

upper = flock.positions[:, 1] > np.median(flock.positions[:, 1])
print("mean velocity of the upper half", flock.velocities[upper].mean(axis=0).round(2))
print("mean velocity of the lower half", flock.velocities[~upper].mean(axis=0).round(2))
flock.render(size=(640, 360), backdrop="day").save(options.out)
