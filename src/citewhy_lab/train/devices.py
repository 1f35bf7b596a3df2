"""The device for training a network, the processor or a GPU, and the precision of its matrix products."""

from __future__ import annotations

import os
from functools import cache
from typing import get_args

import torch

from citewhy.base.errors import QueryError
from citewhy_lab.train.recipe import DeviceName

DEVICES: tuple[DeviceName, ...] = get_args(DeviceName)
"""``auto``: a GPU if torch finds one, else the processor."""

_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")
"""Instructions of x86 and ARM processors for products of bfloat16, as torch names them."""


def choose_device(name: DeviceName) -> torch.device:
    """Returns the device with that name; of several GPUs, that of this process's number (``LOCAL_RANK``).
    Raises QueryError for ``cuda`` if torch finds no GPU, and for unknown names."""
    if name not in DEVICES:
        raise QueryError(f"there is no device {name}", hint=f"choose from: {', '.join(DEVICES)}")
    has_gpu = torch.cuda.is_available()
    if name == "cuda" and not has_gpu:
        raise QueryError(
            "torch finds no GPU", hint="install torch for CUDA, or train with --device cpu or auto"
        )
    if name == "cpu" or not has_gpu:
        return torch.device("cpu")
    # The same sums in the same order each time, as far as CUDA can; cuBLAS reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


def fast_products(device: torch.device, *, enabled: bool = True) -> torch.autocast:
    """Returns a context in which matrix products are in bfloat16, if the device has instructions for that and
    `enabled` is true; else in 32 bits."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=enabled and has_bfloat16(device.type))


@cache
def has_bfloat16(kind: str) -> bool:
    """Tells whether devices of a kind, ``cpu`` or ``cuda``, have instructions for bfloat16. Without them
    torch emulates it, which took twenty times as long as 32 bits on a processor with AVX2."""
    if kind == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    known = torch.cpu.get_capabilities()
    return any(known.get(name, False) for name in _BFLOAT16)
