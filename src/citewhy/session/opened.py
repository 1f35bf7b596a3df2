"""`Opened`: one state of a library, with the index, models and recommenders opened for it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress, encoding, silent
from citewhy.base.records import Advice, Suggestion, UnitAnswer
from citewhy.base.reports import LibraryInfo
from citewhy.papers.library.opening import FILE_NAME
from citewhy.papers.library.store import Library
from citewhy.ranking.explain import Support
from citewhy.ranking.rank.model import default_model
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.rank.tuning import FILE_NAME as TUNING
from citewhy.ranking.rank.tuning import read_tuning
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder, WithoutWords, default_encoder
from citewhy.search.index import CHOICE, Engine, Index, Until, chosen, open_layer
from citewhy.search.rules import Pool
from citewhy.session.encoding import EncodingInBackground
from citewhy.session.models import Models
from citewhy.session.origins import remark_on

Answer = TypeVar("Answer")
Suggested = TypeVar("Suggested", UnitAnswer, Advice)

_OF_CONNECTIONS = ("-wal", "-shm")
"""Endings of SQLite's files that exist only while a process has the library open."""


_STANDS_IN = (
    "these papers come from the built-in starter library, well-known papers of a few fields; "
    "add your own: citewhy add FILE…"
)

_NOT_ENCODED = (
    "the papers of {} are not all encoded yet: until they are, answers come from words, names and citations, "
    "without probabilities; {}"
)
_OF_LIBRARY = _NOT_ENCODED.format(
    "the library", "citewhy info says how far it is, citewhy sync goes on with it"
)
_AS_CHOSEN = (
    "the papers of the library are not encoded, as was chosen: answers come from words, names and citations, "
    "without probabilities; citewhy sync --encode titles encodes them"
)
_OF_BIBLIOGRAPHY = _NOT_ENCODED.format("the bibliography", "each answer goes on with it")

_BY_VECTORS = ("dense", "hybrid")
"""Pipelines that cannot answer from words alone."""

_SOON = 2_000
"""Texts that are encoded soon, while answers come from words alone: 5 to 20 seconds on two cores, if it is
that many; those of a bibliography take one or two."""

_FITS_WELL = 0.1
"""Probability of the best paper of the starter library from which it is worth reading for somebody whose
field may be another one."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings in which the recommenders of a session may differ. Fields as for `Recommender`."""

    pipeline: Pipeline = "full"
    pool: Pool = "all"
    hidden_ids: frozenset[str] = frozenset()
    plain: bool = False
    """If true, the rerankers and first stages of the session are not used."""
    tuned: bool = True
    """If false, the weights that `citewhy tune` fitted to the author's drafts are not used."""
    until: Until = "few"
    """What is encoded first (`Engine.open`); the rest is, while queries are answered."""
    at_once: bool = False
    """If true, and texts have to be encoded that soon will be, queries are answered from words alone until
    they are, and are not encoded themselves."""

    @property
    def encoded_first(self) -> Until:
        """What is encoded first; what ranks by vectors alone needs those of all papers."""
        if self.at_once and self.pipeline == "full":
            return "none"
        return "papers" if self.until == "few" and self.pipeline in _BY_VECTORS else self.until


