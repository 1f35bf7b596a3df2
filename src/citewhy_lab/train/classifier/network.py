"""A network with one hidden layer over the features of sentences, trained in the loop, written as ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.progress import Progress
from citewhy.ranking.classify.onnx import HEAD, INPUT, OUTPUT
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy_lab.evaluate.classification import macro_f1
from citewhy_lab.train.classifier.data import Data, Doubles, Parts, importance, of_folds
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.loop import Learner, Plan, train_network

_OPSET, _IR = 17, 8
"""Versions of the ONNX operators and of the file."""


class Head(nn.Module):  # type: ignore[misc, unused-ignore]
    """Features [n, width] → scores [n, labels]."""

    def __init__(self, width: int, labels: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(dropout)
        self.second = nn.Linear(hidden, labels)

    def forward(self, features: Tensor) -> Tensor:
        scores: Tensor = self.second(self.dropout(functional.relu(self.first(features))))
        return scores


class HeadLearner(Learner):
    """Trained on `taught`, validated by the macro-F1 on `held`."""

    unit = "examples"

    def __init__(
        self, head: Head, vectorizer: Vectorizer, taught: Data, held: Data, settings: ClassifierSettings
    ) -> None:
        optimizer = torch.optim.AdamW(
            head.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        super().__init__(head, [optimizer])
        self._head = head
        self._rows = taught.matrix(vectorizer)
        self._truth = torch.from_numpy(taught.truth.astype(np.float32))
        weights = importance(taught.truth, settings.balance)
        self._weights = torch.from_numpy(weights.astype(np.float32))
        self._held = held
        self._held_rows = held.matrix(vectorizer)
        self._seed = settings.seed
        self.units_a_step = min(settings.batch, len(taught.examples))
        self.batches = -(-len(taught.examples) // settings.batch)
        """Batches of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """Cross-entropy, with the weights of the examples."""
        epoch, number = divmod(batch, self.batches)
        order = np.random.default_rng([self._seed, epoch]).permutation(self._rows.shape[0])
        rows = np.array_split(order, self.batches)[number]
        likely = functional.log_softmax(self._head(_dense(self._rows[rows])), dim=1)
        loss: Tensor = -(self._weights[rows] * (self._truth[rows] * likely).sum(dim=1)).mean()
        return loss

    def validate(self) -> float:
        """Returns the macro-F1 of the answers on the validation data."""
        scores = _scores(self._head, self._held_rows)
        return macro_f1(self._held.answers(scores), self._held.true_labels)


def fit_network(
    taught: Data, held: Data, settings: ClassifierSettings, progress: Progress, folder: Path | None = None
) -> tuple[Head, Vectorizer]:
    """Returns the weights of the epoch with the best score on `held`. Checkpoints are in `folder`; None:
    there are none."""
    vectorizer = taught.vectorizer(settings.features, settings.least, settings.buckets)
    torch.manual_seed(settings.seed)
    head = Head(vectorizer.width, len(taught.labels), settings.hidden, settings.dropout)
    learner = HeadLearner(head, vectorizer, taught, held, settings)
    plan = Plan.of_epochs(
        settings.epochs,
        learner.batches,
        settings.seed,
        validate_every=1,
        patience=settings.patience,
        clip=1.0,
    )
    task = {"settings": settings.document(), "examples": [len(taught.examples), len(held.examples)]}
    train_network(learner, plan, progress, folder, task)
    return head.eval(), vectorizer


def cross_validate_network(
    data: Data, settings: ClassifierSettings, parts: Parts, progress: Progress
) -> Doubles:
    """Scores [n, L] of each example by a network trained without its group; the next fold is used for
    validation."""
    count = int(parts.max()) + 1
    scores = np.zeros((len(data.examples), len(data.labels)))
    for part, report in of_folds(progress, parts):
        tested, validated = parts == part, parts == (part + 1) % count
        taught = ~(tested | validated) if count > 2 else ~tested
        head, vectorizer = fit_network(
            data.take(np.flatnonzero(taught)),
            data.take(np.flatnonzero(validated)),
            settings,
            report,
        )
        scores[tested] = _scores(head, data.take(np.flatnonzero(tested)).matrix(vectorizer))
    return scores


def write_head(folder: Path, head: Head) -> None:
    """Writes `HEAD` in `folder`. The graph is written directly, without an exporter."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    tensors = {
        name: numpy_helper.from_array(value.detach().cpu().numpy(), name)
        for name, value in head.named_parameters()
    }
    nodes = [
        helper.make_node("Gemm", [INPUT, "first.weight", "first.bias"], ["hidden"], transB=1),
        helper.make_node("Relu", ["hidden"], ["rectified"]),
        helper.make_node("Gemm", ["rectified", "second.weight", "second.bias"], [OUTPUT], transB=1),
    ]
    given = helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", head.first.in_features])
    wanted = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", head.second.out_features])
    graph = helper.make_graph(nodes, "head", [given], [wanted], list(tensors.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    onnx.checker.check_model(model)
    (folder / HEAD).write_bytes(model.SerializeToString())


def _scores(head: Head, rows: Any) -> Doubles:
    head.eval()
    with torch.no_grad():
        parts = [head(_dense(rows[first : first + 1024])) for first in range(0, rows.shape[0], 1024)]
    scores: Doubles = torch.cat(parts).numpy().astype(np.float64)
    return scores


def _dense(rows: Any) -> Tensor:
    """[n, width] of scipy's sparse rows."""
    return torch.from_numpy(rows.toarray().astype(np.float32))
