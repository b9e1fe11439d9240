"""Pictures of flocks."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _starlings


class Picture(np.ndarray):
    """A picture: uint8 (height, width, 4), red, green, blue and alpha in sRGB, rows from the top.

    A numpy array that a notebook shows as a picture.
    """

    def png(self) -> bytes:
        """The picture as a PNG file."""
        return bytes(_starlings.png(np.ascontiguousarray(self)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to `path` as PNG."""
        with open(path, "wb") as file:
            file.write(self.png())

    def _repr_png_(self) -> bytes | None:
        whole = self.ndim == 3 and self.shape[2] == 4 and self.dtype == np.uint8 and self.size > 0
        return self.png() if whole else None

    def __array_finalize__(self, of: Any) -> None:
        """Nothing is kept beside the pixels."""