class Opened:
    """One state of a library. Index, recommenders etc. are opened on first use, once for all threads."""

    def __init__(
        self,
        library: Library,
        models: Models,
        engine: Engine,
        *,
        name: str = "",
        label: str = "",
        starter: bool = False,
        stands_in: bool = False,
        of_draft: bool = False,
    ) -> None:
        """Takes an open `library`, which people know by `name` (empty: its folder) and call `label` (empty:
        by its name). `starter` is the built-in one, which `stands_in` where nobody asked for it; `of_draft`
        is one with a draft's bibliography."""
        self.library = library
        self.name = name or str(library.folder)
        self.label = label or self.name
        self.starter = starter
        self.stands_in = stands_in
        self._of_draft = of_draft
        self._models = models
        self._engine = engine
        self._file = _identity(self.library)
        with self.library.reading():
            self._generation = self.library.generation
            self._mark = self.library.mark_of(self._generation)
        self._words: Index | None = None
        self._vectors: Index | None = None
        self._until: Until = "few"
        """What was encoded before these were opened."""
        self._support: Support | None = None
        self._recommenders: dict[Setting, Recommender] = {}
        self._encoding: EncodingInBackground | None = None
        self._lock = threading.RLock()

    def close(self) -> None:
        """Closes the library. No thread may be using it."""
        if self._encoding is not None:
            self._encoding.stop()
        self.library.close()

    @property
    def state(self) -> str:
        """Returns a name for the state of the library, which no other state of any library has."""
        return f"{self._mark or 0:x}"

    @property
    def identity(self) -> str:
        """Returns a name for what answers depend on but models: `state`, and what `citewhy tune` fitted."""
        return f"{self.state} {self._file}"

    def with_libraries(self, suggestions: Iterable[Suggestion]) -> Iterator[Suggestion]:
        """Yields suggestions that say which library has the paper, if several answer together."""
        yield from suggestions

    def _label_of(self, _number: int) -> str:
        """Returns what people call the library that has the paper with a number, the lowest of several."""
        return self.label

    @property
    def remarks(self) -> tuple[str, ...]:
        """Tells people what they should know of answers from this library, a sentence each."""
        remarks = (_STANDS_IN,) if self.stands_in else () if self.starter else remark_on(self.library)
        if self.has_vectors:
            return remarks
        if self._vectors is not None and self._vectors.as_chosen:
            return (_AS_CHOSEN, *remarks)
        return (_OF_BIBLIOGRAPHY if self.lacks_entries else _OF_LIBRARY, *remarks)

    def threshold(self, wished: float | None, recommender: Recommender) -> float | None:
        """The probability below which `recommender` suggests nothing: the `wished` one, or else, for papers
        that nobody chose, one at which they fit well; None: the ranker's. Without vectors, all are
        suggested."""
        if wished is not None:
            return wished
        return (_FITS_WELL if self.stands_in else None) if recommender.has_vectors else 0.0

    @property
    def has_vectors(self) -> bool:
        """Whether queries are answered with vectors, or do not ask for any."""
        return self._vectors is None or not self._vectors.unencoded

    @property
    def lacks_entries(self) -> bool:
        """Whether queries are answered without vectors because entries of a draft's bibliography have
        none."""
        return self._of_draft and not self.has_vectors

    @property
    def is_improved(self) -> bool:
        """Whether all texts have been encoded since it was opened without vectors: open it again, or
        `release` it."""
        return self._encoding is not None and self._encoding.is_done

    @property
    def is_soon_improved(self) -> bool:
        """Whether the texts that lack vectors have them in a moment."""
        return self._encoding is not None and self._encoding.soon

    def is_current(self) -> bool:
        """Whether the library is still the one that was opened, unchanged and not improved, and no damage
        has been found in its index. Reads two rows."""
        if any(index is not None and index.damage.found for index in (self._words, self._vectors)):
            return False
        if self.is_improved or _identity(self.library) != self._file:
            return False
        with self.library.reading():
            generation = self.library.generation
            return generation == self._generation and self.library.mark_of(generation) == self._mark

    def index(self) -> Index:
        """The index, updated on first use. It need not contain vectors."""
        with self._lock:
            if self._words is None:
                self._words = self._vectors or self._engine.open(self.library)
            return self._words

    def _index_with_vectors(self, progress: Progress, until: Until = "few") -> Index:
        """The index with the vectors of what is to be encoded first; the others are made in the
        background."""
        with self._lock:
            if not self._has(until):
                if self._encoding is not None:  # what it has encoded is kept
                    self._encoding.stop()
                    self._encoding = None
                encoder = self.encoder
                self._vectors = index = self._opened_with(encoder, progress, until)
                self._until = until
                self._recommenders.clear()  # those without vectors
                if not _suffices(index, "all"):
                    self._encoding = self._encode(encoder, 0 < index.unencoded <= _SOON and until == "none")
            assert self._vectors is not None
            return self._vectors

    def _has(self, until: Until) -> bool:
        """Whether the index has been opened with the vectors of what is to be encoded first."""
        index = self._vectors
        if index is None or until == "none" or index.as_chosen:
            return index is not None
        return not index.unencoded if self._until == "none" and until == "few" else _suffices(index, until)

    @property
    def encoder(self) -> Encoder:
        """What makes vectors of texts."""
        return self._models.opened.encoder or default_encoder()

    def _opened_with(self, encoder: Encoder, progress: Progress, until: Until) -> Index:
        return self._engine.open(self.library, encoder, encoding(progress), until=until)

    def _encode(self, encoder: Encoder, soon: bool) -> EncodingInBackground | None:
        library, engine, until = self.library, self._engine, _first_of_all(soon)
        return EncodingInBackground(
            lambda slow, tell: engine.open(library, slow, tell, until=until),
            *(encoder, library.folder),
            soon=soon,
        )

    @property
    def support(self) -> Support:
        """Finds passages in the papers of the library."""
        with self._lock:
            if self._support is None:
                self._support = Support(self.library, self.index(), self._models.opened.linker)
            return self._support

    def recommender(self, setting: Setting, progress: Progress = silent) -> Recommender:
        """The recommender for a setting, which says what is encoded first, with progress reported to
        `progress`. Raises as `Recommender`."""
        with self._lock:
            index = (
                self.index()
                if setting.pipeline == "bm25"
                else self._index_with_vectors(progress, setting.encoded_first)
            )
            if setting.pipeline in _BY_VECTORS and index.unencoded and index.as_chosen:
                raise _not_encoded(setting.pipeline)
            from_words = setting.at_once and bool(index.unencoded) and self.is_soon_improved
            setting = replace(setting, until="few", at_once=from_words)
            if setting not in self._recommenders:
                models = self._models.of(setting.pipeline)
                if from_words:
                    models = replace(models, encoder=WithoutWords(models.encoder or default_encoder()))
                self._recommenders[setting] = Recommender(
                    self.library,
                    setting.pipeline,
                    setting.pool,
                    setting.hidden_ids,
                    models=replace(models, first_stages=(), rerankers=()) if setting.plain else models,
                    tuning=read_tuning(_lowest(self.library).folder) if setting.tuned else None,
                    index=index,
                )
            return self._recommenders[setting]

    def _tuning(self) -> dict[str, Any] | None:
        tuning = read_tuning(self.library.folder)
        if tuning is None:
            return None
        last_step = (self._models.opened.ranker or default_model()).last_step
        return tuning.document(None if last_step is None else last_step.fingerprint)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Within the block, all reads see the same state of the library, even if others write to it."""
        with self.library.reading():
            yield

    def info(self, progress: Progress) -> LibraryInfo:
        """Counts as `Session.info`."""
        library = self.library
        # Outside of the transaction: while it lasts, what others commit and index would look like a loss.
        progress("checking the index", None)
        loss, (index, vectors) = self._engine.loss(library), self._engine.state(library)
        with self.reading():
            progress("checking", None)
            library.verify()
            progress("counting", None)
            counts: dict[str, Any] = {"first_year": None, "last_year": None, **library.counts()}
            return LibraryInfo(
                library=str(library.folder),
                starter=self.starter,
                generation=library.generation,
                index=index,
                vectors=vectors,
                unencoded=self._engine.unencoded(library, self.encoder),
                loss=loss,
                tuning=self._tuning(),
                bytes=_bytes_in(library.folder),
                encode=chosen(library.folder),
                **counts,
            )

    def release(self) -> None:
        """Forgets index, models and recommenders; they are opened again when they are next needed, with the
        vectors that have been made since."""
        with self._lock:
            if self._encoding is not None and self._encoding.is_done:
                self._encoding = None
            self._until = "few"
            self._words = self._vectors = self._support = None
            self._recommenders.clear()

    def warm(self, other: Opened) -> None:
        """Opens in advance what is open in `other`, except recommenders with hidden papers (of an
        experiment)."""
        for setting in list(other._recommenders):
            if not setting.hidden_ids:
                self.recommender(replace(setting, at_once=False))
        if other._support is not None:
            _ = self.support


class OpenedLayer(Opened):
    """A layer over a library that is open, in one state of both."""

    def __init__(self, library: Library, below: Opened, *, name: str, of_draft: bool = False) -> None:
        """Takes a layer over the library of `below`; `name` is that of the layer alone, which is `of_draft`
        for a draft's bibliography."""
        names = f"{name}, {below.name}"
        super().__init__(library, below._models, below._engine, name=names, label=name, of_draft=of_draft)
        self.below = below

    @property
    def remarks(self) -> tuple[str, ...]:
        """Tells what people should know of answers from any of the libraries."""
        own = super().remarks
        return (*own, *(remark for remark in self.below.remarks if remark not in own))

    def with_libraries(self, suggestions: Iterable[Suggestion]) -> Iterator[Suggestion]:
        """Yields suggestions that say which library has the paper."""
        several = list(suggestions)
        numbers = self.library.numbers(suggestion.paper.id for suggestion in several)
        for suggestion in several:
            number = numbers.get(suggestion.paper.id)
            yield suggestion if number is None else replace(suggestion, library=self._label_of(number))

    def _label_of(self, number: int) -> str:
        return self.label if self.library.is_above(number) else self.below._label_of(number)

    def index(self) -> Index:
        """The index. It need not contain vectors."""
        with self._lock:
            if self._words is None:
                self._words = self._vectors or open_layer(self.library, self.below.index())
            return self._words

    @property
    def is_improved(self) -> bool:
        """Whether all texts of it, or of what it lies over, have been encoded since they were opened."""
        waits = self._vectors is not None and not _suffices(self._vectors, "all")
        return super().is_improved or (waits and self.below.is_improved)

    @property
    def is_soon_improved(self) -> bool:
        """Whether the texts that lack vectors, of it or of what it lies over, have them in a moment."""
        return super().is_soon_improved or (not self.below.has_vectors and self.below.is_soon_improved)

    @property
    def lacks_entries(self) -> bool:
        """Whether only entries of a draft's bibliography have no vectors, and what it lies over has."""
        return super().lacks_entries and self.below.has_vectors

    def _opened_with(self, encoder: Encoder, progress: Progress, until: Until) -> Index:
        below = self.below._index_with_vectors(progress, until)
        return open_layer(self.library, below, encoder, encoding(progress), until=until)

    def _encode(self, encoder: Encoder, soon: bool) -> EncodingInBackground | None:
        library, below, until = (
            self.library,
            self.below._index_with_vectors(silent, "none"),
            _first_of_all(soon),
        )
        if not _suffices(below, "papers" if soon else "all"):  # later, another layer is laid over it
            return None
        return EncodingInBackground(
            lambda slow, tell: open_layer(library, below, slow, tell, until=until),
            *(encoder, library.folder),
            soon=soon,
        )


