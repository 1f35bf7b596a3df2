"""Where a training stands, on disk: everything that its next step depends on. No pickle.

    step-000050/state.safetensors   weights, the optimizer's state, hard negatives
    step-000050/manifest.json       what is being trained, on what; losses so far; sizes and checksums

The batches depend on the seed and the step (`batches`), and nothing else is left to chance: the step is the
state of the random numbers.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from citewhy.artifact import MANIFEST, folder_aside, read_manifest, write_manifest
from citewhy.errors import InputError

__all__ = ["Checkpoint", "load_newest", "restore", "save", "state"]

_STATE = "state.safetensors"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`step`: steps that are done. `task`: what a continuation has to agree with. `losses`: one a step."""

    step: int
    task: Mapping[str, Any]
    losses: list[float]
    tensors: dict[str, Tensor]


def state(parameters: Mapping[str, Tensor], optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """All that the next step depends on, as tensors of a checkpoint."""
    tensors = {f"weights/{name}": value.detach() for name, value in parameters.items()}
    for name, parameter in parameters.items():
        for part, value in optimizer.state[parameter].items():
            tensors[f"optimizer/{part}/{name}"] = value
    return tensors


def restore(
    parameters: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]
) -> None:
    """Puts a `state` back in its place."""
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[f"weights/{name}"])
    for name, value in tensors.items():
        kind, _, rest = name.partition("/")
        if kind == "optimizer":
            part, _, parameter_name = rest.partition("/")
            optimizer.state[parameters[parameter_name]][part] = value


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Writes it aside, renames it, and then removes older ones: one is whole at any time.

    Raises StorageError.
    """
    target = folder / f"step-{checkpoint.step:06d}"
    with folder_aside(target) as aside:
        save_file(checkpoint.tensors, aside / _STATE)
        write_manifest(aside, {"step": checkpoint.step, "task": checkpoint.task, "losses": checkpoint.losses})
    for older in _finished(folder):
        if older != target:
            with contextlib.suppress(OSError):  # the next one tries again
                shutil.rmtree(older)


def load_newest(folder: Path, task: Mapping[str, Any]) -> Checkpoint | None:
    """The newest checkpoint in `folder`; None where there is none.

    Raises DamagedError for files that are not as they were written, InputError where another task was begun.
    """
    newest = max(_finished(folder), default=None)
    if newest is None:
        return None
    facts = read_manifest(newest)
    if differing := [name for name in task if facts["task"].get(name) != task[name]]:
        raise InputError(
            f"a training with other {' and '.join(differing)} was begun here",
            path=folder,
            hint="finish it with those, remove the folder, or name another --out",
        )
    return Checkpoint(facts["step"], facts["task"], facts["losses"], load_file(newest / _STATE))


def _finished(folder: Path) -> list[Path]:
    return [path.parent for path in sorted(folder.glob(f"step-*/{MANIFEST}"))]
