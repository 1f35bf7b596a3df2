"""A trained TEXTBIB network in use: its model folder (`train.reranking.folder`), the scores of a query's
candidates, in validation too, and the `Reranker`.

The states of a candidate's words do not depend on the query and are most of the work. Those of recent papers
are cached in memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.records import Paper, Query, Reason
from citewhy.models import ModelFolder, read_model
from citewhy.ranking.rank.chosen_weights import chosen_weights
from citewhy.ranking.rank.reranker import ChosenWeight, RerankRequest
from citewhy.text.counted import counted
from citewhy_lab.train.reranking.folder import (
    NetworkReranker,
    read_network,
    read_vocabulary,
    save_network,
)
from citewhy_lab.train.reranking.words import padded, tokens
from citewhy_lab.train.systems.textbib.network import (
    Candidates,
    Ragged,
    Reader,
    Scores,
    TextBib,
    counts,
)
from citewhy_lab.train.systems.textbib.settings import VARIANTS, TextBibShape

DEPTH = 1000
"""The number of candidates that are reranked, as many as in training."""

_WORDS_SHOWN = 5

States = NDArray[np.float16]
"""[tokens, H] of one paper."""

_KEPT = 512 << 20
"""Bytes of the cache."""

_AT_ONCE = 256
"""Papers in a batch."""

_TOKENS_AT_ONCE = 4096
"""Tokens of candidates whose attention is computed together: few enough for what is computed of them to stay
in a processor's cache, which makes it three times as fast as a thousand candidates at once."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The embeddings of a query's context: z_c, and z_c + z_ca."""

    plain: Tensor
    enhanced: Tensor


class Scorer:
    """Not to be shared between threads."""

    def __init__(self, network: TextBib, reader: Reader) -> None:
        self._network = network.eval()
        self._device = network.encoder.embedding.weight.device
        self._reader = reader
        self._kept: OrderedDict[Paper, States] = OrderedDict()
        self._bytes = 0

    def scores(self, query: Query, papers: Sequence[Paper], cited_in: Sequence[NDArray[np.int16]]) -> Scores:
        """Scores n ≥ 1 candidates `papers`, each with the years of the papers that cite it. The result is on
        the CPU."""
        with torch.inference_mode():
            return self._scores(query, papers, cited_in).to(torch.device("cpu"))

    def _scores(self, query: Query, papers: Sequence[Paper], cited_in: Sequence[NDArray[np.int16]]) -> Scores:
        asked, shape = self._ask(query), self._network.shape
        states = self._states(papers)
        people = (
            [self._reader.people(paper) for paper in papers] if shape.bibliographic else [[0]] * len(papers)
        )
        authors = torch.from_numpy(padded(people))
        cited = torch.from_numpy(counts(cited_in, query.year, shape.recent))
        parts = []
        for some in _blocks([len(one) for one in states]):
            candidates = Candidates(
                tokens=_ragged(states[some]),
                authors=authors[some],
                context=torch.zeros(len(states[some]), dtype=torch.long),
                paper=torch.arange(len(states[some])),
                cited=cited[some],
            ).to(self._device)
            parts.append(self._network.score(asked.plain, asked.enhanced, candidates.tokens, candidates))
        return Scores.joined(parts)

    def weighed(self, query: Query, paper: Paper, most: int) -> list[str]:
        """Returns the `most` words of `paper` with the highest attention weights for `query`, highest
        first."""
        shape = self._network.shape
        words = tokens(f"{paper.title} {paper.abstract}", shape.function_words)[: shape.paper_tokens]
        if not words:
            return []
        with torch.inference_mode():
            ragged = _ragged(self._states([paper])).to(self._device)
            _, weights = self._network.attention(self._ask(query).enhanced, ragged)
        together: dict[str, float] = {}
        for word, weight in zip(words, weights.tolist(), strict=True):
            together[word] = together.get(word, 0.0) + weight
        return sorted(together, key=lambda word: -together[word])[:most]

    def read(self, papers: Sequence[Paper]) -> list[States]:
        """Computes the states of every paper."""
        states_of_papers: list[States] = []
        for first in range(0, len(papers), _AT_ONCE):
            texts = Ragged.of([self._reader.paper(paper) for paper in papers[first : first + _AT_ONCE]])
            with torch.inference_mode():
                read = self._network.encoder(texts.to(self._device)).values
            states = read.cpu().half().numpy()
            states_of_papers += np.split(states, np.cumsum(texts.lengths.numpy())[:-1])
        return states_of_papers

    def _ask(self, query: Query) -> _Asked:
        numbers = self._reader.context(query.text)
        states = self._network.encoder(Ragged.of([numbers]).to(self._device))
        targets = torch.tensor(self._reader.target(numbers), device=self._device)
        citing = None
        if self._network.shape.enhanced:
            citing = self._network.encoder(Ragged.of([self._reader.citing(query)]).to(self._device))
        return _Asked(*self._network.context(states, targets, citing))

    def _states(self, papers: Sequence[Paper]) -> list[States]:
        """Finds states in the cache, or computes them."""
        known = [self._find(paper) for paper in papers]
        missing = [position for position, states in enumerate(known) if states is None]
        for position, states in zip(
            missing, self.read([papers[position] for position in missing]), strict=True
        ):
            known[position] = states
            self._keep(papers[position], states)
        return [states for states in known if states is not None]

    def _find(self, paper: Paper) -> States | None:
        if paper in self._kept:
            self._kept.move_to_end(paper)
            return self._kept[paper]
        return None

    def _keep(self, paper: Paper, states: States) -> None:
        self._kept[paper] = states.copy()  # a view would keep all that was read with it
        self._bytes += states.nbytes
        while self._bytes > _KEPT:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes


def _ragged(states: Sequence[States]) -> Ragged:
    # torch converts half precision with vector instructions, NumPy number by number.
    values = torch.from_numpy(np.concatenate(states)).float()
    return Ragged(values, torch.tensor([len(one) for one in states]))


def _blocks(lengths: Sequence[int]) -> list[slice]:
    """Returns slices of texts of these `lengths`, each of about `_TOKENS_AT_ONCE` tokens."""
    numbers = (np.cumsum(lengths) - 1) // _TOKENS_AT_ONCE
    ends = [*(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(lengths)]
    return [slice(first, last) for first, last in zip([0, *ends[:-1]], ends, strict=True)]


class TextBibReranker(NetworkReranker):
    """A trained network, for citing sentences."""

    depth = DEPTH

    def __init__(self, scorer: Scorer, name: str, chosen_weights: Sequence[ChosenWeight], path: Path) -> None:
        super().__init__(name, chosen_weights, path)
        self._scorer = scorer

    def _scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] in [-1, 1], for variants whose scores are added in [-2, 2]."""
        parts = self._scorer.scores(request.query, request.papers, request.citing_years)
        scores: NDArray[np.float32] = parts.final.numpy()
        return scores

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """Says what the attention rests on, and what authors and citations added; with their shares of the
        network's score."""
        query, paper, years = request.query, request.papers[place], request.citing_years[place]
        with self._lock:
            scores = self._scorer.scores(query, [paper], [years])
            weighed = self._scorer.weighed(query, paper, _WORDS_SHOWN)
        text, bibliographic = scores.shares[0].tolist()
        total = text + bibliographic
        words = ", ".join(f"“{word}”" for word in weighed)
        weighted = f"the text module gave most weight to {words or 'the title'}"
        near = f"{weighted}: cosine {float(scores.text[0]):.2f}"
        reasons = [Reason("text", near, round(text / total, 3))]
        if bibliographic:
            times = counted(len(years), "citation")
            known = f"authors and {times} speak {_for(float(scores.bibliographic[0]))} it"
            reasons.append(Reason("bibliography", known, round(bibliographic / total, 3)))
        return tuple(sorted(reasons, key=lambda reason: -reason.weight))


