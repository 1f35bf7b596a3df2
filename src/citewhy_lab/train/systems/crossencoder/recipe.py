"""Trains the cross-encoder on the first candidates of the default ranking, and chooses how much their scores
count."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.ranking.rank.cross_encoder import Limits, Pair, PairReader
from citewhy.search.encode import open_encoder
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train import processes
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.drafts import read_manifest, use_of
from citewhy_lab.train.loop import Learner, Plan, linear, train_network
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import default_start, start_sha256
from citewhy_lab.train.systems.crossencoder.data import Listed, draft_lists, sentence_lists
from citewhy_lab.train.systems.crossencoder.network import CrossNetwork, batch, save, scores
from citewhy_lab.train.systems.crossencoder.settings import CrossInputs, CrossSettings

FACTORS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""How many times what was learned the scores of the order before may count, of which the validation chooses
one; ascending."""

_COMPARED = 60
"""Pairs on which the exported network is compared with the trained one."""

_BLOCK = 50
"""The manifest has the mean loss of each block of so many steps."""


def train_crossencoder(
    inputs: CrossInputs,
    settings: CrossSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the reranker `out`.

    A training that was begun for the same `out`, with the same data, weights and settings, is resumed. Raises
    InputError for data that cannot be learned from, StorageError.
    """
    start = inputs.start or default_start()
    lists = asked(inputs, settings, checkpoints(out) / "asked", progress)
    learned = [each for each in lists if not each.validates and teaches(each)]
    validated = [each for each in lists if each.validates]
    if not learned:
        raise InputError(
            "no question has a right paper among its first candidates, and a wrong one",
            path=inputs.manifest,
            hint="give drafts whose bibliographies have the papers that they cite",
        )
    limits = Limits(settings.sentence, settings.paper, settings.citing)
    tokenizer = (start / "tokenizer.json").read_bytes()
    reader = PairReader(tokenizer, limits, start)
    torch.manual_seed(settings.seed)
    network = CrossNetwork(start, settings).to(choose_device(device))
    task: dict[str, Any] = {
        "settings": asdict(settings),
        "data": {path.name: file_facts(path) for path in _files(inputs)},
        "questions": {"learned": len(learned), "validated": len(validated)},
        "start": start_sha256(start),
    }
    learner = CrossLearner(network, reader, learned, settings)
    plan = Plan(
        settings.steps,
        settings.seed,
        clip=settings.clip,
        checkpoint_every=settings.checkpoint_every,
    )
    history = train_network(learner, plan, progress, checkpoints(out), task)
    network.cpu()
    facts = {
        **task,
        **choose_order(network, reader, validated, progress),
        "losses": [round(loss, 4) for loss in history.means(_BLOCK)],
        "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
    }
    if not processes.is_first():
        return Trained(facts)
    progress("writing the cross-encoder", None)
    agreement = save(out, network, tokenizer, settings.depth, limits, facts, _some(reader, lists))
    return Trained(facts | {"agreement": agreement}, tuple(_summary(facts, agreement)))


def asked(inputs: CrossInputs, settings: CrossSettings, folder: Path, progress: Progress) -> list[Listed]:
    """Returns the questions of all drafts but those that measure, and of all files of sentences. Candidates
    and libraries are kept in `folder`. Raises InputError for files of another kind."""
    encoder = open_encoder(inputs.encoder)
    drafts = [
        draft
        for draft in read_manifest(inputs.manifest, inputs.documents, follow_outside=inputs.follow_outside)
        if use_of(draft.author) != "measuring"
    ]
    lists: list[Listed] = []
    for done, draft in enumerate(drafts):
        progress(f"asking {draft.name}", done / len(drafts))
        lists += draft_lists(draft, folder, encoder, settings)
    for library, file in inputs.sentences:
        progress(f"asking {file.name}", None)
        lists += sentence_lists(library, file, folder, encoder, settings)
    return lists


def teaches(listed: Listed) -> bool:
    """Tells whether some candidates are right and some wrong."""
    return 0 < len(listed.right) < len(listed.papers)


def choose_order(
    network: CrossNetwork, reader: PairReader, lists: Sequence[Listed], progress: Progress
) -> dict[str, float]:
    """Returns ``order``, how much the scores of the order before count: the best of `FACTORS` times what was
    learned, by the mean reciprocal rank of right papers, 0 for those that are not among the candidates; of
    equal ones, the largest. Beside it ``mrr``, what that reaches, and ``before``, the order alone."""
    learned = float(network.log_order.detach().exp())
    ranks: dict[float, list[float]] = {factor: [] for factor in FACTORS}
    before: list[float] = []
    for done, listed in enumerate(lists):
        progress("choosing how much the order counts", done / len(lists))
        own = scores(network, reader.pairs(listed.query, listed.papers))
        missed = [0.0] * listed.missed
        before += [1 / (1 + position) for position in listed.right] + missed
        for factor, reciprocal in ranks.items():
            mixed = own + np.float32(factor * learned) * np.array(listed.scores, dtype=np.float32)
            place = np.argsort(np.argsort(-mixed, kind="stable"), kind="stable")
            reciprocal += [1 / (1 + int(place[position])) for position in listed.right] + missed
    means = {factor: float(np.mean(values)) if values else 0.0 for factor, values in ranks.items()}
    best = max(FACTORS, key=lambda factor: (means[factor], factor))
    mrr = {"mrr": means[best], "before": float(np.mean(before)) if before else 0.0}
    return {"order": round(best * learned, 5), **mrr}


def _files(inputs: CrossInputs) -> Iterator[Path]:
    yield inputs.manifest
    yield from (file for _, file in inputs.sentences)


def _some(reader: PairReader, lists: Sequence[Listed]) -> list[Pair]:
    """Pairs of all sources."""
    some = lists[:: max(1, len(lists) // _COMPARED)][:_COMPARED]
    pairs = [reader.pairs(listed.query, listed.papers[-1:]) for listed in some]
    return [pair for of_question in pairs for pair in of_question if pair[0] and pair[1]]


def _summary(facts: Mapping[str, Any], agreement: float) -> Iterator[str]:
    counts = facts["questions"]
    yield f"learned    {counts['learned']:,} questions"
    yield (
        f"validated  MRR {facts['mrr']:.4f} with {facts['order']:g} times the scores of the order, "
        f"{facts['before']:.4f} by the order alone, {counts['validated']:,} questions"
    )
    yield f"agreement  {agreement:.4f} correlation of the written network's scores with the trained one's"


class CrossLearner(Learner):
    """`network` is on its device. The loss of a question is the cross-entropy of one right paper among wrong
    ones of the first candidates, by the network's score and the ranking's, times a number that is learned,
    too: the network learns what the order lacks."""

    unit = "pairs"

    def __init__(
        self, network: CrossNetwork, reader: PairReader, lists: Sequence[Listed], settings: CrossSettings
    ) -> None:
        super().__init__(network, [_optimizer(network, settings)])
        self._cross, self._reader, self._lists, self._settings = network, reader, lists, settings
        self._rates = linear(1.0, settings.steps, settings.warm_up)
        self._full = [group["lr"] for group in self.optimizers[0].param_groups]
        self.units_a_step = settings.lists * (settings.negatives + 1)

    def prepare(self, step: int) -> None:
        """Sets the rates: parts of the network have their own."""
        for group, rate in zip(self.optimizers[0].param_groups, self._full, strict=True):
            group["lr"] = rate * self._rates(step)

    def loss(self, batch_number: int) -> Tensor:
        rng = random.Random(f"{self._settings.seed} {batch_number}")
        pairs: list[Pair] = []
        orders: list[Tensor] = []
        for listed in rng.choices(self._lists, k=self._settings.lists):
            chosen = _drawn(listed, self._settings, rng)
            pairs += self._reader.pairs(listed.query, [listed.papers[position] for position in chosen])
            orders.append(torch.tensor([listed.scores[position] for position in chosen]))
        device = self._cross.scales.device
        weight = self._cross.log_order.exp()
        predicted = self._cross(*(each.to(device) for each in batch(pairs)))
        parts = predicted.split([len(order) for order in orders])
        losses = [
            -torch.log_softmax(part + weight * order.to(device), dim=0)[0]
            for part, order in zip(parts, orders, strict=True)
        ]
        return torch.stack(losses).mean()


def _drawn(listed: Listed, settings: CrossSettings, rng: random.Random) -> list[int]:
    """Positions of one right candidate, and of wrong ones, most of them near the top."""
    wrong = [position for position in range(len(listed.papers)) if position not in listed.right]
    near, far = wrong[: settings.near], wrong[settings.near :]
    from_near = min(2 * settings.negatives // 3, len(near))
    from_far = min(settings.negatives - from_near, len(far))
    return [rng.choice(listed.right), *rng.sample(near, from_near), *rng.sample(far, from_far)]


def _optimizer(network: CrossNetwork, settings: CrossSettings) -> torch.optim.AdamW:
    """AdamW; matrices of the encoder decay, all else does not, and what is new learns faster."""
    added = network.added
    new = {id(parameter) for parameter in added}
    old = [each for each in network.parameters() if each.requires_grad and id(each) not in new]
    return torch.optim.AdamW(
        [
            {"params": [each for each in old if each.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [each for each in old if each.ndim <= 1], "weight_decay": 0.0},
            {
                "params": added,
                "weight_decay": 0.0,
                "lr": settings.learning_rate * settings.head_rate,
            },
        ],
        lr=settings.learning_rate,
    )
