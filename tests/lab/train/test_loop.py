"""The training loop: exact resumption, validation, early stopping, several processes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("safetensors", reason="needs the extra lab")

from safetensors.torch import load_file  # noqa: E402
from toy_training import PLAN, Constant, Noisy, everything, silent  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import CiteWhyError, DamagedError, InputError, QueryError  # noqa: E402
from citewhy_lab.train.devices import choose_device  # noqa: E402
from citewhy_lab.train.loop import History, Plan, Validation, train_network, update  # noqa: E402

SCRIPT = Path(__file__).with_name("toy_training.py")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPT.parent), *sys.path])}


def same(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Names of the tensors that differ in any bit."""
    assert one.keys() == other.keys()
    return [name for name in one if not torch.equal(one[name], other[name])]


def whole() -> dict[str, Any]:
    learner = Noisy()
    return everything(learner, train_network(learner, PLAN, silent))


def test_killed_and_continued(tmp_path: Path) -> None:
    """A process that is killed in the middle, and started again, ends with the weights, losses and
    validations of one that was not, to the bit: dropout, three random generators, two optimizers, a buffer,
    the learner's own state and the best weights so far."""
    checkpoints = tmp_path / "checkpoints"
    command = [sys.executable, str(SCRIPT), str(checkpoints), str(tmp_path), "--slow"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())
    assert child.stdout is not None
    for line in child.stdout:
        if int(line) == 15:
            child.send_signal(signal.SIGKILL)
            break
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    assert [each.name for each in checkpoints.iterdir()] == ["step-000012"]
    again = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    assert again.stdout.split()[0] == "13"
    assert same(load_file(tmp_path / "0.safetensors"), whole()) == []


