"""What all experiments share: kept answers, seeds, comparisons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

from citewhy.base.errors import MissingExtraError
from citewhy.base.progress import silent
from citewhy_lab import experiments
from citewhy_lab.experiments import EXPERIMENTS, Setup
from citewhy_lab.experiments.engine import Arrays, Lab, compared, comparisons, mean_and_spread, signed
from citewhy_lab.experiments.significance import Difference


class Dice(Lab[str, float]):
    """Systems whose answer is their length plus the seed; ``fixed`` is not trained."""

    def __init__(self, folder: Path, facts: str = "") -> None:
        super().__init__((1, 2, 3), folder, silent)
        self.facts = facts
        self.asked: list[tuple[str, int]] = []

    def named(self, system: str, seed: int) -> str:
        return f"{system}-{seed}-{self.facts}"

    def ask(self, system: str, seed: int) -> Arrays:
        self.asked.append((system, seed))
        return {"value": np.array([len(system) + seed])}

    def answers(self, arrays: Arrays) -> float:
        return float(arrays["value"][0])

    def is_trained(self, system: str) -> bool:
        return system != "fixed"


def test_answers_are_kept(tmp_path: Path) -> None:
    """A system is asked once for each seed, and one that is not trained with the first alone; another run
    reads what was kept, unless something that it depends on is another."""
    lab = Dice(tmp_path)
    assert lab.runs("long") == [5, 6, 7]
    assert lab.runs("fixed") == [6]
    assert lab.runs("long") == [5, 6, 7]
    assert lab.asked == [("long", 1), ("long", 2), ("long", 3), ("fixed", 1)]
    again = Dice(tmp_path)
    assert again.runs("long") == [5, 6, 7]
    assert again.asked == []
    other = Dice(tmp_path, "other data")
    assert other.runs("fixed") == [6]
    assert other.asked == [("fixed", 1)]


def test_an_interrupted_experiment_goes_on(tmp_path: Path) -> None:
    """What was asked before the interruption is not asked again."""

    class Interrupted(Dice):
        def ask(self, system: str, seed: int) -> Arrays:
            if seed == 2:
                raise KeyboardInterrupt
            return super().ask(system, seed)

    with pytest.raises(KeyboardInterrupt):
        Interrupted(tmp_path).runs("long")
    lab = Dice(tmp_path)
    assert lab.runs("long") == [5, 6, 7]
    assert lab.asked == [("long", 2), ("long", 3)]


def test_what_is_not_trained_is_the_same_for_every_seed() -> None:
    """Differences 1, 2, 3 for both seeds of the first system: the mean is 2, and the seeds add nothing."""
    first = [np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])]
    found = compared(first, [np.zeros(3)])
    assert found.value == 2
    assert found.low < 2 < found.high


def test_mean_and_spread() -> None:
    """Of 1 and 3: 2, and the square root of 2; one value has no spread."""
    assert mean_and_spread([1.0, 3.0]) == [2.0, pytest.approx(2**0.5)]
    assert mean_and_spread([1.0]) == [1.0, None]


def test_comparisons_have_a_row_each() -> None:
    """The name, the difference, its interval and p; a difference in words has its sign."""
    found = Difference(0.0124, -0.003, 0.027, 0.04)
    table = comparisons({"a − b, RR": found}, "Paired.")
    assert table.rows == [["a − b, RR", 0.0124, -0.003, 0.027, 0.04]]
    assert table.notes == ["Paired."]
    assert signed(found) == "+.012 (-.003 to .027)"
    assert signed(Difference(-0.5, -1.0, 0.0, 1.0)) == "-.500 (-1.000 to .000)"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_missing_is_said_first(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages are looked for before the module of the experiment is imported and files are read."""

    def refuse(*names: str) -> None:
        raise MissingExtraError(", ".join(names), "lab")

    monkeypatch.setattr(experiments, "check_modules", refuse)
    monkeypatch.setattr("importlib.import_module", lambda _: pytest.fail("imported"))
    with pytest.raises(MissingExtraError, match="scipy"):
        EXPERIMENTS[name].run([tmp_path], Setup(), silent)
