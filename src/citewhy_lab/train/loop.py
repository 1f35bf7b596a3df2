"""The training loop of all networks: steps, validations, checkpoints, early stopping.

A system describes what is special to it as a `Learner`: its network, its optimizers, and the loss of a batch.
The loop does the rest, the same for all:

- before each step, the random generators of Python, NumPy and torch are seeded by the seed and the number of
  the step: what is drawn depends on nothing that came before;
- gradients are averaged over processes (`processes`), clipped, and followed by the optimizers, with the
  learning rate of the schedule;
- after every so many steps the network is validated; the best weights are kept, and training stops when no
  validation has been better for a while;
- every so often a checkpoint is written. A training that was interrupted at any time, by Ctrl-C or SIGKILL,
  goes on from the last one; on the same machine, with as many threads and processes, it ends with the same
  weights to the bit.

A checkpoint on disk has everything that the next step depends on, and no pickle:

    step-000050/state.safetensors   weights, the best ones so far, the optimizers' tensors, the learner's own
    step-000050/manifest.json       what is being trained, on what; steps done, losses, validations, the
                                    optimizers' counters; sizes and checksums

Random numbers and batches depend on the seed and the number of the step alone, so the number of
steps that are done is the position of the sampler and the state of the random generators.
"""

from __future__ import annotations

import contextlib
import math
import random
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from citewhy.base.artifact import MANIFEST, folder_aside, read_manifest, write_manifest
from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.printable import printable_json
from citewhy.base.progress import Progress, silent
from citewhy_lab.train import processes

_RECENT = 25
"""Steps over which the displayed loss is averaged."""