@pytest.mark.parametrize("stop", [1, 4, 5, 12, 20])
def test_interrupted_anywhere(stop: int, tmp_path: Path) -> None:
    """Before the first checkpoint, at one, behind one, at the end: continued, the result is the same."""

    def interrupt(what: str, _share: float | None) -> None:
        if what.startswith(f"step {stop} "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_network(Noisy(), PLAN, interrupt, tmp_path)
    learner = Noisy()
    history = train_network(learner, PLAN, silent, tmp_path)
    assert same(everything(learner, history), whole()) == []


def test_a_finished_training_is_not_repeated(tmp_path: Path) -> None:
    """Its last checkpoint has everything: nothing is learned, and nothing validated again."""
    learner, again = Noisy(), Noisy()
    first = everything(learner, train_network(learner, PLAN, silent, tmp_path))
    again.loss = again.validate = None  # type: ignore[assignment, method-assign]
    assert same(everything(again, train_network(again, PLAN, silent, tmp_path)), first) == []


def test_what_a_checkpoint_holds(tmp_path: Path) -> None:
    """Weights and buffers, both optimizers with their counters, the best weights, the learner's state; and
    files of no other kind than these two."""
    train_network(Noisy(), PLAN, silent, tmp_path, {"task": (1, 2)})
    (folder,) = tmp_path.iterdir()
    assert {file.name for file in folder.iterdir()} == {"manifest.json", "state.safetensors"}
    tensors = load_file(folder / "state.safetensors")
    assert tensors.keys() >= {
        "weights/table.weight",
        "weights/body.1.running_mean",
        "best/body.3.bias",
        "optimizer-0/exp_avg/table.weight",
        "optimizer-1/exp_avg_sq/body.0.weight",
        "optimizer-1/step/body.0.weight",
        "learner/seen",
    }
    facts = read_manifest(folder)
    assert (facts["step"], facts["history"]["seed"], facts["task"]) == (20, 5, {"task": [1, 2]})
    assert facts["history"]["counters"] == {"optimizer-0/step/table.weight": 20}
    assert [step for step, _ in facts["history"]["validations"]] == [3, 6, 9, 12, 15, 18, 20]


def test_another_task(tmp_path: Path) -> None:
    """What was begun with other settings is not continued, a damaged checkpoint is not read; a task is the
    same with tuples for lists."""
    train_network(Constant(), Plan(3, 1), silent, tmp_path, {"size": (1, 2)})
    train_network(Constant(), Plan(3, 1), silent, tmp_path, {"size": [1, 2]})
    with pytest.raises(InputError, match="a training with other size was begun here"):
        train_network(Constant(), Plan(3, 1), silent, tmp_path, {"size": (1, 3)})
    (state,) = tmp_path.glob("*/state.safetensors")
    content = bytearray(state.read_bytes())
    content[-1] ^= 1
    state.write_bytes(content)
    with pytest.raises(DamagedError, match="changed since it was written"):
        train_network(Constant(), Plan(3, 1), silent, tmp_path, {"size": (1, 2)})


def test_steps_by_hand() -> None:
    """Gradients 1, 2, 3 at the rate ½: −3; with rates 1, 0.5, 0.25: −2.75; clipped to norm 1 at ½: −1.5."""
    for plan, expected in (
        (Plan(3, 1), -3.0),
        (Plan(3, 1, rate=lambda step: 0.5**step), -2.75),
        (Plan(3, 1, clip=1.0), -1.5),
    ):
        learner = Constant()
        history = train_network(learner, plan, silent)
        assert learner.weight == pytest.approx(expected, abs=1e-5)
        assert history.losses[0] == 0


def test_the_best_weights_are_kept() -> None:
    """Of four validations the second and the fourth are best: the weights of the second stay."""
    learner = Constant([0.1, 0.7, 0.3, 0.7])
    history = train_network(learner, Plan(4, 1, validate_every=1), silent)
    assert history.best == Validation(2, 0.7)
    assert learner.weight == -(1 + 2) / 2


def test_early_stopping(tmp_path: Path) -> None:
    """With patience 2, validations .5 .6 .4 .6 end it after the fourth: equal is not better. Continued, it
    stays ended."""
    plan = Plan(20, 1, validate_every=2, patience=2)
    for scores in ([0.5, 0.6, 0.4, 0.6], []):
        learner = Constant(scores)
        history = train_network(learner, plan, silent, tmp_path)
        assert [each.step for each in history.validations] == [2, 4, 6, 8]
        assert len(history.losses) == 8
        assert learner.weight == -(1 + 2 + 3 + 4) / 2


def test_epochs() -> None:
    """Three epochs of four batches: a checkpoint after each, a validation after each second and the last."""
    plan = Plan.of_epochs(3, 4, seed=7, validate_every=2, clip=2.0)
    assert plan == Plan(12, 7, clip=2.0, checkpoint_every=4, validate_every=8)
    history = train_network(Constant([1, 2]), plan, silent)
    assert [each.step for each in history.validations] == [8, 12]


def test_a_loss_that_is_no_number(tmp_path: Path) -> None:
    """It is an error that says in which step; the checkpoint before it stays."""

    class Broken(Constant):
        def loss(self, batch: int) -> Any:
            return super().loss(batch) * (float("nan") if batch == 3 else 1.0)

    with pytest.raises(CiteWhyError, match=r"the loss of step 4 is nan; train with a lower learning rate"):
        train_network(Broken(), Plan(9, 1, checkpoint_every=2), silent, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["step-000002"]


def test_random_numbers_of_the_caller() -> None:
    """They go on as if nothing had been trained."""
    random.seed(3)
    np.random.seed(3)
    torch.manual_seed(3)
    expected = [random.random(), np.random.rand(), torch.rand(1).item()]
    learner = Constant()
    random.seed(3)
    np.random.seed(3)
    torch.manual_seed(3)
    train_network(learner, Plan(2, 1), silent)
    assert [random.random(), np.random.rand(), torch.rand(1).item()] == expected


def test_progress() -> None:
    """The step, the mean loss, the speed and the time that is left; the share that is done."""
    told: list[tuple[str, float | None]] = []
    learner = Constant()
    learner.unit, learner.units_a_step = "triplets", 300
    train_network(learner, Plan(2, 1), lambda *each: told.append(each))
    assert [share for _, share in told] == [0.5, 1.0]
    assert told[1][0].startswith("step 2 of 2: loss -0.5000, ")  # 0, then 2 · −½
    assert told[1][0].endswith(" triplets/s, 0 min left")


def test_mean_losses() -> None:
    """Of every two steps, the rest included."""
    assert History([1.0, 3.0, 5.0]).means(2) == [2.0, 5.0]


def test_gradients_are_cleared() -> None:
    """A second update without a new gradient changes nothing."""
    learner = Constant()
    learner.loss(1).backward()
    update(learner)
    update(learner)
    assert learner.weight == -1.0


def test_two_processes(tmp_path: Path) -> None:
    """Process p of 2 has batch 2 · step + p; gradients 2 · step + 1.5 on average, at the rate ½ over four
    steps: −9, in both. The first process alone writes a checkpoint."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += [str(SCRIPT), str(tmp_path / "checkpoints"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, env={**environment(), "OMP_NUM_THREADS": "1"})
    one, other = (load_file(tmp_path / f"{number}.safetensors") for number in range(2))
    assert same(one, other) == []
    assert one["weight"].item() == -(1.5 + 3.5 + 5.5 + 7.5) / 2
    assert one["losses"][1].item() == pytest.approx(3.5 * -0.75)
    assert [each.name for each in (tmp_path / "checkpoints").iterdir()] == ["step-000004"]


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """``auto`` is the processor where there is no GPU; to ask for one that is not there is an error."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == choose_device("cpu") == torch.device("cpu")
    with pytest.raises(QueryError, match="torch finds no GPU"):
        choose_device("cuda")
    with pytest.raises(QueryError, match="there is no device tpu; choose from: auto, cpu, cuda"):
        choose_device("tpu")  # type: ignore[arg-type]
