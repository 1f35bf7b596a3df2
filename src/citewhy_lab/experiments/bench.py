"""A data set as a library, its contexts as queries, and first stages: the basis of the experiments on local
citation recommendation.

First stages find candidates by words or by meaning. Medić (2023, section 5.1): the query consists of the
title of the citing paper and the context, its abstract, or both in either order.

All rules of honest ranking hold (`search/rules.py`): a candidate is not newer than the context and is not its
citing paper; citations count from the year after their own.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside
from citewhy.base.config import cache_folder
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress, encoding
from citewhy.base.records import Context, Query
from citewhy.papers.library.opening import FILE_NAME
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.encode.texts import query_text
from citewhy.search.index import Index, View, open_index
from citewhy.search.index.fields import BM25
from citewhy.search.rules import QueryRows, Rules
from citewhy.text.tokens import stems
from citewhy_lab.evaluate.datasets.local import topic
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.train.data_set import DataSet, open_data_set


@dataclass(frozen=True, slots=True)
class ContextQuestion:
    """A context as a query, and the rows of the relevant papers; one that is not in the library has row -1:
    it counts as missed by every ranker."""

    query: Query
    rows: QueryRows
    answers: tuple[int, ...]


class Bench:
    """A data set in an opened library."""

    def __init__(self, data: DataSet, library: Library) -> None:
        self.data = data
        self.library = library
        self.index: Index = open_index(library)

    def encode(self, encoder: Encoder, progress: Progress) -> None:
        """Gives the index vectors of this encoder only."""
        if self.index.encoder != encoder.fingerprint:
            self.index = open_index(self.library, encoder, encoding(progress))

    def questions(self, contexts: Sequence[Context]) -> list[ContextQuestion]:
        """Makes one query for each context, in order."""
        canonical = (self.library.canonical(context.citing_id) for context in contexts)
        citing = self.library.papers({paper_id for paper_id in canonical if paper_id})
        topics = [topic(context, self.library, citing) for context in contexts]
        numbers = self.library.numbers(
            {paper for asked in topics for paper in (asked.query.citing_id, *asked.relevant)}
        )
        return [
            ContextQuestion(
                asked.query,
                self.rows(asked.query),
                tuple(dict.fromkeys(numbers.get(paper, -1) for paper in asked.relevant)),
            )
            for asked in topics
        ]

    def rows(self, query: Query) -> QueryRows:
        """Returns the row of the citing paper."""
        return QueryRows(self.library.numbers([query.citing_id]).get(query.citing_id, -1))

    def view(self, query: Query, rows: QueryRows) -> View:
        """Returns the index as of the query."""
        return self.index.view(Rules().scope(query, rows))

    @cached_property
    def pool(self) -> int:
        """Number of papers."""
        return len(self.index.papers())


def sample(contexts: Sequence[Context], most: int | None, seed: int) -> list[Context]:
    """Draws at most the given number of contexts, and keeps their order; None: all of them."""
    if most is None or most >= len(contexts):
        return list(contexts)
    chosen = sorted(random.Random(seed).sample(range(len(contexts)), most))
    return [contexts[number] for number in chosen]


@contextmanager
def open_bench(files: Sequence[Path], progress: Progress) -> Iterator[Bench]:
    """Reads the folder of a data set, and opens its library, which is created in the user's cache the first
    time.

    Raises InputError for anything but one folder.
    """
    if len(files) != 1 or not files[0].is_dir():
        raise InputError(
            "expected one folder of a data set", path=files[0], hint="docs/local.md says what it holds"
        )
    progress(f"reading {files[0].name}", None)
    data = open_data_set(files[0])
    folder = cache_folder() / f"local-{data.name}-{_digest(data.files)}"
    if not (folder / FILE_NAME).exists():
        progress("building the library", None)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder_aside(folder) as aside, Library.open(aside, create=True) as library:
            # Test contexts are not evidence, whoever wrote them.
            library.add([*data.papers, *data.aliases, *data.citations, *data.train])
    with Library.open(folder) as library:
        progress("opening the index", None)
        yield Bench(data, library)


def _digest(files: Sequence[Path]) -> str:
    facts = [file_facts(path)["sha256"] for path in files]
    return hashlib.blake2b("".join(facts).encode(), digest_size=6).hexdigest()


# First stages ---------------------------------------------------------------------------------------------

Form = Literal["context", "abstract", "context + abstract", "abstract + context"]

FORMS: tuple[Form, ...] = get_args(Form)

CHOSEN_AT = 1000
"""Number of candidates for a reranker: parameters are chosen by recall at this depth."""

K1 = (0.5, 1.2, 1.5, 2.5, 4.0, 8.0)
B = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The grid of the source, k1 in .5, 1.5, 2.5 and b in .25, .5, .75, extended."""

