"""The class `Flock`."""

from __future__ import annotations

import base64
import html
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _starlings
from ._cuda import OnCuda
from ._picture import Picture

# What separates the numbers of a setting, by its name in Python.
_SETTINGS = {name.replace("-", "_"): separator or "," for name, separator, _, _ in _starlings.settings()}

# What a flock can be made of, beside its settings.
_SOURCES = ("config", "weights", "gpu", "shared")


class Order(NamedTuple):
    """Order parameters of a flock at one moment.

    Polarization and milling are those of Couzin, Krause, James, Ruxton and Franks (2002), from 0 to 1. Neighbors are
    counted, and the nearest is found, within the search radius. Lengths are in world units, speeds in world units per
    second. A boid whose state is not finite counts as `non_finite` and nowhere else.
    """

    step: int
    polarization: float
    milling: float
    center: tuple[float, float, float]
    nearest: float | None
    neighbors: float
    most_neighbors: int
    alone: int
    non_finite: int
    speed: float
    least_speed: float
    most_speed: float


class Film:
    """A film that was written. In a notebook it plays in place, if its format is one that browsers play."""

    def __init__(self, path: str) -> None:
        self.path = path
        """The file."""

    def __repr__(self) -> str:
        return f"Film({self.path!r})"

    def _repr_html_(self) -> str:
        kind = os.path.splitext(self.path)[1].lower().lstrip(".")
        if kind not in ("mp4", "webm", "gif"):
            return html.escape(repr(self))
        with open(self.path, "rb") as file:
            data = base64.b64encode(file.read()).decode("ascii")
        if kind == "gif":
            return f'<img src="data:image/gif;base64,{data}">'
        return f'<video controls loop autoplay muted src="data:video/{kind};base64,{data}"></video>'


