"""A trained TEXTBIB network in use: its model folder (`train.reranking.folder`), the scores of a query's
candidates, in validation too, and the `Reranker`.

The states of a candidate's words do not depend on the query and are most of the work. Those of recent papers
are cached in memory, and those of a whole library can be kept in a folder (`keep_states`).

The LSTM states of a library's papers, stored in a folder: the part of TEXTBIB's work that is independent
of the query.

    states.npy   [N, H] half precision, memory-mapped: only what is needed is read from disk
    starts.npy   [P + 1] where each paper's states begin
    texts.npy    [P] hashes of the papers' texts, ascending: a paper whose text changed is not found

A folder takes 2 · H bytes for each word; `keep_states` returns the total.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.artifact import folder_aside, read_manifest, write_manifest
from citewhy.base.errors import InputError
from citewhy.base.records import Paper, Query, Reason
from citewhy.models import ModelFolder, read_model
from citewhy.ranking.rank.reranker import ChosenWeight, RerankRequest
from citewhy.text.counted import counted
from citewhy_lab.train.reranking.folder import (
    NetworkReranker,
    chosen_weights,
    fingerprint,
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


class StoredStates(Protocol):
    """States of papers that were kept."""

    def find(self, paper: Paper) -> States | None:
        """None for a paper that is not stored, or whose text has changed since."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The embeddings of a query's context: z_c, and z_c + z_ca."""

    plain: Tensor
    enhanced: Tensor


class Scorer:
    """Not to be shared between threads."""

    def __init__(self, network: TextBib, reader: Reader, stored: StoredStates | None = None) -> None:
        self._network = network.eval()
        self._device = network.encoder.embedding.weight.device
        self._reader = reader
        self._stored = stored
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
        """The `most` words of `paper` with the highest attention weights for `query`, highest first."""
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
        """Finds states in the cache or in the folder, or computes them."""
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
        return None if self._stored is None else self._stored.find(paper)

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
    """Slices of texts of these `lengths`, each of about `_TOKENS_AT_ONCE` tokens."""
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
    fingerprint: str
    """Identifies the weights: states that were kept for others are not for these."""
    chosen_weights: tuple[ChosenWeight, ...]
    """The weights that validation chose: over the order that it was trained on, and over others."""


def save(out: Path, network: TextBib, reader: Reader, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. Raises StorageError."""
    names = {"words": reader.words.names, "authors": reader.authors.names}
    save_network(out, network, names, "textbib", network.shape.variant, network.shape, facts)


def open_textbib(folder: ModelFolder, stored: StoredStates | None = None) -> TextBibReranker:
    """The reranker in a model folder, with kept states of papers if there are any. Raises DamagedError for
    files that do not hold a network, its words and its authors."""
    opened = read(folder)
    scorer = Scorer(opened.network, opened.reader, stored)
    return TextBibReranker(scorer, folder.name, opened.chosen_weights, folder.path)


def load(folder: Path) -> Opened:
    """The network in a model folder. Raises as `models.open_model`."""
    return read(read_model(folder, "reranker"))


def read(folder: ModelFolder) -> Opened:
    """Reads a network. Raises DamagedError for files that do not hold a network, its words and its
    authors."""

    def make(reader: Reader) -> TextBib:
        return TextBib(len(reader.words), len(reader.authors), reader.shape)

    return Opened(*read_network(folder, _reader, make), fingerprint(folder), chosen_weights(folder))


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    shape = TextBibShape(**folder.fact("shape", dict))
    sizes = [value for name, value in asdict(shape).items() if name not in ("variant", "function_words")]
    known = shape.variant in VARIANTS and type(shape.function_words) is bool
    if not known or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError(f"the shape is {asdict(shape)}")
    words, authors = read_vocabulary(folder, "words", "authors")
    return Reader(words, authors, shape)


# States of a library, on disk ----------------------------------------------------------------------------


_READ_AT_ONCE = 2048
"""Papers in memory while their states are written."""


def keep_states(
    opened: Opened, papers: Sequence[Paper], folder: Path, progress: Callable[[int, int], None] | None = None
) -> int:
    """Encodes every paper, writes the folder, and returns its size in bytes. Raises StorageError."""
    hashes, first = np.unique(
        np.array([_text_hash(paper) for paper in papers], dtype=np.int64), return_index=True
    )
    lengths = np.array([len(opened.reader.paper(papers[position])) for position in first], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    scorer = Scorer(opened.network, opened.reader)
    with folder_aside(folder) as aside:
        shape = (int(starts[-1]), 2 * opened.reader.shape.state)
        states = np.lib.format.open_memmap(aside / "states.npy", mode="w+", dtype=np.float16, shape=shape)
        for begin in range(0, len(first), _READ_AT_ONCE):
            part = [papers[position] for position in first[begin : begin + _READ_AT_ONCE]]
            read = np.concatenate(scorer.read(part))
            states[starts[begin] : starts[begin] + len(read)] = read
            if progress is not None:
                progress(min(begin + _READ_AT_ONCE, len(first)), len(first))
        states.flush()
        del states
        np.save(aside / "starts.npy", starts, allow_pickle=False)
        np.save(aside / "texts.npy", hashes, allow_pickle=False)
        write_manifest(aside, {"kind": "textbib-states", "model": opened.fingerprint, "papers": len(first)})
    return sum(file.stat().st_size for file in folder.iterdir())


class PaperStates:
    """Opens such a folder for a model. Raises InputError where it was made by another one, DamagedError."""

    def __init__(self, folder: Path, opened: Opened) -> None:
        facts = read_manifest(folder, verify=False)  # sizes are checked; a gigabyte is not read to open it
        if facts.get("model") != opened.fingerprint:
            raise InputError(
                "these states were made by another model", path=folder, hint="make them again for this one"
            )
        self._states: NDArray[np.float16] = np.load(folder / "states.npy", mmap_mode="r", allow_pickle=False)
        self._starts: NDArray[np.int64] = np.load(folder / "starts.npy", allow_pickle=False)
        self._texts: NDArray[np.int64] = np.load(folder / "texts.npy", allow_pickle=False)

    def find(self, paper: Paper) -> States | None:
        """None for a paper that is not there, or whose text was another one."""
        wanted = _text_hash(paper)
        position = int(np.searchsorted(self._texts, wanted))
        if position == len(self._texts) or self._texts[position] != wanted:
            return None
        return self._states[self._starts[position] : self._starts[position + 1]]


def _text_hash(paper: Paper) -> int:
    text = f"{paper.title}\n{paper.abstract}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
