"""`DraftSession`: a draft that is kept open, as an editor keeps it, with what answers need of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, Protocol, Unpack

from citewhy.answers.answer import DraftAnswer
from citewhy.answers.answering import DraftAnswering, uncalibrated
from citewhy.answers.edits import Ask, Choices, Chosen, asked_choices, patch
from citewhy.answers.options import DraftOptions, DraftWishes
from citewhy.answers.questions import remarks_on, units_of
from citewhy.answers.reread import read_paragraph_again
from citewhy.base.assets import needs_folder
from citewhy.base.config import DEFAULT_K
from citewhy.base.errors import EditConflictError, InputError
from citewhy.base.progress import Progress, silent
from citewhy.base.records import Manuscript, Place, Reference, Suggestion, Unit, UnitAnswer, UnitKind
from citewhy.drafts import read_draft, with_refused
from citewhy.drafts.bibliography import references_beside
from citewhy.drafts.edit.insertion import end_markers
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK, DraftFiles, MemoryFiles, text_to_edit
from citewhy.drafts.formats import find_root
from citewhy.drafts.project import ProjectFiles
from citewhy.drafts.roots import root_on_disk
from citewhy.ranking.recommender import Recommender
from citewhy.session.kept_answers import Kept, KeptAnswers
from citewhy.session.libraries import Libraries
from citewhy.session.models import FilePath, remarks_on_models
from citewhy.session.opened import Opened, Setting, attributed, in_transactions

if TYPE_CHECKING:
    from citewhy.ranking.classify import Classifier
    from citewhy.ranking.model_set import ModelSet
    from citewhy.ranking.rank.ranker import Pipeline

Draft = Manuscript | FilePath | Mapping[str, str | bytes]
"""A `Manuscript`, the path of a root file, or the contents of files in memory by their names."""


class At(NamedTuple):
    """A position in a file of a draft: a character or a line of it."""

    file: str
    offset: int | None = None
    """Characters of the file before it."""
    line: int | None = None
    """Its line, from 1."""


@dataclass(frozen=True, slots=True)
class _State:
    """Holds what was computed for one state of the draft and of the library."""

    manuscript: Manuscript
    recommender: Recommender
    year: int | None
    answering: DraftAnswering
    beside: tuple[str, ...]
    """Keys of the entries beside the draft."""


class Host(Protocol):
    """Is what a draft session needs of the session that opened it."""

    pipeline: Pipeline
    year: int | None
    threshold: float | None

    _libraries: Libraries

    def _setting(self, pipeline: Pipeline | None) -> Setting: ...

    def _models_of(self, pipeline: Pipeline | None) -> ModelSet: ...

    def classifier(self, given: Classifier | FilePath) -> Classifier: ...


class DraftSession:
    """A draft with unsaved changes, answered from the library of a session. Get it from
    `Session.open_draft`. Thread-safe.

    The draft is read again when one of its files, or a file that it names and that did not exist, has
    changed; what answers need of it is kept until then, or until the library changes.
    """

    def __init__(
        self, session: Host, draft: Draft, root: str | None = None, *, follow_outside: bool = False
    ) -> None:
        """Opens a draft on disk (its root file) or in memory. Nothing is read yet. Raises InputError for
        files in memory of which none or more than one can be the root, if `root` does not name it."""
        self._session = session
        self._manuscript: Manuscript | None = draft if isinstance(draft, Manuscript) else None
        self._fixed = isinstance(draft, Manuscript)
        self._files = _WatchedFiles(DISK)
        self._root: PurePath = PurePath()
        if isinstance(draft, Mapping):
            held = MemoryFiles(draft)
            self._files = _WatchedFiles(held)
            self._root = find_root(held) if root is None else held.path(root)
            if not held.is_file(self._root):
                hint = f"the files given are {', '.join(draft) or 'none'}"
                raise InputError("no such file, expected a draft", path=root, hint=hint)
        elif not isinstance(draft, Manuscript):
            self._root = on_disk = root_on_disk(draft)
            self._files = _WatchedFiles(DISK if follow_outside else ProjectFiles(on_disk))
        self._state: _State | None = None
        self._kept = KeptAnswers()
        self._answered: Manuscript | None = None
        """The draft as the last answers had it; edits are of this one, and refused where it has changed."""
        self._answering_from: tuple[Opened, bool] | None = None
        """What gave the last answers, and whether with vectors."""
        self._lock = threading.RLock()

    def update(self, files: Mapping[str, str | bytes | None]) -> None:
        """Sets the unsaved contents of files, by name; None: the file is as on disk again."""
        with self._lock:
            self._files.update(files)

    @property
    def files(self) -> DraftFiles:
        """The files of the draft, with the unsaved ones."""
        return self._files

    @property
    def on_disk(self) -> bool:
        """Whether the draft lies on disk, not in memory."""
        return not self._fixed and self._files.on_disk

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files of a draft in memory; of one on disk none."""
        return self._files.names

    @property
    def manuscript(self) -> Manuscript:
        """The draft as it is now. Raises what `drafts.read` raises."""
        with self._lock:
            if self._manuscript is None:
                self._manuscript = self._read()
            elif not self._fixed and (changed := self._files.changed()):
                self._manuscript = self._read_paragraph(self._manuscript, changed) or self._read()
            return self._manuscript

    def _read_paragraph(self, manuscript: Manuscript, changed: Collection[PurePath]) -> Manuscript | None:
        """The draft as it is now, if only a paragraph of it has changed (`answers.reread`)."""
        files = self._files
        name = next((name for name in manuscript.files if changed == {files.resolve(files.path(name))}), None)
        before = None if name is None else files.as_read(files.path(name))
        if name is None or before is None or not files.is_file(files.path(name)):
            return None
        state = files.state_of(files.path(name))  # before it is read: what changes meanwhile is seen later
        now = files.read(files.path(name))
        if not (_is_text(before) and _is_text(now)):  # of which there is a problem to be said
            return None
        texts = (text_to_edit(MemoryFiles({name: content}), name) for content in (before, now))
        again = read_paragraph_again(manuscript, name, *texts)
        if again is not None:
            files.renew(files.path(name), now, state)
        return again

    def _read(self) -> Manuscript:
        self._files.forget()
        if self._files.is_saved(self._root) and not self._files.read(self._root):
            name = self._files.name(self._root)
            raise InputError("the file is empty, expected a draft", path=name, hint="was it saved?")
        return with_refused(read_draft(self._files, self._root), self._files.refused)

    def units(self, kinds: Sequence[UnitKind] = ("place",), at: At | None = None) -> list[Unit]:
        """The units of the draft in reading order: all, or those at a position, of which the citations come
        before the paragraph around them."""
        return _units_of(self.manuscript, kinds, at)

    # Answers ----------------------------------------------------------------------------------------------

    @property
    def remarks(self) -> tuple[str, ...]:
        """Tells people what they should know of the library that answers, a sentence each."""
        return self._session._libraries.of(self.manuscript).remarks

    @property
    def library(self) -> str:
        """The folder of the library that answers or, where it is made of them, the names of the draft's
        bibliographies."""
        return self._session._libraries.of(self.manuscript).name

    @property
    def answered_by(self) -> str:
        """A name for the library below the draft's bibliography, in its state, and for the models."""
        return f"{self._session._libraries.identity()} {self._session._models_of(None)}"

    def prepare(self, progress: Progress = silent, *, intents: bool = False) -> None:
        """Opens what the first answer needs, as `Session.prepare`; waits until all entries of the draft's
        bibliography are encoded, however many there are."""
        session = self._session
        setting = session._setting(None)
        opened, recommender = session._libraries.recommender([self.manuscript], setting, progress)
        if opened.lacks_entries:
            recommender = opened.recommender(replace(setting, until="papers"), progress)
        if intents:
            recommender.classify_contexts(progress)

    def advise(
        self,
        k: int | None = None,
        *,
        at: At | None = None,
        options: DraftOptions = DraftOptions(),  # noqa: B008 # immutable
        pipeline: Pipeline | None = None,
        cancelled: Callable[[], bool] | None = None,
        **wishes: Unpack[DraftWishes],
    ) -> DraftAnswer:
        """The best `k` papers for each wished unit of the draft (`DraftOptions`), in reading order; at a
        position `at`, only for the units there. Sentences that need a citation (`needed`) come in the order
        of a review, surest first; which these are is found out at once. The answers are computed while the
        result is iterated, all from one state of draft and library; `cancelled` is asked before each of them.

        Raises QueryError for wishes that exclude each other.
        """
        options = replace(options, **wishes) if k is None else replace(options, k=k, **wishes)
        session = self._session
        manuscript, opened, recommender, options = self._asked(options, pipeline)
        answer = self._needed if options.needed else self._wished
        with opened.reading():
            units, answers = answer(recommender, manuscript, options, at)
        coming = in_transactions(opened, attributed(opened, answers))
        models = session._models_of(pipeline)
        text = " ".join(
            sentence.text for paragraph in manuscript.paragraphs for sentence in paragraph.sentences
        )
        titles = [reference.paper.title for reference in manuscript.references if reference.paper.title]
        told = remarks_on_models(models, pipeline or session.pipeline, options.units)
        return DraftAnswer(
            manuscript=manuscript,
            units=units,
            coming=coming if recommender.calibrated else uncalibrated(coming),
            options=options,
            remarks=(*told, *opened.remarks, *remarks_on(text, models.encoder, titles)),
            library=opened.name,
            pipeline=pipeline or session.pipeline,
            encoded=recommender.has_vectors,
            cancelled=cancelled,
        )

    def _asked(
        self, options: DraftOptions, pipeline: Pipeline | None = None, *, at_once: bool = False
    ) -> tuple[Manuscript, Opened, Recommender, DraftOptions]:
        """The draft that is asked about, what answers it, and the wishes with what the session says of
        them."""
        options.check()
        session, manuscript = self._session, self.manuscript
        # Before the transaction: within it, what others index meanwhile would look like a loss.
        setting = replace(session._setting(pipeline), at_once=at_once)
        opened, recommender = session._libraries.recommender([manuscript], setting)
        threshold = session.threshold if options.threshold is None else options.threshold
        year = session.year if options.year is None else options.year
        with self._lock:
            self._answered = manuscript
            self._answering_from = opened, recommender.has_vectors
        options = replace(options, threshold=opened.threshold(threshold, recommender), year=year)
        return manuscript, opened, recommender, options

    def answers(
        self, units: Sequence[Unit], options: DraftOptions, *, at_once: bool = False
    ) -> Iterator[Kept]:
        """The answers to units of the draft, of which those that were given before to the same question come
        first (`kept_answers`), then the others in their order; last, once more, those that were made from
        other evidence. `at_once`: none waits until texts are encoded; answers from words alone come before
        (`Kept.preliminary`), and when the texts are (`has_better`), asking again gives the others."""
        manuscript, opened, recommender, options = self._asked(options, at_once=at_once)
        with opened.reading():
            answering = self._answering(recommender, manuscript, options.year)
        beside = () if self._state is None else self._state.beside
        state = (opened.state, recommender.has_vectors, beside)

        def ask(some: Sequence[Unit]) -> Iterator[UnitAnswer]:
            answers = attributed(opened, answering.answers(some, options))
            return answers if recommender.calibrated else uncalibrated(answers)

        preliminary = not recommender.has_vectors and opened.is_soon_improved
        kept = self._kept.answers(answering, units, options, state, ask, preliminary=preliminary)
        return in_transactions(opened, kept)

    @property
    def has_better(self) -> bool:
        """Whether texts have been encoded since the last answers, which can be given better now."""
        if self._answering_from is None:
            return False
        opened, had_vectors = self._answering_from
        return opened.is_improved or (not had_vectors and opened.has_vectors)

    def _wished(
        self, recommender: Recommender, manuscript: Manuscript, options: DraftOptions, at: At | None
    ) -> tuple[list[Unit], Iterator[UnitAnswer]]:
        """Returns the wished units, and their answers to come."""
        units = _units_of(manuscript, options.units, at)
        return units, self._answering(recommender, manuscript, options.year).answers(units, options)

    def _needed(
        self, recommender: Recommender, manuscript: Manuscript, options: DraftOptions, at: At | None
    ) -> tuple[list[Unit], Iterator[UnitAnswer]]:
        """Returns the sentences that cite nothing but should, as units without a marker, and their answers to
        come. All such sentences of the draft are marked, also for those at a position: the answers are those
        of a review."""
        from citewhy.answers.review import uncited_claims, with_open_citations  # for one wish

        remarks = uncited_claims(self._session.classifier(needs_folder()), manuscript)
        marked, citations = with_open_citations(manuscript, remarks)
        units = [
            Unit("place", remark.sentence.place, None, remark.sentence, remark.paragraph)
            for remark in remarks
        ]
        citation_at = {unit.place: citation for unit, citation in zip(units, citations, strict=True)}
        units = units if at is None else _units_at(units, at)
        answering = DraftAnswering(recommender, marked, options.year, self._beside(marked))
        answers = answering.answers([citation_at[unit.place] for unit in units], options)
        return units, (
            UnitAnswer(unit, answer.suggestions, several=answer.several)
            for unit, answer in zip(units, answers, strict=True)
        )

    def suggest_at(self, at: At, k: int | None = None, **wishes: Unpack[DraftWishes]) -> UnitAnswer | None:
        """The answer to the first unit at a position; None where there is none."""
        return next(iter(self.advise(k, at=at, **wishes)), None)

    def look_up(self, text: str, k: int = DEFAULT_K) -> list[Suggestion]:
        """The best `k` papers that a text names, and those with its words, in the library that answers the
        draft, with the keys that it would cite them by."""
        with self._answering_now() as answering:
            return answering.look_up(text, k) if text.strip() else []

    def with_key(self, key: str) -> Suggestion | None:
        """The paper of a key (`DraftAnswering.with_key`); None where no bibliography has it, and the library
        no paper that it names for certain."""
        with self._answering_now() as answering:
            return answering.with_key(key)

    @contextmanager
    def _answering_now(self) -> Iterator[DraftAnswering]:
        """What answers the draft as the last answers had it, within one read of its library."""
        opened, answering = self._answering_of(self._edited())
        with opened.reading():
            yield answering

    def answering(
        self, progress: Progress = silent, pipeline: Pipeline | None = None
    ) -> tuple[Opened, DraftAnswering]:
        """What answers the draft as it is now, and the state of the library that it answers from: each answer
        is asked for within one read of it (`Opened.reading`). `pipeline` None: that of the session."""
        return self._answering_of(self.manuscript, progress, pipeline)

    def _answering_of(
        self, manuscript: Manuscript, progress: Progress = silent, pipeline: Pipeline | None = None
    ) -> tuple[Opened, DraftAnswering]:
        session = self._session
        setting = session._setting(pipeline)
        opened, recommender = session._libraries.recommender([manuscript], setting, progress)
        with opened.reading():
            return opened, self._answering(recommender, manuscript, session.year)

    def release(self) -> None:
        """Forgets what was computed for answers, with the index and the models that it refers to."""
        with self._lock:
            self._state = None

    def _answering(
        self, recommender: Recommender, manuscript: Manuscript, year: int | None
    ) -> DraftAnswering:
        with self._lock:
            state = self._state
            if (
                state is None
                or state.manuscript is not manuscript
                or state.recommender is not recommender
                or state.year != year
            ):
                beside = self._beside(manuscript)
                before = None if state is None else state.answering
                answering = DraftAnswering(recommender, manuscript, year, beside, before)
                keys = tuple(reference.key for reference in beside)
                state = self._state = _State(manuscript, recommender, year, answering, keys)
            return state.answering

    def _beside(self, manuscript: Manuscript) -> list[Reference]:
        return references_beside(self._files, manuscript)

    # Edits ------------------------------------------------------------------------------------------------

    def first_choices(self, answer: DraftAnswer, at_least: float | None = None) -> Choices:
        """The first suggestions, where they are probable enough to be written
        (`DraftAnswer.first_choices`)."""
        return answer.first_choices(self._files, at_least)

    def asked_choices(self, answers: Iterable[UnitAnswer], ask: Ask, *, outside: bool = False) -> Choices:
        """The suggestions that the author chooses when asked by `ask`."""
        return asked_choices(answers, self._edited(), ask, self._files, outside=outside)

    def ends_of(self, units: Sequence[Unit]) -> dict[Place, Unit]:
        """Units of sentences that cite nothing, by their places, each with an open citation at the end of its
        sentence that an edit can write; none where it could not be read (`insertion.end_markers`)."""
        sentences = [unit.sentence for unit in units if unit.sentence is not None]
        ends = end_markers(self._edited(), sentences, self._files)
        return {unit.place: replace(unit, marker=ends[unit.place]) for unit in units if unit.place in ends}

    def edit(self, chosen: Iterable[Chosen], *, outside: bool = False) -> Patch:
        """An edit that inserts the keys of the chosen papers into the citations, and new entries into the
        bibliography. Errors as for `edits.patch`."""
        return patch(self._edited(), chosen, self._files.to_edit, outside=outside)

    def renew(self) -> Manuscript:
        """Makes the draft as it is now the one that papers and edits are asked for, as answers do."""
        with self._lock:
            self._answered = self.manuscript
            return self._answered

    def _edited(self) -> Manuscript:
        """The draft that was answered, whose positions and keys the chosen papers refer to. Raises
        EditConflictError if it has changed since."""
        with self._lock:
            manuscript = self.manuscript
            if self._answered is not None and manuscript is not self._answered:
                raise EditConflictError(
                    "the draft has changed since its papers were suggested",
                    path=manuscript.path,
                    hint="ask for suggestions again",
                )
            return manuscript


