"""Fine-tuning MP-BERT4CR: the objective of a batch, and the mean reciprocal rank of a validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy_lab.train.losses import multi_positive_triplet, triplet_margin
from citewhy_lab.train.reranking.data import Question
from citewhy_lab.train.reranking.learner import RerankingLearner
from citewhy_lab.train.reranking.validation import Scores
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.systems.mpbert4cr.data import Drawn, Example, History
from citewhy_lab.train.systems.mpbert4cr.network import MpBert
from citewhy_lab.train.systems.mpbert4cr.reading import Reader
from citewhy_lab.train.systems.mpbert4cr.scorer import Scorer
from citewhy_lab.train.systems.mpbert4cr.settings import Settings
from citewhy_lab.train.systems.mpbert4cr.texts import Sampling, Text

__all__ = ["MpBertLearner"]


class MpBertLearner(RerankingLearner):
    """`network` is on its device. Sentences, positives and negatives are drawn anew in each epoch."""

    unit = "citations"
    first_stage_weights = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)

    def __init__(
        self,
        network: MpBert,
        reader: Reader,
        graph: CitationGraph,
        examples: Sequence[Example],
        history: History,
        manuscripts: Callable[[Query], Text],
        paper: Callable[[int], Text],
        settings: Settings,
        questions: Sequence[Question],
        progress: Progress,
    ) -> None:
        """`paper` makes the text of a row of the `graph`."""
        super().__init__(network, graph, questions, progress)
        self.optimizers = [
            torch.optim.AdamW(
                network.parameters(), settings.learning_rate, (0.9, 0.98), weight_decay=settings.weight_decay
            )
        ]
        self._network, self._reader = network, reader
        self._device = network.manuscript.norm.weight.device
        self._examples, self._history = examples, history
        self._manuscript_of, self._paper_of = manuscripts, paper
        self._settings = settings
        self._manuscripts = Sampling(settings.sampled.manuscript, settings.dynamic, settings.seed)
        self._papers = Sampling(settings.sampled.body, settings.dynamic, settings.seed)
        self.units_a_step = min(settings.batch, len(examples))
        self.batches = -(-len(examples) // self.units_a_step)
        """Of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """The objective. Each cited paper is encoded once for all examples of the batch."""
        epoch, place = divmod(batch, self.batches)
        order = np.random.default_rng((self._settings.seed, epoch)).permutation(len(self._examples))
        size = self.units_a_step
        numbers = order[place * size : (place + 1) * size].tolist()
        chosen = [self._examples[each] for each in numbers]
        most = 0 if self._settings.objective == "triplet" else self._settings.positives
        drawn = [
            self._history.draw(each, most, self._settings.negatives, epoch, number)
            for each, number in zip(chosen, numbers, strict=True)
        ]
        used = sorted({each.target for each in chosen}.union(*(of.positives + of.negatives for of in drawn)))
        texts = [self._papers.draw(self._paper_of(row), epoch) for row in used]
        papers: Tensor = self._network.citation(*self._read(texts))
        manuscripts = [self._manuscripts.draw(self._manuscript_of(each.query), epoch) for each in chosen]
        sources: Tensor = self._network.manuscript(*self._read(manuscripts))
        at = {row: number for number, row in enumerate(used)}
        targets = papers[[at[each.target] for each in chosen]]
        negatives = papers[torch.tensor([[at[row] for row in of.negatives] for of in drawn])]
        if self._settings.objective == "triplet":
            near, to = (each[:, None].expand_as(negatives).flatten(0, 1) for each in (sources, targets))
            return triplet_margin(near, to, negatives.flatten(0, 1), self._settings.margin)
        places, present = _padded(drawn, at, max(most, 1))
        objective = self._settings.objective
        return multi_positive_triplet(
            objective, sources, targets, papers[places], present.to(self._device), negatives
        )

    def scorer(self) -> Scorer:
        """The network as it is now."""
        settings = self._settings
        return Scorer(self._network, self._reader, settings.sampled, settings.dynamic, settings.seed)

    def _read(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        sentences, there = self._reader.documents(texts)
        return sentences.to(self._device), there.to(self._device)

    def _scoring(self) -> Scores:
        scorer = self.scorer()

        def scores(question: Question) -> NDArray[np.float32]:
            papers = [self._paper_of(row) for row in question.found]
            return scorer.scores(self._manuscript_of(question.query), papers)

        return scores


def _padded(drawn: Sequence[Drawn], at: dict[int, int], most: int) -> tuple[Tensor, Tensor]:
    """[n, most] places of the positives among the encoded papers, and which of them there are."""
    places = torch.zeros(len(drawn), most, dtype=torch.long)
    present = torch.zeros(len(drawn), most, dtype=torch.bool)
    for row, of in enumerate(drawn):
        for column, each in enumerate(of.positives):
            places[row, column], present[row, column] = at[each], True
    return places, present
