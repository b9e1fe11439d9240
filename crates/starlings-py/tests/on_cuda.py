"""Checks `Flock.on_cuda` on a machine with an NVIDIA GPU, by the driver of CUDA, and by PyTorch and CuPy if they are there.

usage: python on_cuda.py [BOIDS...]    in an environment with the wheel; default 1048576 16777216
"""

import ctypes
import importlib
import statistics
import sys
import time

import numpy as np
import starlings as st

KINDS = {"float32": np.float32, "int32": np.int32}


def read(state, array):
    """The array, copied to the host by CUDA."""
    host = np.empty(array.shape, KINDS[array.dtype])
    where = ctypes.c_uint64(array.pointer)
    state._driver.here("cuMemcpyDtoH_v2", ctypes.c_void_p(host.ctypes.data), where, ctypes.c_size_t(host.nbytes))
    return host


def write(state, array, host):
    """The array, overwritten by CUDA."""
    where = ctypes.c_uint64(array.pointer)
    state._driver.here("cuMemcpyHtoD_v2", where, ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(host.nbytes))


def milliseconds(work, rounds=20):
    work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - began))
    return f"{statistics.median(times):.3f} ms (least {min(times):.3f})"


def check_by_driver(flock, state):
    position_vx, velocity_yz, ids = (read(state, part) for part in (state.position_vx, state.velocity_yz, state.ids))
    assert (np.sort(ids) == np.arange(len(flock))).all(), "ids are no permutation"
    assert (position_vx[:, :3] == flock.positions[ids]).all(), "positions differ"
    assert (np.column_stack([position_vx[:, 3], velocity_yz]) == flock.velocities[ids]).all(), "velocities differ"
    before = flock.positions
    position_vx[:, 1] += 0.5
    write(state, state.position_vx, position_vx)
    moved = flock.positions
    assert (moved[ids] == position_vx[:, :3]).all() and (moved != before).any(), "what CUDA writes is not seen"


def check_by(name, flock, state):
    try:
        module = importlib.import_module(name)
    except ImportError:
        return print(f"  {name}: not installed")
    position_vx, ids = module.from_dlpack(state.position_vx), module.from_dlpack(state.ids)
    positions = module.zeros((len(flock), 3), dtype=module.float32, **({"device": ids.device} if name == "torch" else {}))
    order = ids.long() if name == "torch" else ids
    to_host = (lambda array: array.cpu().numpy()) if name == "torch" else (lambda array: array.get())

    def gather():
        positions[order] = position_vx[:, :3]
        state.wait()

    gather()
    assert (to_host(positions) == flock.positions).all(), f"{name}: positions differ"
    # The device's own memory, not a copy: the next step's state appears in it.
    flock.step()
    order = ids.long() if name == "torch" else ids
    gather()
    assert (to_host(positions) == flock.positions).all(), f"{name}: positions after a step differ"
    position_vx[:, 3] *= 0.5
    state.wait()
    assert np.isfinite(flock.step().positions).all()
    print(f"  {name}: equal; positions by identity on the GPU in {milliseconds(gather)}")


for boids in [int(float(word)) for word in sys.argv[1:]] or [1 << 20, 1 << 24]:
    plain = st.Flock("reynolds", boids=boids, seed=1).step(5)
    plain_time = milliseconds(plain.step)
    digest = plain.hash()
    del plain
    flock = st.Flock("reynolds", boids=boids, seed=1, shared=True)
    state = flock.step(5).on_cuda()
    print(f"{boids:,} boids on {flock.device}: {state!r}")
    check_by_driver(flock, state)
    # As many steps as the plain flock.
    other = st.Flock("reynolds", boids=boids, seed=1, shared=True).step(5)
    other_state = other.on_cuda()
    print(f"  a step: {plain_time}; shared, waiting for CUDA: {milliseconds(other.step)}")
    assert other.hash() == digest, "a flock that is shared flies in another way"
    print(f"  flock.positions, through the host: {milliseconds(lambda: other.positions, 3)}")
    for name in ("torch", "cupy"):
        check_by(name, flock, state)
    del other, other_state, flock, state

# Many flocks leave nothing: 20,000 would not fit.
for _ in range(300):
    st.Flock("reynolds", boids=200_000, shared=True).on_cuda()
kept = st.Flock("reynolds", boids=1000, shared=True).on_cuda()
assert read(kept, kept.ids).max() == 999, "the memory is gone with its flock"
print("on_cuda: all is well")
