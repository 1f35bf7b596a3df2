"""What is recorded of a training that is cut short, and tests on what a page keeps."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

for needed in ("torch", "transformers", "scipy", "gensim", "sklearn", "matplotlib"):
    pytest.importorskip(needed, reason="needs the extra lab")

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

import source_sizes  # noqa: E402
from citewhy.base.progress import silent  # noqa: E402
from citewhy_lab.train.loop import Learner, Plan, linear, train_network  # noqa: E402


class Line(Learner):
    """One weight, whose loss is its distance to 1; its quality is the weight."""

    def __init__(self) -> None:
        network = nn.Linear(1, 1, bias=False)
        nn.init.zeros_(network.weight)
        super().__init__(network, [torch.optim.SGD(network.parameters(), lr=0.1)])

    def weight(self) -> Tensor:
        return next(self.network.parameters()).sum()

    def loss(self, batch: int) -> Tensor:
        return (1 - self.weight()) ** 2

    def validate(self) -> float:
        return float(self.weight())


PLAN = Plan.of_epochs(4, 5, seed=1, validate_every=1, rate=linear(0.2, 20))
"""Twenty steps, whose rate falls to zero."""


def test_the_first_steps_of_a_training() -> None:
    """At the rates of the whole one, with a validation before the first step; then the recipe ends."""
    recorder = source_sizes.Recorder(steps=6, every=3)
    with pytest.raises(source_sizes.EnoughError):
        recorder(Line(), PLAN, silent, None, {"task": 1})
    whole = train_network(Line(), PLAN, silent)
    (curve,) = recorder.curves
    assert curve.whole == len(whole.losses) == 20
    assert curve.losses == whole.losses[:6]
    assert len(curve.seconds) == 6
    assert [step for step, _ in curve.validations] == [0, 3, 6]
    assert curve.validations[0][1] == 0.0
    assert curve.validations[1][1] < curve.validations[2][1] < 1
    assert len(curve.validating) == 3


def test_each_epoch_of_a_whole_training() -> None:
    recorder = source_sizes.Recorder(steps=0, every=-1, ends=False)
    history = recorder(Line(), PLAN)
    assert [step for step, _ in recorder.curves[0].validations] == [0, 5, 10, 15, 20]
    assert len(history.losses) == 20