Ranks = tuple[float, ...]
"""For each relevant paper its rank, from 1; infinite if it is not in the ranking."""


def asked_text(query: Query, form: Form) -> Query:
    """Returns the query as a title with a second text, stored as its abstract; an encoder reads them in this
    order."""
    parts = {"context": query.text, "abstract": query.abstract}
    second = " ".join(filter(None, (parts[name] for name in form.split(" + "))))
    for marker in ("TARGETCIT", "OTHERCIT"):
        second = second.replace(marker, " ")
    return replace(query, kind="global", text="", abstract=" ".join(second.split()))


class Stage(Protocol):
    """Ranks all papers that may be cited."""

    @property
    def name(self) -> str: ...

    def best(self, query: Query, rows: QueryRows, depth: int) -> NDArray[np.int64]:
        """Returns at most `depth` rows, best first, ties in order of paper id."""
        ...


class Words:
    """BM25 over title and abstract, with the library's own index."""

    def __init__(self, bench: Bench, bm25: BM25, form: Form) -> None:
        self._bench = bench
        self.bm25 = bm25
        self.form = form
        self.name = "BM25"

    def best(self, query: Query, rows: QueryRows, depth: int) -> NDArray[np.int64]:
        """Returns papers with a word of the query."""
        view = self._bench.view(query, rows)
        return view.search("text", _terms(query, self.form), self.bm25, depth).rows


class Meaning:
    """Nearest papers among the vectors of an encoder, which the index of `bench` has."""

    def __init__(self, bench: Bench, encoder: Encoder, form: Form) -> None:
        self._bench = bench
        self._encoder = encoder
        self.form = form
        self.name = "dense"

    def best(self, query: Query, rows: QueryRows, depth: int) -> NDArray[np.int64]:
        """Asks with title and texts together, which the encoder cuts to the length that it reads of a
        paper."""
        vector = self._encoder.encode([query_text(asked_text(query, self.form))], "paper")[0]
        return self._bench.view(query, rows).nearest(vector, depth).rows


def grid(
    bench: Bench, questions: Sequence[ContextQuestion], forms: Sequence[Form], progress: Progress
) -> dict[tuple[Form, BM25], float]:
    """Computes R@`CHOSEN_AT` of BM25 for every input and every setting of `K1` and `B`, in order."""
    settings = [BM25(k1, b) for b, k1 in itertools.product(B, K1)]
    recalls: dict[tuple[Form, BM25], float] = {}
    for form in forms:
        answers: list[list[Ranks]] = []
        for done, question in enumerate(questions, start=1):
            answers.append(word_ranks(bench, question, form, settings))
            progress(f"BM25, {form}: {done:,} of {len(questions):,} contexts", done / len(questions))
        for number, setting in enumerate(settings):
            recalls[form, setting] = recall([ranks[number] for ranks in answers], CHOSEN_AT)
    return recalls


def recall(ranks_of_questions: Iterable[Ranks], depth: int) -> float:
    """Computes the share of relevant papers among the first `depth`; each counts once. Raises ValueError if
    there are none."""
    ranks = [rank for of_question in ranks_of_questions for rank in of_question]
    if not ranks:
        raise ValueError("there are no relevant papers")
    return sum(rank <= depth for rank in ranks) / len(ranks)


def ranks_of_answers(stage: Stage, questions: Sequence[ContextQuestion], depth: int) -> list[Ranks]:
    """Asks a first stage for the ranks of the relevant papers of each query, infinite below `depth`."""
    return [_ranks(stage.best(question.query, question.rows, depth), question) for question in questions]


def _ranks(best: NDArray[np.int64], question: ContextQuestion) -> Ranks:
    rank = {row: float(number) for number, row in enumerate(best.tolist(), start=1)}
    return tuple(rank.get(row, float("inf")) for row in question.answers)


def word_ranks(bench: Bench, question: ContextQuestion, form: Form, settings: Sequence[BM25]) -> list[Ranks]:
    """Does as `ranks_of_answers` with `Words` with each of the settings, at depth `CHOSEN_AT`; words are
    looked up once for all settings."""
    terms, view = _terms(question.query, form), bench.view(question.query, question.rows)
    return [_ranks(view.search("text", terms, setting, CHOSEN_AT).rows, question) for setting in settings]


def _terms(query: Query, form: Form) -> dict[str, float]:
    """Weighs the words of the query: words of the title and of the second text have the same weight."""
    asked = asked_text(query, form)
    return {term: float(times) for term, times in Counter(stems(f"{asked.title} {asked.abstract}")).items()}