def _units_of(manuscript: Manuscript, kinds: Sequence[UnitKind], at: At | None) -> list[Unit]:
    units = list(units_of(manuscript, kinds))
    return units if at is None else _units_at(units, at)


def _units_at(units: Sequence[Unit], at: At) -> list[Unit]:
    """The units whose citations are at a position, or else in the sentence there, or else in the paragraph;
    paragraphs that contain it come last."""

    def is_at(place: Place | None) -> bool:
        if place is None or place.file != at.file:
            return False
        by_offset = at.offset is not None and place.start <= at.offset <= place.end
        return by_offset or (at.line is not None and place.line == at.line)

    citations = [unit for unit in units if unit.kind in ("place", "set")]
    exact = [unit for unit in citations if is_at(unit.place)]
    near = exact or [unit for unit in citations if is_at(unit.sentence.place if unit.sentence else None)]
    around = [
        unit
        for unit in units
        if unit.kind == "paragraph"
        and unit.paragraph is not None
        and any(is_at(sentence.place) for sentence in unit.paragraph.sentences)
    ]
    return near + around


# Files ----------------------------------------------------------------------------------------------------

_BIBLIOGRAPHY = ".bib"


def _is_text(content: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


class _WatchedFiles:
    """The files of a draft with unsaved contents over them. Remembers the state of every file that was asked
    for, existing or not, and so knows whether the draft has to be read again."""

    def __init__(self, below: DraftFiles) -> None:
        self._below = below
        self._unsaved: dict[PurePath, bytes] = {}
        self._states: dict[PurePath, object] = {}
        self._contents: dict[PurePath, bytes] = {}
        """What was read last of the texts of the draft."""
        self._listed: dict[tuple[PurePath, str, bool], list[PurePath]] = {}
        self._lock = threading.Lock()
        """For the three above, which edits and choices of other threads add to."""

    @property
    def refused(self) -> Sequence[str]:
        """The names of files that exist and were not read, since they are outside of the project."""
        return tuple(self._below.refused) if isinstance(self._below, ProjectFiles) else ()

    @property
    def on_disk(self) -> bool:
        """Whether they lie on disk, but for unsaved contents."""
        return not isinstance(self._below, MemoryFiles)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that are in memory, if all are."""
        if not isinstance(self._below, MemoryFiles):
            return ()
        return tuple(map(self.name, dict.fromkeys((*self._below.paths, *self._unsaved))))

    @property
    def to_edit(self) -> DraftFiles:
        """The files that an edit reads: without unsaved ones those below, so that it can be applied."""
        below = DISK if isinstance(self._below, ProjectFiles) else self._below
        return self if self._unsaved else below

    def update(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, content in files.items():
            path = self.resolve(self.path(name))
            if content is None:
                self._unsaved.pop(path, None)
            else:
                self._unsaved[path] = content.encode() if isinstance(content, str) else content

    def changed(self) -> set[PurePath]:
        """The files that were asked for and have changed since, or appeared, or are gone, and the folders in
        which others are."""
        with self._lock:
            states, listed = list(self._states.items()), list(self._listed.items())
        files = {self.resolve(path) for path, state in states if self.state_of(path) != state}
        return files | {
            folder
            for (folder, suffix, below), paths in listed
            if self._below.in_folder(folder, suffix, below=below) != paths
        }

    def as_read(self, path: PurePath) -> bytes | None:
        """A text of the draft as it was read last; None if it was not."""
        return self._contents.get(self.resolve(path))

    def renew(self, path: PurePath, content: bytes, state: object) -> None:
        """Remembers the state in which a file was read once more, with this content."""
        with self._lock:
            wanted = self.resolve(path)
            same = [one for one in self._states if self.resolve(one) == wanted]
            self._states.update(dict.fromkeys(same, state))
            self._contents[wanted] = content

    def forget(self) -> None:
        """Forgets what was asked for, before the draft is read again."""
        with self._lock:
            self._states.clear()
            self._contents.clear()
            self._listed.clear()
        if isinstance(self._below, ProjectFiles):
            self._below.refused.clear()

    def state_of(self, path: PurePath) -> object:
        """The state of a file, which is another one whenever its content is; None if there is none."""
        unsaved = self._unsaved.get(self.resolve(path)) if self._unsaved else None
        if unsaved is not None:
            return hash(unsaved), len(unsaved)
        if isinstance(self._below, MemoryFiles):
            return self._below.is_file(path)
        try:
            status = os.stat(path)  # noqa: PTH116 # of all files of a draft, many times a second
        except (OSError, ValueError):
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def path(self, name: FilePath) -> PurePath:
        return self._below.path(name)

    def normal(self, path: PurePath) -> PurePath:
        return self._below.normal(path)

    def resolve(self, path: PurePath) -> PurePath:
        return self._below.resolve(path)

    def name(self, path: PurePath) -> str:
        return self._below.name(path)

    def is_saved(self, path: PurePath) -> bool:
        """Whether a file is on disk, without unsaved contents."""
        return self.on_disk and self.resolve(path) not in self._unsaved and self.is_file(path)

    def is_file(self, path: PurePath) -> bool:
        self._remember(path)
        return self.resolve(path) in self._unsaved or self._below.is_file(path)

    def _remember(self, path: PurePath) -> None:
        state = self.state_of(path)
        with self._lock:
            self._states.setdefault(path, state)

    def read(self, path: PurePath, limit: int | None = None) -> bytes:
        self._remember(path)
        content = self._unsaved.get(self.resolve(path))
        if content is None:
            content = self._below.read(path, limit)
        if path.suffix != _BIBLIOGRAPHY:
            with self._lock:
                self._contents[self.resolve(path)] = content
        return content

    def in_folder(self, folder: PurePath, suffix: str, *, below: bool = False) -> list[PurePath]:
        paths = self._below.in_folder(folder, suffix, below=below)
        with self._lock:
            self._listed[folder, suffix, below] = paths
        return paths