def _first_of_all(soon: bool) -> Until:
    """What is encoded in the background before the index is opened again."""
    return "papers" if soon else "all"


def _suffices(index: Index, until: Until) -> bool:
    """Whether an index has the vectors of what is to be encoded first."""
    if until == "few" or index.as_chosen:
        return True
    return not (index.unencoded or (until == "all" and index.lacks_parts))


def _lowest(library: Library) -> Library:
    """The library on which all layers lie."""
    return library if library.below is None else _lowest(library.below)


def _bytes_in(folder: Path) -> int:
    """The size of all files; other processes may remove some meanwhile."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(_OF_CONNECTIONS):
                with contextlib.suppress(OSError):
                    size += (Path(parent) / name).stat().st_size
    return size


def _not_encoded(pipeline: Pipeline) -> QueryError:
    return QueryError(
        f"the papers of the library are not encoded, as was chosen; the pipeline {pipeline} needs vectors",
        hint="encode them: citewhy sync --encode titles",
    )


def _identity(library: Library) -> tuple[object, ...] | None:
    """Device and inode of the library file, which change if it is replaced, and the states of its tuning and
    of what is to be encoded; None if the library is gone."""
    try:
        file = (library.folder / FILE_NAME).stat()
    except OSError:
        return None
    states: list[object] = [file.st_dev, file.st_ino]
    for name in (TUNING, CHOICE):
        with contextlib.suppress(OSError):
            beside = (library.folder / name).stat()
            states += [name, beside.st_ino, beside.st_mtime_ns]
    return tuple(states)


def attributed(opened: Opened, answers: Iterator[Suggested]) -> Iterator[Suggested]:
    """The answers, with suggestions that say which library has the paper (`Opened.with_libraries`)."""
    for answer in answers:
        yield replace(answer, suggestions=tuple(opened.with_libraries(answer.suggestions)))


def in_transactions(opened: Opened, answers: Iterator[Answer]) -> Iterator[Answer]:
    """Computes each answer within one read transaction; between two answers no transaction is open."""
    while True:
        with opened.reading():
            answer = next(answers, None)
        if answer is None:
            return
        yield answer
