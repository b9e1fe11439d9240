"""Flocks of boids on the GPU, as numpy arrays, pictures and films.

    import starlings as st

    flock = st.Flock("reynolds", boids=100_000, seed=1, cohesion_weight=2.0)
    flock.step(600)
    flock.positions        # float32 (100000, 3), world units, boid i in row i
    flock.order()          # polarization, milling and more
    flock.render()         # uint8 (720, 1280, 4), a picture in a notebook

`starlings.settings()` lists the settings, `starlings.presets()` the presets, `starlings.devices()` the Vulkan devices.
Without a driver for a GPU, flocks run on the machine's software driver, or on the one in this package.

What cannot be is a `ValueError` that says what would be accepted; what does not fit is a `MemoryError`; a device that is
missing or fails is a `DeviceError`; a file that cannot be written is an `OSError`.
"""

from __future__ import annotations

import atexit
import os
from typing import TYPE_CHECKING, Any

from . import _starlings
from ._starlings import DeviceError, __version__

if TYPE_CHECKING:
    from ._flock import Film, Flock, Order, load
    from ._picture import Picture

__all__ = [
    "DeviceError",
    "Film",
    "Flock",
    "Order",
    "Picture",
    "devices",
    "load",
    "presets",
    "settings",
    "__version__",
]

_driver = os.path.join(os.path.dirname(__file__), "_driver", "libvk_swiftshader.so")
if os.path.exists(_driver):
    _starlings.bundle(_driver)
atexit.register(_starlings.close)


def __getattr__(name: str) -> Any:
    # numpy takes as long to load as the rest, and the command `starlings` does not need it.
    if name in ("Flock", "Film", "Order", "load"):
        from . import _flock

        return getattr(_flock, name)
    if name == "Picture":
        from ._picture import Picture

        return Picture
    raise AttributeError(f"module 'starlings' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def devices() -> list[dict[str, Any]]:
    """The Vulkan devices of this machine, best first as the driver lists them, with what each `lacks`.

    Those of the packaged driver are listed where the system has none that lacks nothing; `packaged_because` then says
    why. Raises `DeviceError` where there is no Vulkan at all.
    """
    import json

    listed: list[dict[str, Any]] = json.loads(_starlings.devices())
    return listed


def presets() -> dict[str, str]:
    """Every preset by its name, with what it is."""
    return {name: about for name, _, about in _starlings.presets()}


def settings() -> dict[str, str]:
    """Every setting by its name, with its meaning and its unit."""
    return {
        name.replace("-", "_"): about + (f", in {unit}" if unit else "")
        for name, _, about, unit in _starlings.settings()
    }
