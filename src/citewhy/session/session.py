"""`Session`: a library and its models, opened once and shared by threads.

The command line, Python and every other interface call `Session`, and no module below it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from citewhy.answers.answer import Answer, DraftAnswer
from citewhy.answers.answering import answer_text, without_probabilities
from citewhy.answers.options import DraftOptions, DraftWishes, TextOptions
from citewhy.answers.questions import QueryFields, clean, make_query, remarks_on, units_of
from citewhy.answers.resolve import Resolver, one_paper, paper_with_id
from citewhy.base.config import DEFAULT_K, DEFAULT_PASSAGES
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress, silent
from citewhy.base.records import (
    Manuscript,
    Paper,
    Query,
    SentenceInContext,
    Suggestion,
    Unit,
    UnitKind,
)
from citewhy.base.reports import (
    AddReport,
    Classified,
    Finding,
    LibraryInfo,
    PaperPassages,
    SyncReport,
    ToEncode,
)
from citewhy.drafts import read, read_files
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.roots import root_on_disk
from citewhy.drafts.sentences import in_context
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.several import wants_several
from citewhy.search.index import find_engine
from citewhy.session.auditing import AuditFields, Listed, audited
from citewhy.session.committing import update_index
from citewhy.session.draft_session import Draft, DraftSession
from citewhy.session.importing import add_files
from citewhy.session.libraries import Libraries
from citewhy.session.models import FilePath, ModelFields, Models, remarks_on_models
from citewhy.session.opened import Opened, Setting
from citewhy.session.reviewing import labelled, missing, report, reviewed
from citewhy.session.starter import folder_to_add_to, starter_is_fixed
from citewhy.session.syncing import sync_files

if TYPE_CHECKING:
    from citewhy.answers.audit import Audit
    from citewhy.answers.missing import MissingWorks
    from citewhy.answers.report import ReviewReport
    from citewhy.answers.review import ReviewFields
    from citewhy.base.records import Advice, Intent
    from citewhy.ranking.classify import Classifier
    from citewhy.ranking.model_set import ModelSet
    from citewhy.ranking.rank.ranker import Pipeline
    from citewhy.search.index import Engine
    from citewhy.search.rules import Pool


class Session:
    """Recommends papers from one library, with reasons. Use as a context manager.

    Safe for use by many threads; call `close` when no thread uses it any more. Index, models, and a
    recommender for each setting are opened when they are first needed. Before each query the session opens
    the new state if another process has changed the library; if that takes long, the previous one answers.
    """

    def __init__(
        self,
        library: FilePath | Sequence[FilePath] | None = None,
        *,
        create: bool = False,
        pipeline: Pipeline = "full",
        pool: Pool = "all",
        engine: Engine | str | None = None,
        year: int | None = None,
        threshold: float | None = None,
        **models: Unpack[ModelFields],
    ) -> None:
        """Opens the library in the folder `library` (``starter``: the built-in starter library), or several,
        which answer as one, and the first is changed; by default the user's own or, until there is one, for
        texts the starter library. With `create`, it need not exist: `add` creates it.

        `models` are opened objects or model folders (`ModelFields`); `engine` is one or its name (None:
        ``local``). `year` and `threshold` are the defaults for queries without their own.

        Raises LibraryError if there is no library, and the errors of opening models.
        """
        self.pipeline: Pipeline = pipeline
        self.pool: Pool = pool
        self.year = year
        self.threshold = threshold
        named = [library] if isinstance(library, str | os.PathLike) else library or ()
        self._given = tuple(map(Path, named))
        self._models = Models(models)
        self._models.opened  # noqa: B018 # raises the errors of models now, not at the first query
        self._engine = find_engine(engine)
        self._libraries = Libraries(self._given, self._models, self._engine)
        self._lock = threading.Lock()
        self._drafts: weakref.WeakSet[DraftSession] = weakref.WeakSet()  # open ones, for `release`
        if not create and not self._libraries.is_none():
            self._current()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the library. A closed session answers no more queries."""
        self._libraries.close()

    def release(self) -> None:
        """Frees models, index and recommenders, which are opened again on demand, but none that is in use."""
        self._models.release()
        self._libraries.release()
        with self._lock:
            drafts = list(self._drafts)
        for draft in drafts:
            draft.release()

    def _current(self) -> Opened:
        """The current state of the library, with index, models and recommenders."""
        return self._libraries.current()

    def prepare(self, progress: Progress = silent, *, intents: bool = False) -> None:
        """Opens what the first query needs, for queries with `intents`, too, and reports its `progress`."""
        recommender = self._current().recommender(self._setting(None), progress)
        if intents:
            recommender.classify_contexts(progress)

    # Queries -----------------------------------------------------------------------------------------------

    def suggest(
        self,
        question: Query | str = "",
        k: int = DEFAULT_K,
        *,
        threshold: float | None = None,
        pipeline: Pipeline | None = None,
        options: TextOptions | None = None,
        **about: Unpack[QueryFields],
    ) -> Answer:
        """The best `k` papers for a sentence, a paragraph, a set or a whole paper; fewer, or none, if there
        is no evidence for more.

        `question` is a raw text or a `Query`; `about` gives further fields of the query
        (`questions.make_query`). Nothing that it does not name is suggested if the best has a probability
        below `threshold` (None: the ranker's). `options` replace both. Raises QueryError for wrong wishes.
        """
        if options is not None:
            options.check()
            k, threshold = options.k, options.threshold
            about = {**options.query_fields(lambda text: self.paper(text).id), **about}
        query = make_query(question, **about)
        query = replace(query, year=self.year) if query.year is None else query
        text = question if isinstance(question, str) else question.text
        chosen = pipeline or self.pipeline
        models = self._models.of(chosen)
        opened = self._current()
        recommender = opened.recommender(self._setting(chosen))
        least = opened.threshold(self.threshold if threshold is None else threshold, recommender)
        with opened.reading():
            suggestions, named = answer_text(recommender, query, text, k, least)
            if not recommender.calibrated:
                suggestions = list(without_probabilities(suggestions))
            suggestions = list(opened.with_libraries(suggestions))
        told = remarks_on_models(models, chosen, [query.kind])
        remarks = (*told, *opened.remarks, *remarks_on(text, models.encoder), *named.remarks)
        several = wants_several(query)
        return Answer(text, tuple(suggestions), named.resolutions, remarks, opened.name, chosen, several)

    def find(self, text: str, k: int = DEFAULT_K, *, exact: bool = False) -> Finding:
        """The papers that a text names: an id, a DOI or an arXiv number, also in a URL; a citation key; the
        name of a system; author and year; a title. Unless it names one paper for certain, or if it is a word
        that happens to be an id, papers with its words follow, `k` in all; words that the library lacks are
        read as those that it has, unless `exact`. Raises QueryError for no text."""
        _check_wanted(text, k)
        opened = self._current()
        with opened.reading():
            resolver = Resolver(opened.library, opened.index())
            found = resolver.as_written(text, k) if exact else resolver.find(text, k)
        return replace(found, stands_in=opened.stands_in)

    def like(self, paper: str, aspect: Intent | None = None, k: int = DEFAULT_K) -> list[Suggestion]:
        """The best `k` papers like `paper`, or like it in an aspect, as of the session's year. Raises as
        `paper`."""
        opened, chosen = self._current(), self.paper(paper)
        with opened.reading():
            return opened.recommender(self._setting(None)).like(chosen, k, aspect, self.year)

    def passages(self, paper: str, text: str, k: int = DEFAULT_PASSAGES) -> PaperPassages:
        """The best `k` passages of a paper for a citing sentence or a claim. Raises as `paper`, and for an
        empty text."""
        if not text.strip():
            raise QueryError("the text is empty", hint="give the citing sentence, or the claim")
        opened = self._current()
        support = opened.support
        with opened.reading():
            return support.passages(one_paper(opened.library, opened.index(), paper), text, clean(text), k)

    def paper(self, text: str) -> Paper:
        """The paper with an id or alias, or the only paper that a text names (`find`). Raises QueryError for
        none, with a hint of similar ids, or more than one."""
        opened = self._current()
        with opened.reading():
            return one_paper(opened.library, opened.index(), text)

    def classify(
        self, classifier: Classifier | FilePath, sentences: Sequence[SentenceInContext | str]
    ) -> list[Classified]:
        """The labels of the sentences by a classifier (opened, or a folder), with their probabilities. Raises
        as `classify.open_classifier`."""
        return labelled(self._models.classifier(classifier), sentences)

    def classify_draft(
        self, classifier: Classifier | FilePath, draft: Draft, root: str | None = None
    ) -> list[Classified]:
        """Classifies every sentence of a draft, in reading order; arguments as for `read`."""
        pairs = list(in_context(self.read(draft, root)))
        labelled = self.classify(classifier, [context for _, context in pairs])
        return [
            replace(classified, text=sentence.text, place=sentence.place)
            for classified, (sentence, _) in zip(labelled, pairs, strict=True)
        ]

    # Drafts (reading and editing them needs no library) ---------------------------------------------------

    @staticmethod
    def read(draft: Draft, root: str | None = None, *, follow_outside: bool = False) -> Manuscript:
        """Reads a draft from disk (its root file) or from memory (the contents of its files by name). `root`
        is the name of the root file of a draft in memory; None if only one file can be the root.

        Files outside of its project (`drafts.project`) are read only if `follow_outside`. Raises
        InputError if the root file is missing or not text; `Manuscript.problems` lists other problems.
        """
        if isinstance(draft, Manuscript):
            return draft
        if isinstance(draft, Mapping):
            return read_files(draft, root)
        return read(draft, follow_outside=follow_outside)

    @staticmethod
    def units(draft: Draft, units: Sequence[UnitKind] = ("place",), root: str | None = None) -> list[Unit]:
        """The units of a draft that `advise` answers, in reading order."""
        return list(units_of(Session.read(draft, root), units))

    def open_draft(
        self, draft: Draft, root: str | None = None, *, follow_outside: bool = False
    ) -> DraftSession:
        """Keeps a draft open for several answers and edits; arguments as for `read`."""
        opened = DraftSession(self, draft, root, follow_outside=follow_outside)
        with self._lock:
            self._drafts.add(opened)
        return opened

    def advise(
        self,
        draft: Draft,
        k: int | None = None,
        *,
        root: str | None = None,
        options: DraftOptions = DraftOptions(),  # noqa: B008 # immutable
        pipeline: Pipeline | None = None,
        **wishes: Unpack[DraftWishes],
    ) -> DraftAnswer:
        """The best `k` papers for each wished unit of a draft (`DraftOptions`), in reading order, each as
        soon as it is ready, from one state of the library (`DraftSession.advise`)."""
        opened = self.open_draft(draft, root)
        return opened.advise(k, options=options, pipeline=pipeline, **wishes)

    def review(
        self, draft: Draft, k: int = 1, judge: Classifier | FilePath | None = None, **by: Unpack[ReviewFields]
    ) -> Iterator[Advice]:
        """Yields remarks on sentences that cite nothing but should, each with the best `k` papers, as soon as
        these are ready (`review.review`). `judge` is a classifier with the label ``cites`` (None: that of the
        package); `budget` is the largest number of remarks (None: `review.budget_of` the draft)."""
        return reviewed(self, self.read(draft), k, judge, by)

    def missing(self, draft: Draft, **by: Unpack[ReviewFields]) -> MissingWorks:
        """The works that a finished draft does not cite and should consider (`answers.missing`), at most
        `budget`, as of its year."""
        return missing(self, self.read(draft), by)

    def report(
        self, draft: Draft, k: int = 1, judge: Classifier | FilePath | None = None, **by: Unpack[ReviewFields]
    ) -> ReviewReport:
        """Uncited claims, missing works, and the audit of what the draft cites, together at most `budget`
        (`answers.report`); arguments as for `review`."""
        return report(self, self.read(draft), k, judge, by)

    def audit(self, files: Listed, **by: Unpack[AuditFields]) -> Audit:
        """The verdicts on all entries of bibliographies, drafts and reference lists, compared with the
        library or with files, and what was asked for besides (`auditing.audited`)."""
        return audited(None if by.get("against") else self._current(), files, by)

    @staticmethod
    def undo(draft: FilePath, *, outside: bool = False) -> tuple[Path, ...]:
        """Reverts the last applied edit of a draft on disk, and returns the restored files; those beyond its
        folder if `outside`. Raises QueryError if there is none, EditConflictError if a file has changed."""
        return undo(root_on_disk(draft), outside=outside)

    # The library ------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder of the library that is in use."""
        return self._current().library.folder

    @property
    def library(self) -> Library:
        """The library that is in use."""
        return self._current().library

    def add(
        self,
        paths: Sequence[FilePath],
        *,
        strict: bool = False,
        vectors: bool | ToEncode = True,
        follow_outside: bool = False,
        progress: Progress = silent,
    ) -> AddReport:
        """Adds files, and all recognised files of folders, in one commit, to the library that was named, or
        to the user's own (never to the starter library). Arguments and errors as for `add_files`."""
        return add_files(
            folder_to_add_to(self._given),
            paths,
            strict=strict,
            vectors=vectors,
            encoder=self._models.opened.encoder,
            engine=self._engine,
            follow_outside=follow_outside,
            progress=progress,
        )

    def sync(
        self, *, dry_run: bool = False, vectors: bool | ToEncode = True, progress: Progress = silent
    ) -> SyncReport:
        """Reads again what has changed of the files that were added, and removes what none of them has any
        more (`syncing.sync_files`); `dry_run`: only tells. Raises QueryError for the starter library."""
        models = (self._engine, self._models.opened.encoder)
        return sync_files(self.own_folder(), *models, dry_run=dry_run, vectors=vectors, progress=progress)

    def remove(self, ids: Sequence[str]) -> list[Paper]:
        """Removes papers, and returns them. Raises QueryError as `own_folder`, and for an unknown id."""
        with Library.open(self.own_folder()) as library:
            papers = {paper.id: paper for paper in (paper_with_id(library, paper_id) for paper_id in ids)}
            library.remove(papers)
            update_index(self._engine, library)
        return list(papers.values())

    def split(self, paper_id: str) -> tuple[Paper, Paper]:
        """Makes a paper of its own of a record that was merged with others (`Library.split`); returns both
        papers. Raises QueryError as `remove`, and for an id that was not merged."""
        with Library.open(self.own_folder()) as library:
            one, other = library.split(paper_id)
            update_index(self._engine, library)
            return library.paper(one), library.paper(other)

    def info(self, progress: Progress = silent) -> LibraryInfo:
        """Counts the papers, contexts etc. Raises DamagedError if a row of any is missing or was altered."""
        return self._current().info(progress)

    def own_folder(self) -> Path:
        """The folder of the library that is changed. Raises QueryError for the starter library."""
        if (opened := self._libraries.first()).starter:
            raise starter_is_fixed()
        return opened.library.folder

    # Evaluation -------------------------------------------------------------------------------------------

    def recommender(
        self,
        pipeline: Pipeline | None = None,
        *,
        hidden_ids: Collection[str] = (),
        plain: bool = False,
        tuned: bool = True,
        drafts: Sequence[Manuscript] = (),
        progress: Progress = silent,
    ) -> Recommender:
        """The recommender of the library or, where there is none, of `drafts`. To it the papers `hidden_ids`
        are never cited; `plain`: without rerankers and first stages; `tuned`: with own weights."""
        setting, asked = replace(self._setting(pipeline, hidden_ids, plain), tuned=tuned, until="all"), drafts
        return self._libraries.recommender(asked if self._libraries.is_none() else (), setting, progress)[1]

    @property
    def models(self) -> ModelSet:
        """The opened models, as they answer in the session's pipeline; None is a model of the package."""
        return self._models_of(None)

    def _models_of(self, pipeline: Pipeline | None) -> ModelSet:
        """The opened models, as they answer in a pipeline; None: that of the session."""
        return self._models.of(pipeline or self.pipeline)

    def classifier(self, given: Classifier | FilePath) -> Classifier:
        """The classifier in a folder, opened once. Raises as `classify.open_classifier`."""
        return self._models.classifier(given)

    def _setting(
        self, pipeline: Pipeline | None, hidden: Collection[str] = (), plain: bool = False
    ) -> Setting:
        """The setting of a recommender; `pipeline` None: that of the session."""
        return Setting(pipeline or self.pipeline, self.pool, frozenset(hidden), plain)


def _check_wanted(text: str, k: int) -> None:
    if not text.strip():
        raise QueryError("the text is empty", hint="give words, an author, a title, an id or a key")
    if k < 1:
        raise QueryError(f"{k} papers cannot be found", hint="ask for at least one")
