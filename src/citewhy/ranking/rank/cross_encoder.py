"""Cross-encoders: networks that read a sentence and a candidate together. The reader ``cross-encoder`` of the
kind ``reranker``; `citewhy train crossencoder` makes its folders.

    model.onnx        token ids, blocks and positions [n, t] in, scores [n] out
    tokenizer.json    of the `tokenizers` library, with the tokens [CLS], [SEP] and [MASK]
    manifest.json     facts: `depth`, how many candidates are read; `tokens`, how many are read at most of the
                      ``sentence``, of the ``paper``, and of the sentence in which the draft cites the paper
                      elsewhere (``citing``; 0: it is not read); `order`, how much the scores of the order
                      before count beside the network's (0, where it is not there)

A pair consists of two or three blocks: the sentence (0), the paper (1), the citing sentence (2). The network
may use the blocks to let them see each other in its last layers alone. Pairs are run one at a time, one on
each core: alone, a pair has the same score whatever else is read (`search.encode.onnx` says why).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import DamagedError, ModelError
from citewhy.base.records import DraftEvidence, Paper, Query, QueryKind, Reason
from citewhy.models import ModelFolder, Shapes, write_model
from citewhy.models.networks import Network, on_cores, tokens
from citewhy.models.numbers import bounded
from citewhy.ranking.rank.chosen_weights import chosen_weights
from citewhy.ranking.rank.reranker import Need, RerankRequest
from citewhy.text.sentences import split
from citewhy.text.tokens import stems

READER = "cross-encoder"

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
"""The files of the folder."""

INPUTS, OUTPUT = ("input_ids", "blocks", "positions"), "scores"
"""What the network is given, each [n, t], and what it returns."""

_TOKENS = range(513)
"""Range of the number of tokens that are read of a text."""

_TITLE = 0.5
"""Largest share of a paper's tokens that its title takes."""

_BEFORE = 0.75
"""Share of the tokens of a long sentence that are read before its citation."""

_LONGEST = 4000
"""Characters that are read of a text; more than `_TOKENS` have."""

_KEPT = 4096
"""Abstracts whose sentences are kept."""

_MARKERS = re.compile(r"\b(?:TARGETCIT|OTHERCIT)\b")

Block = tuple[int, ...]
"""Token ids of one text, with the marks of its start and end; empty if there is no such text."""

Pair = tuple[Block, Block, Block]
"""Sentence, paper, citing sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many tokens are read of each text at most, marks included; 0: it is not read."""

    sentence: int = 46
    paper: int = 58
    citing: int = 38


class PairReader:
    """Makes the token ids of pairs of a question and a paper, in training and in use:

        [CLS] sentence, with [MASK] where it cites [SEP] title of its own paper [SEP]
        [CLS] title [SEP] part of the abstract [SEP]
        [CLS] sentence of the draft that cites the paper elsewhere [SEP]

    Of a long sentence, what is around the citation is read; the title of its own paper follows a short one.
    Of an abstract, the part that shares most words with the sentence is read. Safe for use by several
    threads.
    """

    def __init__(self, tokenizer: bytes, limits: Limits, path: Path) -> None:
        """`tokenizer`: JSON of the `tokenizers` library; `path`: the folder, for error messages. Raises
        DamagedError for a tokenizer without the marks, and what `tokenizers` raises."""
        import tokenizers

        self._limits, self._path = limits, path
        self._tokenizer: Any = tokenizers.Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        marks: dict[str, Any] = {
            name: self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]", "[MASK]")
        }
        if missing := [name for name, number in marks.items() if number is None]:
            raise DamagedError(f"the tokenizer lacks {', '.join(missing)}", path=path / TOKENIZER)
        self._start, self._end, self._place = marks.values()

    @property
    def words(self) -> int:
        """Number of tokens that the tokenizer knows."""
        return int(self._tokenizer.get_vocab_size())

    def pairs(self, query: Query, papers: Sequence[Paper]) -> list[Pair]:
        """[n] a pair for each paper. Raises ModelError if the tokenizer cannot split a text."""
        sought = frozenset(stems(query.text))
        elsewhere = citing_sentences(query.draft, sought) if self._limits.citing else {}
        sentence = self._marked(self._sentence(query))
        return [
            (
                sentence,
                self._marked(self._paper(paper, sought)),
                self._marked(self._text(elsewhere.get(paper.id, ""))[: max(self._limits.citing - 2, 0)]),
            )
            for paper in papers
        ]

    def _sentence(self, query: Query) -> list[int]:
        most = self._limits.sentence - 2
        shown = _MARKERS.sub(lambda found: " [MASK] " if found[0] == "TARGETCIT" else " ", query.text)
        sentence = self._text(shown)
        if len(sentence) > most:
            place = sentence.index(self._place) if self._place in sentence else len(sentence)
            first = max(0, min(place - int(most * _BEFORE), len(sentence) - most))
            return sentence[first : first + most]
        return self._joined(sentence, self._text(query.title), most)

    def _paper(self, paper: Paper, sought: Collection[str]) -> list[int]:
        most = self._limits.paper - 2
        title = self._text(paper.title)[: max(int(most * _TITLE), 1)]
        return self._joined(title, self._text(abstract_part(paper.abstract, sought, most)), most)

    def _joined(self, ids: list[int], following: list[int], most: int) -> list[int]:
        """The ids, and what follows as far as there is room for more than a word or two."""
        left = most - len(ids) - 1
        return [*ids, self._end, *following[:left]] if following and left > 2 else ids

    def _text(self, text: str) -> list[int]:
        """Token ids without the marks that the tokenizer adds at the ends."""
        whole = text[:_LONGEST].encode("utf-8", "replace").decode()
        (ids,) = tokens(self._tokenizer, [" ".join(_MARKERS.sub(" ", whole).split())], self._path)
        return [number for number in ids if number not in (self._start, self._end)]

    def _marked(self, ids: list[int]) -> Block:
        return (self._start, *ids, self._end) if ids else ()


