"""The device for training a network: the processor, or a GPU."""

from __future__ import annotations

import os
from typing import Literal, get_args

import torch

from citewhy.errors import QueryError

__all__ = ["DEVICES", "DeviceName", "choose_device"]

DeviceName = Literal["auto", "cpu", "cuda"]

DEVICES: tuple[DeviceName, ...] = get_args(DeviceName)
"""``auto``: a GPU if torch finds one, else the processor."""


def choose_device(name: DeviceName) -> torch.device:
    """The device with that name; of several GPUs, that of this process's number (``LOCAL_RANK``). Raises
    QueryError for ``cuda`` if torch finds no GPU, and for unknown names."""
    if name not in DEVICES:
        raise QueryError(f"there is no device {name}", hint=f"choose from: {', '.join(DEVICES)}")
    found = torch.cuda.is_available()
    if name == "cuda" and not found:
        raise QueryError(
            "torch finds no GPU", hint="install torch for CUDA, or train with --device cpu or auto"
        )
    if name == "cpu" or not found:
        return torch.device("cpu")
    # The same sums in the same order each time, as far as CUDA can; cuBLAS reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device