class Flock:
    """A flock of boids.

    `preset` names the published flock that the settings start from (`starlings.presets()`); any setting of
    `starlings.settings()` can be given by its name, with the checks of the command line. Further arguments: `config`, a
    file as `starlings config` prints it; `weights`, a file with a factor for each boid; `gpu`, an index, a UUID or a
    part of a device's name; `shared`, whether CUDA can have its state without a copy (`Flock.on_cuda`).

    Each setting is an attribute that can be read, and written while the flock runs: `flock.cohesion_weight = 2.0`. It
    is None where the flock's law does not use it. What decides how a flock starts (preset, boids, seed, density, plane,
    spawn, spawn_speed) can only be given here.

    Boids have identities from 0 on, and arrays are in their order: row i is boid i, whatever the device's order is.
    Other Python threads run while a flock works, Ctrl-C ends its work after the steps that were submitted, and several
    flocks can be stepped by several threads. A process that was forked after a flock was made can use none.

    Raises `ValueError` for a setting out of range, saying what is accepted; `MemoryError` for a flock that does not fit,
    with the largest count that does; `DeviceError` without a suitable device, or when it fails.

    >>> flock = Flock("reynolds", boids=1000, seed=3)
    >>> flock.step(10).count
    10
    """

    _core: _starlings.Core
    _cuda: OnCuda | None

    def __init__(self, preset: str | None = None, **settings: Any) -> None:
        if preset is not None:
            if "preset" in settings:
                raise TypeError("preset is given twice")
            settings["preset"] = preset
        self._hold(_starlings.Core(_flags(settings, _SOURCES)))

    def _hold(self, core: _starlings.Core) -> None:
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_cuda", None)

    # Stepping

    def step(self, count: int = 1) -> Flock:
        """Take `count` steps, each of `time_step` simulated seconds, and return the flock once they are done."""
        if self._cuda is not None:
            self._cuda.wait()
        self._core.advance(_whole("count", count))
        return self

    def steps(self, count: int | None = None, every: int = 1, progress: bool | None = None) -> Iterator[Flock]:
        """Yield the flock after every `every` steps: `count` times, or without end.

        `progress` shows a bar of tqdm, if that is installed; None shows it on a terminal and in a notebook.

        >>> [f.count for f in Flock("cursor", boids=100).steps(3, every=10, progress=False)]
        [10, 20, 30]
        """
        every = _whole("every", every)
        rounds: Any = range(_whole("count", count)) if count is not None else iter(int, 1)
        for _ in _with_bar(rounds, progress):
            yield self.step(every)

    @property
    def count(self) -> int:
        """Steps taken since the start."""
        return self._core.state()[0]

    @property
    def time(self) -> float:
        """Simulated seconds since the start, if `time_step` has not changed."""
        return float(self.count * self.time_step)

    @property
    def device(self) -> str:
        """Name of the device that steps the flock, or the count of threads that do."""
        return self._core.state()[2]

    # State

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """Places: float32 (N, 3), in world units, row i for boid i. A new array; assign one to move all boids."""
        return self._core.positions()

    @positions.setter
    def positions(self, positions: npt.ArrayLike) -> None:
        self.set_state(positions=positions)

    @property
    def velocities(self) -> npt.NDArray[np.float32]:
        """Velocities: float32 (N, 3), in world units per second, row i for boid i. A new array; assign one to turn all.

        A law whose boids have one speed (`move_speed`) takes only the directions of what is assigned.
        """
        return self._core.velocities()

    @velocities.setter
    def velocities(self, velocities: npt.ArrayLike) -> None:
        self.set_state(velocities=velocities)

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """Identities: uint32 (N,), 0 to N-1, the order of all arrays."""
        return np.arange(len(self), dtype=np.uint32)

    def set_state(self, positions: npt.ArrayLike | None = None, velocities: npt.ArrayLike | None = None) -> Flock:
        """Replace positions (N, 3) in world units and velocities (N, 3) in world units per second; None keeps them.

        Raises `ValueError` for another shape and for numbers that are not finite.
        """
        arrays = [self._array("positions", positions), self._array("velocities", velocities)]
        self._core.set_state(*arrays)
        return self

    def on_cuda(self) -> OnCuda:
        """The state in the memory of an NVIDIA GPU, where PyTorch, CuPy or JAX read and write it without a copy.

        For a flock made with `shared=True`. Steps wait for all of CUDA's work on this GPU, and what has returned from
        `step` can be read. A setting that takes another flock (`search`, `engine`, `boids` of a checkpoint) leaves the
        arrays with the state of before: call this again.

        Raises `ValueError` if the flock or its device cannot share, `DeviceError` without the driver of CUDA.
        """
        state = OnCuda(*self._core.shared(), boids=len(self))
        object.__setattr__(self, "_cuda", state)
        return state

    def order(self) -> Order:
        """The order parameters of the flock as it is.

        A flock on a device is copied there for that, and its copy takes a step, so this needs as much memory again.
        """
        return Order(**self._core.order())

    def hash(self) -> str:
        """SHA-256 of all positions and then all velocities: what `starlings simulate --hash` prints for this step."""
        return self._core.hash()

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write a checkpoint to `path`, ending in .npz, from which `starlings.load` and `--resume` go on.

        Raises `OSError` where it cannot be written, or is there and `force` does not replace it.
        """
        self._core.save(os.fspath(path), force)

    @staticmethod
    def load(path: str | os.PathLike[str], **settings: Any) -> Flock:
        """As `starlings.load`."""
        return load(path, **settings)

    # Pictures

    def render(
        self, size: tuple[int, int] = (1280, 720), *, samples: int = 4, near: bool = False, **look: Any
    ) -> Picture:
        """A picture of the flock: uint8 (height, width, 4), sRGB with alpha, rows from the top.

        `size` is width and height in pixels; `samples` for each pixel are 4 times a square; `near` sees the flock from
        its edge. `look`, `color`, `backdrop`, `mesh`, `eye`, `look_at`, `fov` and the like are those of the command
        line, over what the flock was made with. Trails grow in films only.
        """
        pixels = self._core.render(_size(size), _whole("samples", samples), near, _flags(look))
        return pixels.view(Picture)

    def film(
        self,
        path: str | os.PathLike[str],
        frames: int = 300,
        every: int = 1,
        *,
        size: tuple[int, int] = (1280, 720),
        samples: int = 4,
        near: bool = False,
        force: bool = False,
        progress: bool | None = None,
        **look: Any,
    ) -> Film:
        """Fly on and film it: `frames` frames, each after `every` steps and shown for their simulated time.

        `path` ends in .mp4, .webm or .gif, for which the program ffmpeg must be on PATH, or in .y4m; without ffmpeg a
        .y4m is written instead, with a warning. The rest is as in `render`. Ctrl-C ends it without a file.
        """
        wanted, frames = os.fspath(path), _whole("frames", frames)
        bar = _with_bar(range(frames), progress)
        shown = iter(bar)
        done = self._core.film(
            wanted,
            frames,
            _whole("every", every),
            force,
            _size(size),
            _whole("samples", samples),
            near,
            _flags(look),
            lambda _: next(shown, None) and None,
        )
        for _ in shown:
            pass
        if os.fspath(done) != wanted:
            warnings.warn(f"{done} instead of {wanted}: there is no program ffmpeg on PATH", stacklevel=2)
        return Film(os.fspath(done))

    def view(self, wait: bool = False) -> subprocess.Popen[bytes]:
        """Open a window with a copy of the flock, in a process of its own; `wait` until it is closed."""
        folder = tempfile.TemporaryDirectory(prefix="starlings-")
        program = [sys.executable, "-m", "starlings", "view"]
        if self.states == "none":
            path = os.path.join(folder.name, "flock.npz")
            self.save(path)
            program += ["--resume", path]
        else:
            path = os.path.join(folder.name, "flock.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.config())
            program += ["--config", path]
        window = subprocess.Popen(program)
        # Until nobody has the process any more.
        window._starlings_folder = folder  # type: ignore[attr-defined]
        if wait:
            window.wait()
        return window

    def config(self) -> str:
        """The settings as a config file, for `--config` and for `config=`."""
        return self._core.config()

    # Settings

    def __getattr__(self, name: str) -> Any:
        # Only for names that are not found otherwise.
        if name not in _SETTINGS:
            raise AttributeError(f"a flock has no attribute {name!r}")
        text = self._core.get(name.replace("_", "-"))
        return None if text is None else json.loads("Infinity" if text == "inf" else text)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _SETTINGS:
            self._core.set(name.replace("_", "-"), _text(name, value))
        elif isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"a flock has no attribute {name!r}; starlings.settings() lists its settings")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_SETTINGS})

    def __len__(self) -> int:
        """Boids in the flock."""
        return self._core.state()[1]

    def __repr__(self) -> str:
        step, boids, place = self._core.state()
        return f"<Flock {self.preset}: {boids:,} boids after {step:,} steps on {place}>"

    def _repr_html_(self) -> str:
        step, boids, place = self._core.state()
        rows = {
            "preset": self.preset,
            "boids": f"{boids:,}",
            "steps": f"{step:,}",
            "simulated": f"{step * self.time_step:.2f} s",
            "world": " × ".join(f"{edge:g}" for edge in self._edges()),
            "engine": f"{self.engine}, {self.search}",
            "device": place,
        }
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows.items())
        return f"<table>{cells}</table>"

    def _edges(self) -> list[float]:
        edges = self.world_size
        if edges is None:
            size = len(self) / self.density
            return [size**0.5] * 2 if self.plane else [size ** (1 / 3)] * 3
        return edges if isinstance(edges, list) else [edges]

    def _array(self, name: str, values: npt.ArrayLike | None) -> npt.NDArray[np.float32] | None:
        if values is None:
            return None
        # Out of range of float32 becomes infinite, which is refused.
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(values, dtype=np.float32)
        if array.shape != (len(self), 3):
            raise ValueError(f"{name} has the shape {array.shape}; accepted is ({len(self)}, 3), a row for each boid")
        return array


def load(path: str | os.PathLike[str], **settings: Any) -> Flock:
    """The flock of a checkpoint (.npz), or of a picture (.png), a video (.mp4, .gif) or a saved flight (.toml), at its step.

    Settings that do not decide how a flock starts can be given anew. A flock that goes on from a checkpoint takes the
    same steps, bit for bit, as the one that wrote it.
    """
    name = os.fspath(path)
    flags = _flags(settings, _SOURCES[1:])
    flags["from" if name.lower().endswith((".png", ".toml", ".mp4", ".gif")) else "resume"] = name
    flock = object.__new__(Flock)
    flock._hold(_starlings.Core(flags))
    return flock


def _flags(settings: dict[str, Any], sources: tuple[str, ...] = ()) -> dict[str, str]:
    """The settings by the names of their flags, in the syntax of the command line; those that are None left out."""
    for name in settings:
        if name not in _SETTINGS and name not in sources:
            near = _nearest(name, [*_SETTINGS, *sources])
            raise ValueError(f"there is no setting {name!r}; {near}")
    return {name.replace("_", "-"): _text(name, value) for name, value in settings.items() if value is not None}


def _nearest(name: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]!r}?" if near else "starlings.settings() lists all"


def _text(name: str, value: Any) -> str:
    """A value in the syntax of the command line."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        if any(isinstance(part, (list, tuple)) or hasattr(part, "tolist") for part in value):
            return "/".join(part if isinstance(part, str) else _text("", part) for part in value)
        if all(isinstance(part, str) for part in value) and value:
            return "/".join(value)
        return _SETTINGS.get(name, ",").join(_text(name, part) for part in value)
    if isinstance(value, (int, float)):
        return repr(value)
    try:
        return str(os.fspath(value))
    except TypeError:
        raise ValueError(f"{name} is {value!r}; accepted is a number, a text, or a list of numbers") from None


def _whole(name: str, value: Any) -> int:
    try:
        number: int = value.__index__()
    except AttributeError:
        raise ValueError(f"{name} is {value!r}; accepted is a whole number") from None
    if not 0 <= number < 2**32:
        raise ValueError(f"{name} is {number}; accepted is a whole number from 0 to {2**32 - 1}")
    return number


def _size(size: Any) -> tuple[int, int]:
    try:
        width, height = size
    except (TypeError, ValueError):
        raise ValueError(f"size is {size!r}; accepted is a pair of width and height in pixels") from None
    return _whole("size", width), _whole("size", height)


def _with_bar(rounds: Any, progress: bool | None) -> Any:
    """`rounds`, with a bar of tqdm if that is installed and wanted."""
    if progress is None:
        progress = "ipykernel" in sys.modules or sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        return rounds
    try:
        with warnings.catch_warnings():
            # In a notebook without ipywidgets it warns, and draws a bar of letters.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return rounds
    return tqdm(rounds)