def citing_sentences(draft: DraftEvidence | None, sought: Collection[str]) -> dict[str, str]:
    """Returns, for each paper that the draft cites elsewhere, the sentence of these citations that shares
    most of the stems `sought`; of equal ones, the first."""
    best: dict[str, tuple[int, str]] = {}
    for citation in () if draft is None else draft.citations:
        shared = len(frozenset(stems(citation.text)).intersection(sought))
        for paper_id in citation.paper_ids:
            if paper_id not in best or shared > best[paper_id][0]:
                best[paper_id] = shared, citation.text
    return {paper_id: text for paper_id, (_, text) in best.items()}


def abstract_part(abstract: str, sought: Collection[str], words: int) -> str:
    """Returns the sentence of an abstract that shares most of the stems `sought`, and what follows it,
    `words` at most; empty without an abstract."""
    sentences = _sentences(abstract)
    if not sentences:
        return ""
    shared = [len(terms.intersection(sought)) for _, terms in sentences]
    chosen = sentences[shared.index(max(shared)) :]
    return " ".join(" ".join(sentence for sentence, _ in chosen).split()[:words])


@functools.lru_cache(maxsize=_KEPT)
def _sentences(abstract: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of an abstract, each with its stems; kept, since a place asks for the papers of the one
    before."""
    whole = split(abstract) if abstract.strip() else []
    return tuple((sentence, frozenset(stems(sentence))) for sentence in whole)


def inputs_of(pair: Pair) -> dict[str, NDArray[np.int64]]:
    """The network's inputs [1, t] for one pair, by their names."""
    rows = [(token, number, at) for number, block in enumerate(pair) for at, token in enumerate(block)]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return {name: table[None, :, column] for column, name in enumerate(INPUTS)}


class CrossEncoder:
    """Opens `folder`. Safe for use by several threads.

    Raises DamagedError if the folder does not contain a network of this form and a tokenizer for it.
    """

    kinds: frozenset[QueryKind] = frozenset({"local"})
    needs: frozenset[Need] = frozenset()

    def __init__(self, folder: ModelFolder) -> None:
        self.name = folder.name
        self.depth = folder.fact("depth", int)
        self.chosen_weights = chosen_weights(folder)
        self._order = _order(folder)
        self.first_stage_weight = self.chosen_weights[0].weight if self.chosen_weights else 0.0
        self._limits = _limits(folder)
        if self.depth < 1:
            raise DamagedError(f"the depth is {self.depth}, expected 1 or more", path=folder.path)
        self.pair_reader = PairReader(folder.read(TOKENIZER), self._limits, folder.path)
        self._path = folder.path / MODEL
        self._network = Network(folder.read(MODEL), self._path)
        _check_shapes(folder, self._network)
        self._probe()

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] scores by the network, 0 for every candidate of a query without words, plus `order` times those
        of the order before. Raises ModelError if the tokenizer or the network fails, or a score is not
        finite."""
        scores = self._read(request)
        if len(request.scores):
            scores += np.float32(self._order) * np.asarray(request.scores, dtype=np.float32)
        return scores

    def _read(self, request: RerankRequest) -> NDArray[np.float32]:
        scores = np.zeros(len(request.papers), dtype=np.float32)
        pairs = self.pair_reader.pairs(request.query, request.papers)

        def put(position: int) -> None:
            scores[position] = self.score(pairs[position])

        on_cores(put, [position for position, pair in enumerate(pairs) if pair[0]])
        return scores

    def reasons(self, request: RerankRequest, position: int) -> tuple[Reason, ...]:
        """One reason, whose weight is the score by the network."""
        (score,) = self._read(request.only(position)).tolist()
        paper = request.papers[position]
        read = "its title and abstract" if paper.abstract.strip() else "its title"
        return (Reason("text", f"the sentence and {read}, read together, score {score:.2f}", score),)

    def score(self, pair: Pair) -> float:
        """The score of one pair. Raises as `scores`."""
        answer = self._network(inputs_of(pair))
        if answer.shape != (1,):
            raise ModelError(f"the network returns {answer.shape}, expected one score", path=self._path)
        return float(answer[0])

    def _probe(self) -> None:
        """Runs the longest pair, which has the last token of the vocabulary."""
        last = self.pair_reader.words - 1
        limits = self._limits
        longest = tuple((last,) * most for most in (limits.sentence, limits.paper, limits.citing))
        try:
            self.score((longest[0], longest[1], longest[2]))
        except ModelError as error:
            raise DamagedError(error.problem, path=error.path, hint=error.hint) from error


def describe_cross_encoder(
    folder: Path, name: str, depth: int, limits: Limits, facts: Mapping[str, Any]
) -> None:
    """Writes the manifest of a cross-encoder whose network and tokenizer are in `folder`. Raises DamagedError
    for a network that cannot be loaded."""
    network = Network((folder / MODEL).read_bytes(), folder / MODEL)
    tokens_read = {field.name: getattr(limits, field.name) for field in fields(Limits)}
    needed = {"depth": depth, "tokens": tokens_read}
    write_model(
        folder,
        "reranker",
        READER,
        name,
        {**facts, **needed},
        {MODEL: {**network.inputs, **network.outputs}},
    )


def _limits(folder: ModelFolder) -> Limits:
    told = folder.fact("tokens", dict)
    names = [field.name for field in fields(Limits)]
    valid = told.keys() == set(names) and all(
        type(told[name]) is int and told[name] in _TOKENS for name in names
    )
    if not valid or min(told["sentence"], told["paper"]) < 4:
        raise DamagedError(
            f"the fact 'tokens' is {told!r}, expected numbers of tokens for {', '.join(names)}, each up to "
            f"{_TOKENS[-1]}, and 4 or more for the first two",
            path=folder.path,
        )
    return Limits(**told)


def _order(folder: ModelFolder) -> float:
    order = folder.facts.get("order", 0.0)
    if not isinstance(order, float | int) or not bounded(order) or order < 0:
        raise DamagedError(f"the fact 'order' is {order!r}, expected a number from 0 up", path=folder.path)
    return float(order)


def _check_shapes(folder: ModelFolder, network: Network) -> None:
    """Raises DamagedError for a network with other inputs and outputs, or other than the manifest
    describes."""
    given, returned = network.inputs, network.outputs
    told = folder.shapes(MODEL)
    valid = set(given) == set(INPUTS) and all(len(shape) == 2 for shape in given.values())
    if not valid or list(returned) != [OUTPUT] or len(returned[OUTPUT]) != 1:
        expected = f"{', '.join(INPUTS)} [n, t] and {OUTPUT} [n]"
    elif told != {**given, **returned}:
        expected = f"what the manifest says, {_listed(told)}"
    else:
        return
    raise DamagedError(
        f"the network's inputs and outputs are {_listed({**given, **returned})}, expected {expected}",
        path=folder.path / MODEL,
    )


def _listed(shapes: Shapes) -> str:
    return ", ".join(f"{name} [{', '.join(map(str, shape))}]" for name, shape in shapes.items()) or "none"
