"""The state of a flock as arrays on an NVIDIA GPU: memory of Vulkan that CUDA imports, by its driver alone."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int64, c_uint, c_uint64, c_void_p
from typing import Any

from ._starlings import DeviceError

# Numbers of cuda.h and dlpack.h.
_OPAQUE_FD, _DEDICATED = 1, 1
_DL_CUDA = 2
_DL_TYPES = {"int32": 0, "float32": 2}


class _MemoryHandle(ctypes.Structure):
    """CUDA_EXTERNAL_MEMORY_HANDLE_DESC, whose union is a file descriptor."""

    _fields_ = [
        ("type", c_int),
        ("fd", c_int64),
        ("rest_of_union", c_void_p),
        ("size", c_uint64),
        ("flags", c_uint),
        ("reserved", c_uint * 16),
    ]


class _MappedBuffer(ctypes.Structure):
    """CUDA_EXTERNAL_MEMORY_BUFFER_DESC."""

    _fields_ = [("offset", c_uint64), ("size", c_uint64), ("flags", c_uint), ("reserved", c_uint * 16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Cuda:
    """The driver of CUDA, and its device of a UUID."""

    def __init__(self, uuid: str) -> None:
        try:
            self._driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise DeviceError(f"no driver of CUDA on this machine ({error})") from None
        self.call("cuInit", c_uint(0))
        count, device, found = c_int(), c_int(), (c_char * 16)()
        self.call("cuDeviceGetCount", byref(count))
        for self.ordinal in range(count.value):
            self.call("cuDeviceGet", byref(device), c_int(self.ordinal))
            self.call("cuDeviceGetUuid_v2", byref(found), device)
            if found.raw.hex() == uuid:
                break
        else:
            raise DeviceError(f"CUDA has no device with the UUID {uuid}, which steps the flock")
        self._context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(self._context), device)

    def call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._driver, name)(*arguments)
        if status != 0:
            text = c_char_p()
            self._driver.cuGetErrorName(c_int(status), byref(text))
            raise DeviceError(f"{name} failed with {(text.value or b'an unknown error').decode()}")

    def here(self, name: str, *arguments: Any) -> None:
        """The same in the context that PyTorch and others use, too."""
        self.call("cuCtxPushCurrent_v2", self._context)
        try:
            self.call(name, *arguments)
        finally:
            self._driver.cuCtxPopCurrent_v2(byref(c_void_p()))


@functools.cache
def _cuda(uuid: str) -> _Cuda:
    return _Cuda(uuid)


class _Memory:
    """Memory that CUDA has imported. It lives as long as an array in it, also after its flock."""

    def __init__(self, cuda: _Cuda, fd: int, size: int) -> None:
        self._cuda, self._imported, self.address = cuda, c_void_p(), c_uint64()
        handle = _MemoryHandle(type=_OPAQUE_FD, fd=fd, size=size, flags=_DEDICATED)
        try:
            cuda.here("cuImportExternalMemory", byref(self._imported), byref(handle))
        except DeviceError:
            os.close(fd)  # Otherwise CUDA closes it.
            raise
        buffer = _MappedBuffer(size=size)
        cuda.here("cuExternalMemoryGetMappedBuffer", byref(self.address), self._imported, byref(buffer))

    def __del__(self) -> None:
        try:
            if self.address.value:
                self._cuda.here("cuMemFree_v2", self.address)
            if self._imported.value:
                self._cuda.here("cuDestroyExternalMemory", self._imported)
        except DeviceError:
            pass  # Python ends, and CUDA before it.


class CudaArray:
    """An array on the GPU, which `torch.from_dlpack` and `cupy.from_dlpack` take without a copy, to read and to write.

    `shape` and `dtype` are its own, `pointer` is its address for kernels.
    """

    def __init__(self, memory: _Memory, ordinal: int, shape: tuple[int, ...], dtype: str) -> None:
        self._memory, self._ordinal = memory, ordinal
        self.shape, self.dtype, self.pointer = shape, dtype, int(memory.address.value)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _DL_CUDA, self._ordinal

    def __dlpack__(self, *, stream: Any = None, copy: bool | None = None, **_: Any) -> Any:
        """A capsule of DLPack. Steps are over when they return, so any `stream` can begin to read at once."""
        if copy:
            raise BufferError("the state of a flock is handed out as it is, without a copy")
        ndim = len(self.shape)
        # Without strides: rows one after the other.
        shape = (c_int64 * ndim)(*self.shape)
        managed = _DLManagedTensor()
        tensor = managed.tensor
        tensor.data, tensor.device_type, tensor.device_id = self.pointer, _DL_CUDA, self._ordinal
        tensor.ndim, tensor.code, tensor.bits, tensor.lanes = ndim, _DL_TYPES[self.dtype], 32, 1
        tensor.shape = ctypes.cast(shape, POINTER(c_int64))
        managed.deleter = ctypes.cast(_delete, c_void_p)
        address = ctypes.addressof(managed)
        _handed_out[address] = (managed, shape, self._memory)
        return _new_capsule(address, _NAME, _destroy)

    def __repr__(self) -> str:
        return f"<CudaArray {self.dtype} {self.shape} on device {self._ordinal}>"


# What capsules and those who took them have, by address.
_handed_out: dict[int, tuple[_DLManagedTensor, Any, _Memory]] = {}
_NAME = b"dltensor"
_api = ctypes.pythonapi


def _give_back(managed: int) -> None:
    _handed_out.pop(managed, None)


def _drop(capsule: int) -> None:
    # Whoever takes the array renames its capsule, and gives the array back when it is done.
    if _is_valid(capsule, _NAME):
        _give_back(_pointer(capsule, _NAME))


_delete, _destroy = (ctypes.CFUNCTYPE(None, c_void_p)(called) for called in (_give_back, _drop))
for _called in (_delete, _destroy):
    # Arrays may outlive this module.
    _api.Py_IncRef(ctypes.py_object(_called))


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, _api))


_new_capsule = _function("PyCapsule_New", ctypes.py_object, c_void_p, c_char_p, c_void_p)
_is_valid = _function("PyCapsule_IsValid", c_int, c_void_p, c_char_p)
_pointer = _function("PyCapsule_GetPointer", c_void_p, c_void_p, c_char_p)


class OnCuda:
    """The state of a flock in the memory of an NVIDIA GPU. Boids are in the order of the last step's sort.

    `position_vx`: float32 (N, 4), position in world units and x velocity in world units per second; `velocity_yz`:
    float32 (N, 2); `ids`: int32 (N,), whose boid is in which row. What is written there is what the next step begins
    with; a row may be changed, `ids` must not be.

        state = flock.on_cuda()
        position_vx, ids = torch.from_dlpack(state.position_vx), torch.from_dlpack(state.ids)
        positions = torch.empty(len(flock), 3, device=ids.device)
        positions[ids.long()] = position_vx[:, :3]    # row i for boid i
    """

    position_vx: CudaArray
    velocity_yz: CudaArray
    ids: CudaArray

    def __init__(self, uuid: str, parts: list[tuple[int, int]], boids: int) -> None:
        memories = []
        try:
            self._driver = _cuda(uuid)
            while parts:
                memories.append(_Memory(self._driver, *parts.pop(0)))
        finally:
            for fd, _ in parts:
                os.close(fd)
        shapes = [((boids, 4), "float32"), ((boids, 2), "float32"), ((boids,), "int32")]
        arrays = [CudaArray(memory, self._driver.ordinal, *shape) for memory, shape in zip(memories, shapes)]
        self.position_vx, self.velocity_yz, self.ids = arrays

    def wait(self) -> None:
        """Wait until the GPU has done all that was given to CUDA."""
        self._driver.here("cuCtxSynchronize")

    def __repr__(self) -> str:
        return f"<OnCuda {self.position_vx!r}, {self.velocity_yz!r}, {self.ids!r}>"
