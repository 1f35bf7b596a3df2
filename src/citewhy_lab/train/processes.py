"""Training in several processes started by `torchrun`. With a single process, nothing here has an effect.

Each process has the whole network and its own batches; gradients are averaged, so that the weights are the
same in all. Only the first process writes.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable

import torch
from torch import Tensor, distributed

from citewhy.base.errors import CiteWhyError


def number() -> int:
    """Returns the number of this process, from 0."""
    return int(os.environ.get("RANK", "0"))


def count() -> int:
    """Returns the number of processes."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first() -> bool:
    """Tells whether this process writes files and reports progress."""
    return number() == 0


def wait() -> None:
    """Waits until all processes are here."""
    if _together():
        distributed.barrier()


def mean(value: float) -> float:
    """Returns the mean of the values of all processes."""
    if not _together():
        return value
    total = torch.tensor([value], dtype=torch.float64)
    distributed.all_reduce(total)
    return float(total.item()) / count()


def from_first(tensors: Iterable[Tensor]) -> None:
    """Replaces the values of `tensors` by those of the first process."""
    if _together():
        with torch.no_grad():
            for tensor in tensors:
                distributed.broadcast(tensor.data, src=0)


def average_gradients(parameters: Iterable[Tensor]) -> None:
    """Replaces each gradient by its mean over all processes; a missing one counts as zeros. Raises
    CiteWhyError for sparse gradients, which cannot be averaged."""
    if not _together():
        return
    for parameter in parameters:
        if not parameter.requires_grad:
            continue
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        if parameter.grad.is_sparse:
            raise CiteWhyError(
                "sparse gradients cannot be averaged over processes", hint="train this model in one process"
            )
        distributed.all_reduce(parameter.grad)
        parameter.grad /= count()


def _together() -> bool:
    """Tells whether there are other processes, which are joined at the first call."""
    if count() == 1:
        return False
    if not distributed.is_initialized():
        distributed.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
        atexit.register(distributed.destroy_process_group)
    return True