def _for(score: float) -> str:
    return "for" if score > 0 else "against"


# The model folder ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A network that was read from a model folder."""

    network: TextBib
    reader: Reader
    chosen_weights: tuple[ChosenWeight, ...]
    """The weights that validation chose: over the order that it was trained on, and over others."""


def save(out: Path, network: TextBib, reader: Reader, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. Raises StorageError."""
    names = {"words": reader.words.names, "authors": reader.authors.names}
    save_network(out, network, names, "textbib", network.shape.variant, network.shape, facts)


def open_textbib(folder: ModelFolder) -> TextBibReranker:
    """Returns the reranker in a model folder. Raises DamagedError for files that do not hold a network, its
    words and its authors."""
    opened = read(folder)
    scorer = Scorer(opened.network, opened.reader)
    return TextBibReranker(scorer, folder.name, opened.chosen_weights, folder.path)


def load(folder: Path) -> Opened:
    """Returns the network in a model folder. Raises as `models.open_model`."""
    return read(read_model(folder, "reranker"))


def read(folder: ModelFolder) -> Opened:
    """Reads a network. Raises DamagedError for files that do not hold a network, its words and its
    authors."""

    def make(reader: Reader) -> TextBib:
        return TextBib(len(reader.words), len(reader.authors), reader.shape)

    return Opened(*read_network(folder, _reader, make), chosen_weights(folder))


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    shape = TextBibShape(**folder.fact("shape", dict))
    sizes = [value for name, value in asdict(shape).items() if name not in ("variant", "function_words")]
    known = shape.variant in VARIANTS and type(shape.function_words) is bool
    if not known or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError(f"the shape is {asdict(shape)}")
    words, authors = read_vocabulary(folder, "words", "authors")
    return Reader(words, authors, shape)
