"""Checkpoints on disk: everything that the next step of a training depends on. No pickle.

    step-000050/state.safetensors   weights, the best ones so far, the optimizers' tensors, the learner's own
    step-000050/manifest.json       what is being trained, on what; steps done, losses, validations, the
                                    optimizers' counters; sizes and checksums

Random numbers and batches depend on the seed and the number of the step alone (`loop`), so the number of
steps that are done is the position of the sampler and the state of the random generators.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from citewhy.base.artifact import MANIFEST, folder_aside, read_manifest, write_manifest
from citewhy.base.errors import InputError

_STATE = "state.safetensors"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a training after `step` steps."""

    step: int
    task: Mapping[str, Any]
    """What a resumed training must agree with; JSON."""
    history: Mapping[str, Any]
    """Losses, validations, counters; JSON."""
    tensors: dict[str, Tensor]


def weights(network: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers by name; a tensor with several names occurs once."""
    kept = network.state_dict().keys()
    buffers = {name: buffer for name, buffer in network.named_buffers() if name in kept}
    return dict(network.named_parameters()) | buffers


def optimizer_state(
    optimizer: torch.optim.Optimizer, names: Mapping[int, str]
) -> tuple[dict[str, Tensor], dict[str, float]]:
    """Returns the tensors of an optimizer (Adam's moments) and its counters, by ``part/parameter``. `names`
    are those of parameters by their Python id."""
    tensors: dict[str, Tensor] = {}
    counters: dict[str, float] = {}
    for parameter, parts in optimizer.state.items():
        for key, value in parts.items():
            name = f"{key}/{names[id(parameter)]}"
            if isinstance(value, Tensor):
                tensors[name] = value
            elif value is not None:
                counters[name] = value
    return tensors, counters


def load_optimizer(
    optimizer: torch.optim.Optimizer, names: Mapping[int, str], values: Mapping[str, Tensor | float]
) -> None:
    """Restores an `optimizer_state`, on the device of each parameter."""
    fresh = optimizer.state_dict()
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    position = {names[id(parameter)]: number for number, parameter in enumerate(parameters)}
    state: dict[int, dict[str, Any]] = {}
    for name, value in values.items():
        key, _, parameter_name = name.partition("/")
        state.setdefault(position[parameter_name], {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": fresh["param_groups"]})


def part(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The entries whose names start with ``prefix/``, without the prefix."""
    start = f"{prefix}/"
    return {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Writes it under a temporary name, renames it, and then removes older ones, so that one is complete at
    any time.

    Raises StorageError.
    """
    target = folder / f"step-{checkpoint.step:06d}"
    tensors = {name: value.detach().cpu().contiguous() for name, value in checkpoint.tensors.items()}
    with folder_aside(target) as aside:
        save_file(tensors, aside / _STATE)
        facts = {"step": checkpoint.step, "task": checkpoint.task, "history": checkpoint.history}
        write_manifest(aside, facts)
    for older in _finished(folder):
        if older != target:
            with contextlib.suppress(OSError):  # the next one tries again
                shutil.rmtree(older)


def load_newest(folder: Path, task: Mapping[str, Any]) -> Checkpoint | None:
    """The newest checkpoint in `folder`; None if there is none.

    Raises DamagedError for damaged files, InputError if they belong to another task.
    """
    newest = max(_finished(folder), default=None)
    if newest is None:
        return None
    facts = read_manifest(newest)
    wanted = orjson.loads(orjson.dumps(task))  # as in JSON: tuples are lists
    if differing := [name for name in wanted if facts["task"].get(name) != wanted[name]]:
        raise InputError(
            f"a training with other {' and '.join(differing)} was begun here",
            path=folder,
            hint="finish it with those, remove the folder, or name another --out",
        )
    return Checkpoint(facts["step"], facts["task"], facts["history"], load_file(newest / _STATE))


def _finished(folder: Path) -> Sequence[Path]:
    return [path.parent for path in sorted(folder.glob(f"step-*/{MANIFEST}"))]