class Learner(ABC):
    """A network to be trained, and its data."""

    unit = "steps"
    """The unit in which speed is displayed."""
    units_a_step = 1

    def __init__(self, network: nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        """`network` is on its device, and has all parameters of the optimizers."""
        self.network = network
        self.optimizers = optimizers

    @abstractmethod
    def loss(self, batch: int) -> Tensor:
        """Returns the loss of a batch, a scalar. Batches are numbered from 0; which examples they contain may
        depend only on this number and on random numbers."""

    def prepare(self, step: int) -> None:  # noqa: B027 # most have nothing to prepare
        """Preparations before a step, such as mining hard negatives with the current network."""

    def validate(self) -> float:
        """Returns the quality of the current network; higher is better. Called in evaluation mode, without
        gradients."""
        raise NotImplementedError

    def state(self) -> dict[str, Tensor]:
        """Further state on which a step depends, such as hard negatives."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:  # noqa: B027 # most have no state
        """Restores a `state`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Length and schedule of a training."""

    steps: int
    seed: int
    rate: Schedule | None = None
    """The learning rate by step, for all parameters; None: that of the optimizers."""
    clip: float | None = None
    """Norm to which the gradients of a step are clipped; None: no clipping, as for sparse gradients."""
    checkpoint_every: int = 0
    """Steps between checkpoints; there is one after the last step, too. 0: only that one."""
    validate_every: int = 0
    """Steps between validations; there is one after the last step, too. 0: none at all."""
    patience: int = 0
    """Number of consecutive validations without improvement after which training stops; 0: never."""

    @classmethod
    def of_epochs(cls, epochs: int, batches: int, seed: int, validate_every: int = 0, **more: Any) -> Plan:
        """Plans epochs of the given number of batches: `validate_every` counts epochs; there is a
        checkpoint after each."""
        return cls(
            epochs * batches,
            seed,
            checkpoint_every=batches,
            validate_every=validate_every * batches,
            **more,
        )


@dataclass(frozen=True, slots=True)
class Validation:
    """`step`: number of finished steps."""

    step: int
    score: float


@dataclass(slots=True)
class History:
    losses: list[float] = field(default_factory=list)
    """One for each step."""
    validations: list[Validation] = field(default_factory=list)

    @property
    def best(self) -> Validation | None:
        """The validation with the highest score, ties by order."""
        return max(
            self.validations, key=lambda validation: (validation.score, -validation.step), default=None
        )

    def means(self, steps: int) -> list[float]:
        """Computes the mean losses of consecutive blocks of steps; the last block may be shorter."""
        parts = [self.losses[first : first + steps] for first in range(0, len(self.losses), steps)]
        return [sum(part) / len(part) for part in parts]


def train_network(
    learner: Learner,
    plan: Plan,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> History:
    """Runs the remaining steps, and leaves the network with the best weights if there are validations,
    otherwise with the last.

    Checkpoints are in `folder` (None: there are none). `task`, JSON, identifies model and data: a checkpoint
    of another task is not resumed. The caller's random generators are not affected. Raises InputError for
    checkpoints of another task, DamagedError for damaged ones, StorageError if none can be written,
    CiteWhyError if the loss is not finite.
    """
    with _own_random_numbers():
        return _Training(learner, plan, folder, task or {}, progress).run()


def update(learner: Learner, clip: float | None = None) -> None:
    """Makes a step of the optimizers with the current gradients, which are then cleared."""
    parameters = list(learner.network.parameters())
    processes.average_gradients(parameters)
    if clip is not None:
        torch.nn.utils.clip_grad_norm_(parameters, clip)
    for optimizer in learner.optimizers:
        optimizer.step()
        optimizer.zero_grad()


class _Training:
    def __init__(
        self, learner: Learner, plan: Plan, folder: Path | None, task: Mapping[str, Any], progress: Progress
    ) -> None:
        self._learner = learner
        self._plan = plan
        self._folder = folder
        self._task = task
        self._progress: Progress = progress if processes.is_first() else silent
        self._weights = weights(learner.network)
        self._names = {id(tensor): name for name, tensor in self._weights.items()}
        self._history = History()
        self._best: dict[str, Tensor] = {}
        self._seconds, self._timed = 0.0, 0

    def run(self) -> History:
        self._continue()
        processes.from_first(self._weights.values())
        for step in range(len(self._history.losses), self._plan.steps):
            if self._stale():
                break
            self._history.losses.append(self._step(step))
            done, last = step + 1, step + 1 == self._plan.steps
            self._report(done)
            if self._plan.validate_every and (done % self._plan.validate_every == 0 or last):
                self._validate(done)
            if last or self._stale() or ((every := self._plan.checkpoint_every) and done % every == 0):
                self._save()
        if self._best:
            _copy(self._best, self._weights)
        return self._history

    def _step(self, step: int) -> float:
        _seed(self._plan.seed, step)
        self._learner.prepare(step)
        begun = time.monotonic()
        self._learner.network.train()
        if self._plan.rate is not None:
            _set_rate(self._learner.optimizers, self._plan.rate(step))
        loss = self._learner.loss(step * processes.count() + processes.number())
        loss.backward()
        update(self._learner, self._plan.clip)
        value = processes.mean(float(loss.item()))
        if not math.isfinite(value):
            raise CiteWhyError(
                f"the loss of step {step + 1} is {value}",
                path=self._folder,
                hint="train with a lower learning rate; the last checkpoint is from before",
            )
        self._seconds, self._timed = self._seconds + time.monotonic() - begun, self._timed + 1
        return value

    def _validate(self, step: int) -> None:
        self._learner.network.eval()
        with torch.no_grad():
            # The weights are the same in all processes, but the last bit of a score may differ.
            score = (
                processes.mean(self._learner.validate() if processes.is_first() else 0.0) * processes.count()
            )
        best = self._history.best
        if best is None or score > best.score:
            self._best = {name: tensor.detach().clone() for name, tensor in self._weights.items()}
        self._history.validations.append(Validation(step, score))
        self._progress(f"validation after step {step}: {score:.4f}", None)

    def _stale(self) -> bool:
        """Tells whether the best validation is `patience` validations ago."""
        best = self._history.best
        if best is None or not self._plan.patience:
            return False
        return (
            len(self._history.validations) - 1 - self._history.validations.index(best) >= self._plan.patience
        )

    def _report(self, done: int) -> None:
        seconds = max(self._seconds / self._timed, 1e-9)
        speed = self._learner.units_a_step * processes.count() / seconds
        shown = f"{speed:,.0f}" if speed >= 10 else f"{speed:.2f}"
        loss = float(np.mean(self._history.losses[-_RECENT:]))
        left = (self._plan.steps - done) * seconds / 60
        self._progress(
            f"step {done} of {self._plan.steps}: loss {loss:.4f}, {shown} {self._learner.unit}/s, "
            f"{left:.0f} min left",
            done / self._plan.steps,
        )

    def _save(self) -> None:
        if self._folder is None or not processes.is_first():
            return
        tensors = _named("weights", self._weights) | _named("best", self._best)
        tensors |= _named("learner", self._learner.state())
        counters: dict[str, float] = {}
        for number, optimizer in enumerate(self._learner.optimizers):
            moments, counted = optimizer_state(optimizer, self._names)
            tensors |= _named(f"optimizer-{number}", moments)
            counters |= _named(f"optimizer-{number}", counted)
        history = {
            "losses": self._history.losses,
            "validations": [[validation.step, validation.score] for validation in self._history.validations],
            "counters": counters,
            "seed": self._plan.seed,
        }
        save(self._folder, Checkpoint(len(self._history.losses), self._task, history, tensors))

    def _continue(self) -> None:
        checkpoint = None if self._folder is None else load_newest(self._folder, self._task)
        if checkpoint is None:
            return
        _copy(part(checkpoint.tensors, "weights"), self._weights)
        counters = checkpoint.history["counters"]
        for number, optimizer in enumerate(self._learner.optimizers):
            prefix = f"optimizer-{number}"
            load_optimizer(optimizer, self._names, part(checkpoint.tensors, prefix) | part(counters, prefix))
        self._best = part(checkpoint.tensors, "best")
        self._learner.load_state(part(checkpoint.tensors, "learner"))
        validations = [Validation(step, score) for step, score in checkpoint.history["validations"]]
        self._history = History(checkpoint.history["losses"], validations)


def _seed(seed: int, step: int) -> None:
    """Seeds a step; each process draws different numbers."""
    number = processes.number()
    entropy = [seed, step, number] if number else [seed, step]
    chosen = int(np.random.SeedSequence(entropy).generate_state(1)[0])
    random.seed(chosen)
    np.random.seed(chosen)
    torch.manual_seed(chosen)


@contextlib.contextmanager
def _own_random_numbers() -> Iterator[None]:
    """Restores the random generators of the process after the block."""
    python, numpy, processor = random.getstate(), np.random.get_state(), torch.get_rng_state()
    devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(processor)
        torch.cuda.set_rng_state_all(devices)


def _set_rate(optimizers: Sequence[torch.optim.Optimizer], rate: float) -> None:
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = rate


def _copy(values: Mapping[str, Tensor], into: Mapping[str, Tensor]) -> None:
    with torch.no_grad():
        for name, tensor in into.items():
            tensor.copy_(values[name])


def _named(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}/{name}": value for name, value in values.items()}


# Learning rates by step -------------------------------------------------------------------------------------


Schedule = Callable[[int], float]
"""The learning rate of a step."""


def constant(rate: float) -> Schedule:
    return lambda _step: rate


def linear(peak: float, steps: int, warm_up: float = 0.0) -> Schedule:
    """Rises to `peak` over the share `warm_up` of all `steps`, and falls to zero at their end, both linearly.

    The two overlap: after the rise the rate is that of the fall, slightly below the peak.
    """
    rise = max(int(steps * warm_up), 1)
    return lambda step: peak * min((step + 1) / rise, 1.0) * max(1 - step / steps, 0.0)


def linear_in_turn(peak: float, steps: int, warm_up: float) -> Schedule:
    """Rises from zero to `peak` over the share `warm_up` of all `steps`, and then falls to zero at their end,
    both linearly: the schedule ``linear`` of transformers."""
    rise = round(steps * warm_up)

    def rate(step: int) -> float:
        if step < rise:
            return peak * step / rise
        return peak * max(steps - step, 0) / max(steps - rise, 1)

    return rate


def cosine(peak: float, steps: int, warm_up: int = 0) -> Schedule:
    """Rises linearly to `peak` over the first `warm_up` of `steps`, and falls to zero at their end as half a
    cosine. A rise longer than all steps ends with them."""
    rise = min(warm_up, steps)

    def rate(step: int) -> float:
        if step < rise:
            return peak * (step + 1) / rise
        return peak * (1 + math.cos(math.pi * (step - rise) / max(steps - rise, 1))) / 2

    return rate


def inverse_square_root(peak: float, warm_up: int, first: float = 0.0) -> Schedule:
    """Rises linearly from `first` to `peak` over `warm_up` ≥ 1 steps, then falls with the inverse square root
    of the number of the step (Vaswani et al. 2017, as in Fairseq)."""

    def rate(step: int) -> float:
        if step < warm_up:
            return first + (peak - first) * step / warm_up
        return peak * math.sqrt(warm_up / step)

    return rate


# Checkpoints on disk -------------------------------------------------------------------------------------


_STATE = "state.safetensors"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a training after `step` steps."""

    step: int
    task: Mapping[str, Any]
    """A resumed training must agree with it; JSON."""
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
    """Returns the entries whose names start with ``prefix/``, without the prefix."""
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
    """Returns the newest checkpoint in `folder`; None if there is none.

    Raises DamagedError for damaged files, InputError if they belong to another task.
    """
    newest = max(_finished(folder), default=None)
    if newest is None:
        return None
    facts = read_manifest(newest)
    wanted = orjson.loads(printable_json(task))  # as in JSON: tuples are lists
    if differing := [name for name in wanted if facts["task"].get(name) != wanted[name]]:
        raise InputError(
            f"a training with other {' and '.join(differing)} was begun here",
            path=folder,
            hint="finish it with those, remove the folder, or name another --out",
        )
    return Checkpoint(facts["step"], facts["task"], facts["history"], load_file(newest / _STATE))


def _finished(folder: Path) -> Sequence[Path]:
    return [path.parent for path in sorted(folder.glob(f"step-*/{MANIFEST}"))]
