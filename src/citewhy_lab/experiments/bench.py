"""A data set as a library, and its contexts as queries: the basis of the experiments on local citation
recommendation.

All rules of honest ranking hold (`rules.py`): a candidate is not newer than the context and is not its citing
paper; citations count from the year after their own.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from citewhy.base.artifact import folder_aside
from citewhy.base.config import cache_folder
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress, encoding
from citewhy.base.records import Context, Query
from citewhy.papers.library.opening import FILE_NAME
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.index import Index, View, open_index
from citewhy.search.rules import QueryRows, Rules
from citewhy_lab.evaluate.datasets.local import topic
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.train.data_set import DataSet, open_data_set

__all__ = ["Bench", "Question", "open_bench", "sample"]


@dataclass(frozen=True, slots=True)
class Question:
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

    def questions(self, contexts: Sequence[Context]) -> list[Question]:
        """One query for each context, in order."""
        ids = {found for each in contexts if (found := self.library.canonical(each.citing_id))}
        citing = self.library.papers(ids)
        topics = [topic(each, self.library, citing) for each in contexts]
        numbers = self.library.numbers(
            {paper for each in topics for paper in (each.query.citing_id, *each.relevant)}
        )
        return [
            Question(
                each.query,
                self.rows(each.query),
                tuple(dict.fromkeys(numbers.get(paper, -1) for paper in each.relevant)),
            )
            for each in topics
        ]

    def rows(self, query: Query) -> QueryRows:
        """The citing paper's row."""
        return QueryRows(self.library.numbers([query.citing_id]).get(query.citing_id, -1))

    def view(self, query: Query, rows: QueryRows) -> View:
        """The index as of the query."""
        return self.index.view(Rules().scope(query, rows))

    @cached_property
    def pool(self) -> int:
        """Number of papers."""
        return len(self.index.papers())


def sample(contexts: Sequence[Context], most: int | None, seed: int) -> list[Context]:
    """At most the given number of contexts, in order; None: all of them."""
    if most is None or most >= len(contexts):
        return list(contexts)
    chosen = sorted(random.Random(seed).sample(range(len(contexts)), most))
    return [contexts[place] for place in chosen]


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
