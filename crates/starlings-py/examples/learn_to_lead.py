"""A leader that learns to gather its flock: an environment with `reset` and `step`, and a search over three numbers.

The leader is boid 0. Each action is the place that it flies to next, relative to the center of the world; the reward is
how little the flock is spread. The policy is a circle around the center: radius, height and rate, improved by chance.

usage: python learn_to_lead.py [--boids 2000] [--rounds 10] [--moves 12]
"""

import argparse

import numpy as np
import starlings as st

arguments = argparse.ArgumentParser()
arguments.add_argument("--boids", type=int, default=2_000)
arguments.add_argument("--rounds", type=int, default=10)
arguments.add_argument("--moves", type=int, default=12)
options = arguments.parse_args()


class Leading:
    """The flock as an environment, with the functions of a gym."""

    def reset(self, seed: int) -> np.ndarray:
        self.flock = st.Flock("reynolds", boids=options.boids, seed=seed, leader=0, leader_weight=4.0)
        return self.observation()

    def step(self, place: np.ndarray) -> tuple[np.ndarray, float, bool]:
        velocities = self.flock.velocities
        way = place - self.flock.positions[0]
        velocities[0] = self.flock.max_speed * way / max(np.linalg.norm(way), 1e-6)
        self.flock.velocities = velocities
        self.flock.step(10)
        observation = self.observation()
        return observation, -float(observation[3]), self.flock.count >= 10 * options.moves

    def observation(self) -> np.ndarray:
        """Center of the flock, and its spread in world units."""
        positions = self.flock.positions
        return np.append(positions.mean(axis=0), positions.std(axis=0).mean())


def score(policy: np.ndarray) -> float:
    environment, reward, done, move = Leading(), 0.0, False, 0
    environment.reset(seed=5)
    while not done:
        radius, height, rate = policy
        place = np.array([radius * np.cos(rate * move), height, radius * np.sin(rate * move)])
        _, reward, done = environment.step(place)
        move += 1
    return reward


chance = np.random.default_rng(1)
policy = np.array([3.0, 0.0, 0.3])
best = first = score(policy)
for _ in range(options.rounds):
    other = policy + chance.normal(scale=[1.0, 0.5, 0.1])
    reward = score(other)
    if reward > best:
        policy, best = other, reward
print(f"spread at first {-first:.3f}, in the end {-best:.3f}, with policy {policy.round(2)}")
