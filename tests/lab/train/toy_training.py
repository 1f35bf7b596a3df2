"""A toy training run that depends on everything that checkpoints must contain. As a script, it prints its
steps.

python toy_training.py CHECKPOINTS OUT [--slow]
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from citewhy_lab.train import processes
from citewhy_lab.train.loop import History, Learner, Plan, linear, train_network, weights

PLAN = Plan(steps=20, seed=5, rate=linear(0.05, 20), checkpoint_every=4, validate_every=3)


class Noisy(Learner):
    """Dropout, batch normalisation (a buffer), a table with sparse gradients, random numbers of three
    generators, and a number that grows in `prepare`."""

    def __init__(self) -> None:
        torch.manual_seed(1)
        self.table = nn.Embedding(6, 4, sparse=True)
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
        sparse = torch.optim.SparseAdam(list(self.table.parameters()), 0.1)
        dense = torch.optim.Adam(self.body.parameters(), 0.1)
        super().__init__(nn.ModuleDict({"table": self.table, "body": self.body}), [sparse, dense])
        self.seen = torch.zeros(1)

    def loss(self, batch: int) -> Tensor:
        rows = torch.tensor([random.randrange(6) for _ in range(5)])
        wanted = torch.from_numpy(np.random.normal(size=5).astype(np.float32)) + self.seen
        found = self.body(self.table(rows)).squeeze(1)
        loss: Tensor = ((found - wanted - torch.rand(1)) ** 2).mean() + batch / 100
        return loss

    def prepare(self, step: int) -> None:
        if step % 4 == 1:
            self.seen = self.seen + torch.rand(1)

    def validate(self) -> float:
        return float(self.table.weight.sum())

    def state(self) -> dict[str, Tensor]:
        return {"seen": self.seen}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self.seen = state["seen"]


class Constant(Learner):
    """One weight w, which each batch b pulls by the constant gradient b + 1."""

    def __init__(self, scores: list[float] | None = None) -> None:
        self.line = nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(self.line.weight)
        super().__init__(self.line, [torch.optim.SGD(self.line.parameters(), lr=0.5)])
        self.scores = scores or []
        self.asked = 0

    @property
    def weight(self) -> float:
        return float(self.line.weight.item())

    def loss(self, batch: int) -> Tensor:
        loss: Tensor = (batch + 1) * self.line.weight.sum()
        return loss

    def validate(self) -> float:
        """The scores in their order."""
        self.asked += 1
        return self.scores[self.asked - 1]


def silent(_what: str, _share: float | None) -> None:
    pass


def everything(learner: Learner, history: History) -> dict[str, Any]:
    """The result of a training run."""
    return {
        **weights(learner.network),
        "losses": torch.tensor(history.losses, dtype=torch.float64),
        "scores": torch.tensor([each.score for each in history.validations], dtype=torch.float64),
    }


def main(checkpoints: Path, out: Path, slow: bool) -> None:
    def progress(what: str, _share: float | None) -> None:
        if slow and what.startswith("step"):
            print(what.split()[1], flush=True)
            time.sleep(0.02)

    learner: Learner = Constant() if processes.count() > 1 else Noisy()
    plan = Plan(steps=4, seed=5, checkpoint_every=2) if processes.count() > 1 else PLAN
    history = train_network(learner, plan, progress, checkpoints, {"task": "toy"})
    save_file(everything(learner, history), out / f"{processes.number()}.safetensors")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--slow" in sys.argv)
