"""One library and the models that answer for it, behind every door: opened once, asked by many threads.

The command line, Python, and every other door call `Session` and nothing else of the inside.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from citewhy.advice import advise
from citewhy.config import DEFAULT_K, DEFAULT_PASSAGES, default_library
from citewhy.edits import AT_LEAST, Choices, Chosen, first_choices, patch
from citewhy.errors import QueryError
from citewhy.following import Follower
from citewhy.importing import add_files
from citewhy.index import index_state, refresh
from citewhy.library.store import Library
from citewhy.manuscript import read, read_files
from citewhy.manuscript.edit.patch import Patch, undo
from citewhy.manuscript.files import DISK, MemoryFiles
from citewhy.manuscript.in_context import in_context
from citewhy.opened import FilePath, Models, Opened, Setting
from citewhy.pipeline import Recommender
from citewhy.progress import Tell, silent
from citewhy.questions import About, ask, clean, units_of
from citewhy.records import Advice, Manuscript, Paper, Query, SentenceInContext, Suggestion, Unit
from citewhy.reports import AddReport, Classified, LibraryInfo, PaperPassages

if TYPE_CHECKING:
    from citewhy.classify import Classifier
    from citewhy.encode import Encoder
    from citewhy.linkage.linker import Linker
    from citewhy.rank.model import RankerModel
    from citewhy.rank.ranker import Pipeline
    from citewhy.rank.reranker import Reranker
    from citewhy.retrieve.first_stage import FirstStage
    from citewhy.rules import Pool

__all__ = ["Draft", "Session"]

Draft = Manuscript | FilePath | Mapping[str, str | bytes]
"""A draft that was read, the path of its root file, or its files in memory by name."""

_NEAR_SHOWN = 3
"""Ids that are named where one is unknown."""

_OF_CONNECTIONS = ("-wal", "-shm")
"""Endings of files that are there while somebody has a library open."""


class Session:
    """Answers what to cite, where, and why, from one library. Use as a context manager.

    Safe for use by many threads, which get the answers that one alone would get; `close` may be called when
    none of them is asking any more. The index, the models, and a recommender for each setting are opened when
    they are first needed, and kept. Before each question the session looks whether another process has
    changed the library, and follows it; while that takes long, questions are answered from the state before.
    """

    def __init__(
        self,
        library: FilePath | None = None,
        *,
        create: bool = False,
        pipeline: Pipeline = "full",
        pool: Pool = "all",
        encoder: Encoder | FilePath | None = None,
        rerankers: Sequence[Reranker | FilePath] = (),
        first_stage_weight: float | None = None,
        first_stages: Sequence[FirstStage | FilePath] = (),
        ranker: RankerModel | FilePath | None = None,
        linker: Linker | FilePath | None = None,
        year: int | None = None,
        threshold: float | None = None,
    ) -> None:
        """`library` None: the user's own, or the built-in starter library until papers are added to it.
        `create`: a library that is not there yet is made by `add`.

        Models are opened objects or model folders; None: those of the package. Each of the `rerankers`
        answers its own kinds of queries; `first_stage_weight` ≥ 0 is the weight of the order before reranking
        (None: as training chose it). `first_stages` find candidates beside those of the package.
        `year` and `threshold` hold where a question does not give its own.

        Raises LibraryError where there is no library, and the errors of opening models.
        """
        self.pipeline: Pipeline = pipeline
        self.pool: Pool = pool
        self.year = year
        self.threshold = threshold
        self._given = None if library is None else Path(library)
        self._models = Models.of(encoder, rerankers, first_stage_weight, first_stages, ranker, linker)
        self._follower = Follower(self._given, self._models)
        if not create:
            self._current()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the library; a session that is closed answers no more."""
        self._follower.close()

    def _current(self) -> Opened:
        return self._follower.current()

    def prepare(self, tell: Tell = silent) -> None:
        """Opens now what the first question needs, and encodes papers that are new; `tell` is told of it."""
        self._current().recommender(self._setting(None), tell)

    # Papers for a question --------------------------------------------------------------------------------

    def suggest(
        self,
        question: Query | str = "",
        k: int = DEFAULT_K,
        *,
        threshold: float | None = None,
        pipeline: Pipeline | None = None,
        **about: Unpack[About],
    ) -> list[Suggestion]:
        """The best `k` papers for a sentence, a paragraph, a set or a whole paper; fewer, or none, where
        nothing speaks for more.

        `question` is a text, or a `Query`; `about` has further fields of a query (`questions.ask`). Texts are
        raw: citations in them are masked, whichever way they are written. No paper is suggested where even
        the best is right with a probability below `threshold` in [0, 1] (None: the ranker's own). Raises
        QueryError where there is nothing to ask, and for a pipeline that does not exist.
        """
        query = ask(question, **about)
        if query.year is None:
            query = replace(query, year=self.year)
        opened = self._current()
        recommender = opened.recommender(self._setting(pipeline))
        with opened.reading():
            return recommender.suggest(query, k, threshold=self._threshold(threshold))

    def passages(self, paper_id: str, text: str, k: int = DEFAULT_PASSAGES) -> PaperPassages:
        """The best `k` passages of a paper for a citing sentence or a claim, raw text. Raises QueryError for
        an empty text or an unknown id."""
        if not text.strip():
            raise QueryError("the text is empty", hint="give the citing sentence, or the claim")
        opened = self._current()
        support = opened.support
        with opened.reading():
            return support.passages(_paper(opened.library, paper_id), text, clean(text), k)

    def paper(self, paper_id: str) -> Paper:
        """The paper that an id leads to. Raises QueryError for an unknown id, with those spelt almost so."""
        opened = self._current()
        with opened.reading():
            return _paper(opened.library, paper_id)

    def classify(
        self, classifier: Classifier | FilePath, sentences: Sequence[SentenceInContext | str]
    ) -> list[Classified]:
        """What a classifier, opened or a model folder, says of each sentence. Raises as
        `classify.open_classifier`."""
        opened = self._models.classifier(classifier)
        asked = [SentenceInContext(each) if isinstance(each, str) else each for each in sentences]
        labels = opened.predict(asked)
        table = opened.probabilities(asked).tolist()
        return [
            Classified(sentence.text, label, dict(zip(opened.labels, row, strict=True)))
            for sentence, label, row in zip(asked, labels, table, strict=True)
        ]

    def classify_draft(
        self, classifier: Classifier | FilePath, draft: Draft, root: str | None = None
    ) -> list[Classified]:
        """The same of every sentence of a draft, in reading order; `draft` and `root` as for `read`."""
        told = list(in_context(self.read(draft, root)))
        found = self.classify(classifier, [context for _, context in told])
        return [
            replace(each, text=sentence.text, place=sentence.place)
            for each, (sentence, _) in zip(found, told, strict=True)
        ]

    # Drafts; reading and editing them needs no library ----------------------------------------------------

    @staticmethod
    def read(draft: Draft, root: str | None = None) -> Manuscript:
        """A draft on disk, by the path of its root file, or in memory: the content of its files by name.
        `root` names the root file of a draft in memory; None: the only one that can be it.

        Raises InputError where the root is missing or not text; other problems are in the manuscript.
        """
        if isinstance(draft, Manuscript):
            return draft
        return read_files(draft, root) if isinstance(draft, Mapping) else read(draft)

    @staticmethod
    def units(draft: Draft, units: Sequence[Unit] = ("place",), root: str | None = None) -> list[Advice]:
        """What `advise` will answer, in its order, without suggestions."""
        return list(units_of(Session.read(draft, root), units))

    def advise(
        self,
        draft: Draft,
        k: int = DEFAULT_K,
        *,
        root: str | None = None,
        year: int | None = None,
        threshold: float | None = None,
        units: Sequence[Unit] = ("place",),
        pipeline: Pipeline | None = None,
    ) -> Iterator[Advice]:
        """The best `k` papers for each unit of a draft, in reading order, each as soon as it is found. All
        are answered from one state of the library.

        `draft` and `root` as for `read`; `units`: open citations (``place``), citations that name papers
        already (``set``), paragraphs with little more than a topic sentence (``paragraph``), the whole
        (``draft``). `year` None: the session's, else the draft's own. `threshold` as for `suggest`.
        """
        manuscript = self.read(draft, root)
        opened = self._current()
        recommender = opened.recommender(self._setting(pipeline))
        year = self.year if year is None else year
        found = advise(recommender, manuscript, k, year, self._threshold(threshold), units)
        return _one_by_one(opened, found)

    @staticmethod
    def first_choices(
        draft: Draft,
        found: Iterable[Advice],
        at_least: float = AT_LEAST,
        *,
        root: str | None = None,
        outside: bool = False,
    ) -> Choices:
        """What an edit of the draft can write for certain enough, and what it leaves open and why; arguments
        as for `edits.first_choices`."""
        files = MemoryFiles(draft) if isinstance(draft, Mapping) else DISK
        return first_choices(found, Session.read(draft, root), at_least, files, outside=outside)

    @staticmethod
    def edit(
        draft: Draft, chosen: Iterable[Chosen], root: str | None = None, *, outside: bool = False
    ) -> Patch:
        """The edit that cites the chosen papers: keys into the citations, new entries into the bibliography.

        `Patch.diff` shows it; `Patch.apply` writes it for a draft on disk, `Patch.texts` has the new files of
        one in memory, for which `draft` must be its files, not the manuscript. Raises EditConflictError where
        the draft has changed since it was read, InputError where its bibliography is missing, or outside of
        its folder (unless `outside`).
        """
        files = MemoryFiles(draft) if isinstance(draft, Mapping) else DISK
        return patch(Session.read(draft, root), chosen, files, outside=outside)

    @staticmethod
    def undo(draft: FilePath) -> tuple[Path, ...]:
        """Takes the last applied edit of a draft on disk back, byte for byte: the restored files. Raises
        QueryError where there is none, EditConflictError where a file was changed since."""
        return undo(draft)

    # The library ------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """Of the library that answers now."""
        return self._current().library.folder

    @property
    def library(self) -> Library:
        """The library that answers now."""
        return self._current().library

    def add(
        self, paths: Sequence[FilePath], *, strict: bool = False, vectors: bool = True, tell: Tell = silent
    ) -> AddReport:
        """Adds files, and all recognised files of folders, in one commit, to the library that was named, or
        to the user's own (never to the starter library). Arguments and errors as for `add_files`."""
        folder = default_library() if self._given is None else self._given
        encoder = self._models.encoder
        return add_files(folder, paths, strict=strict, vectors=vectors, encoder=encoder, tell=tell)

    def remove(self, ids: Sequence[str]) -> list[Paper]:
        """Takes papers out of the library, with their records and full texts, and an own writing with all
        that it said: the papers that are gone. What others said about them stays, and counts again when they
        come back. Raises QueryError for an unknown id, and for the starter library; then nothing changes."""
        opened = self._current()
        if opened.starter:
            raise QueryError("the starter library cannot be changed", hint="name your own with --library")
        papers = {paper.id: paper for paper in (_paper(opened.library, each) for each in ids)}
        with Library.open(opened.library.folder) as library:
            library.remove(papers)
            refresh(library)
        return list(papers.values())

    def info(self, tell: Tell = silent) -> LibraryInfo:
        """What the library holds. Reads and checks every row: raises DamagedError unless all are there, and
        as they were written."""
        opened = self._current()
        library = opened.library
        with opened.reading():
            tell("checking", None)
            library.verify()
            tell("counting", None)
            counts: dict[str, Any] = {"first_year": None, "last_year": None, **library.counts()}
            files = (file for file in library.folder.rglob("*") if file.is_file())
            return LibraryInfo(
                library=str(library.folder),
                starter=opened.starter,
                generation=library.generation,
                index=index_state(library),
                bytes=sum(file.stat().st_size for file in files if not file.name.endswith(_OF_CONNECTIONS)),
                **counts,
            )

    # For measuring ----------------------------------------------------------------------------------------

    def recommender(
        self,
        pipeline: Pipeline | None = None,
        *,
        hidden_ids: Collection[str] = (),
        plain: bool = False,
        tell: Tell = silent,
    ) -> Recommender:
        """What answers now, for clean queries, as an evaluation asks them. `hidden_ids` are papers that are
        treated as if nobody had cited them; `plain` leaves the session's rerankers and first stages out."""
        return self._current().recommender(self._setting(pipeline, hidden_ids, plain), tell)

    @property
    def models(self) -> Models:
        """The session's models, opened."""
        return self._models

    def _setting(
        self, pipeline: Pipeline | None, hidden_ids: Collection[str] = (), plain: bool = False
    ) -> Setting:
        return Setting(pipeline or self.pipeline, self.pool, frozenset(hidden_ids), plain)

    def _threshold(self, given: float | None) -> float | None:
        return self.threshold if given is None else given


def _one_by_one(opened: Opened, found: Iterator[Advice]) -> Iterator[Advice]:
    """Each answer from one state of the library; between two, nothing is held."""
    while True:
        with opened.reading():
            each = next(found, None)
        if each is None:
            return
        yield each


def _paper(library: Library, paper_id: str) -> Paper:
    papers = library.papers([paper_id])
    if paper_id in papers:
        return papers[paper_id]
    ids = {each.casefold(): each for each in library.ids()}
    near = [ids[each] for each in difflib.get_close_matches(paper_id.casefold(), ids, _NEAR_SHOWN)]
    raise QueryError(
        f"the library has no paper with the id {paper_id!r}",
        hint=f"did you mean: {', '.join(near)}" if near else "ids are those of the files that were added",
    )
