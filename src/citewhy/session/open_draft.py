"""`OpenDraft`: a draft in front of its author, with what was decided for each of its places.

Interactive interfaces show a draft for hours, while it changes on disk. Here its places have ids that last
while other text changes, its states are numbered, and what the author chose, rejected or settled stays with
the place.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.answers.edits import LeftOpen
from citewhy.answers.options import DraftOptions
from citewhy.answers.review import uncited_claims
from citewhy.base.assets import needs_folder
from citewhy.base.errors import CiteWhyError, EditConflictError, InputError, QueryError
from citewhy.base.records import (
    Manuscript,
    Marker,
    Paper,
    Place,
    Reference,
    Suggestion,
    Unit,
    UnitAnswer,
)
from citewhy.drafts.edit.decisions import Decision, Decisions, Where
from citewhy.drafts.edit.journal import can_undo
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import read_text
from citewhy.drafts.outline import Heading, outline
from citewhy.session.draft_places import DraftPlace, Sentences, moved, places_of
from citewhy.session.draft_session import At, Draft, DraftSession
from citewhy.session.session import Session

_NO_END = "a citation at the end of its sentence would not be read as one there; write it by hand"

SPARE = 4
"""Papers that are asked for beyond those that are shown, to take the place of rejected ones."""


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A source file of a draft."""

    name: str
    """Relative to the folder of the root file, with ``/``."""
    text: str
    """Empty for a file that is no text."""
    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class DraftState:
    """One state of a draft, as it was read."""

    revision: int
    """Its number, from 1 for the state that was read first."""
    manuscript: Manuscript
    files: tuple[DraftFile, ...]
    places: tuple[DraftPlace, ...]
    """In reading order."""
    claims: tuple[DraftPlace, ...] | None
    """The sentences that cite nothing and need a citation, surest first; None: not looked for yet."""

    def place(self, identifier: str) -> DraftPlace:
        """The place with an id. Raises QueryError if the draft has none, or no longer."""
        for one in (*self.places, *(self.claims or ())):
            if one.id == identifier:
                return one
        raise QueryError(
            f"the draft has no place {identifier!r}", hint="its sentence has changed; ask for the draft again"
        )


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """The answer to a place, without the papers that were rejected for it."""

    place: DraftPlace
    answer: UnitAnswer
    current: bool
    """Whether nothing has changed of what it was made from; if not, another one follows."""
    preliminary: bool = False
    """Whether it was made from words alone, and has no probabilities, because texts are encoded in this
    moment; then another one follows."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The edit that writes what is chosen."""

    revision: int
    patch: Patch | None
    """None: nothing is chosen."""
    places: tuple[str, ...]
    """The ids of the places that it fills."""
    left: tuple[tuple[str, LeftOpen], ...]
    """Places with chosen papers that stay open, by id, and why."""


class OpenDraft:
    """A draft that is open in front of its author. Thread-safe.

    A draft on disk is followed: each question is about its files as they are now. A draft in memory keeps its
    edits in memory.
    """

    def __init__(self, session: Session, draft: Draft, root: str | None = None) -> None:
        """Opens a draft on disk (its root file, or its folder) or in memory, and reads it. Raises as
        `Session.read`."""
        self.draft: DraftSession = session.open_draft(draft, root)
        self._session = session
        self._lock = threading.RLock()
        self._claiming = threading.Lock()
        """Held while claims are looked for, which takes long, and keeps nobody else waiting."""
        self._state: DraftState | None = None
        self._last: dict[str, tuple[Suggestion, ...]] = {}
        """What was suggested last for each place, by id."""
        self._uncited: Sentences | None = None
        self._compared: frozenset[str] | set[str] = frozenset()
        """The ids of the places with which those that are gone have been compared."""
        self._written: list[tuple[dict[str, Decision], dict[str, bytes | None]]] = []
        """For each edit that was applied here: what had been decided for its places and, of a draft in
        memory, the contents of its files before."""
        manuscript = self.draft.manuscript
        self.on_disk = self.draft.on_disk
        """Whether it lies on disk, not in memory."""
        self.root = manuscript.path
        """The root file, as the manuscript names it."""
        self.decisions = Decisions(Path(self.root) if self.on_disk else None)
        self.state()

    # The draft --------------------------------------------------------------------------------------------

    def name_of(self, file: str) -> str:
        """What a file of the manuscript is called: relative to the folder of the root file."""
        if not self.on_disk:
            return file
        return Path(os.path.relpath(file, Path(self.root).parent)).as_posix()

    def state(self, *, claims: bool = False) -> DraftState:
        """The draft as its files are now; with its uncited `claims`, if these are wanted, or known already.
        Raises as `DraftSession.manuscript`; then the state before stays."""
        with self._lock:
            manuscript = self.draft.manuscript
            known = self._state
            if known is None or known.manuscript is not manuscript:
                known = self._state = self._read(manuscript, known)
        if not claims or known.claims is not None:
            return known
        with self._claiming:
            found = uncited_claims(self._session.classifier(needs_folder()), manuscript)
        at = self._sentences(known).at
        with_claims = replace(
            known, claims=tuple(replace(at[one.sentence.place], claim=one) for one in found)
        )
        with self._lock:
            if self._state is known:
                self._state = with_claims
        return with_claims

    def place(self, identifier: str) -> DraftPlace:
        """The place with an id: an open citation, or a sentence that may need one. Raises as
        `DraftState.place`."""
        state = self.state()
        if any(one.id == identifier for one in state.places):
            return state.place(identifier)
        return self._sentences(state).by_id.get(identifier) or state.place(identifier)

    def has_changed(self) -> bool:
        """Whether the files have changed since the state that was read last; a draft that cannot be read
        has."""
        try:
            return self._state is None or self.draft.manuscript is not self._state.manuscript
        except InputError:
            return True

    def _read(self, manuscript: Manuscript, before: DraftState | None) -> DraftState:
        known = {} if before is None else {file.name: file for file in before.files}
        named = {name: self.name_of(name) for name in manuscript.files}
        files = tuple(_file(self.draft, manuscript, name, called, known) for name, called in named.items())
        units = self.draft.units() if self.draft.manuscript is manuscript else []
        places = tuple(places_of(units, self.name_of))
        kept = {one.id for one in (*places, *((before and before.claims) or ()))}
        self._last = {one: suggested for one, suggested in self._last.items() if one in kept}
        revision = 1 if before is None else before.revision
        if before is not None and (before.files != files or before.manuscript != manuscript):
            revision += 1
        state = DraftState(revision, manuscript, files, places, None)
        self._follow(state)
        return state

    def _follow(self, state: DraftState) -> None:
        """What was decided for a place is decided for the one that it has become, also while nothing
        followed the draft."""
        present = {one.id for one in state.places}
        gone = {
            identifier: (one.file, one.sentence)
            for identifier, one in self.decisions.made.items()
            if one.sentence and identifier not in present
        }
        uncited = self._sentences(state).by_id if gone else {}
        gone = {identifier: where for identifier, where in gone.items() if identifier not in uncited}
        known, self._compared = self._compared, present | uncited.keys()
        new = [one for one in (*state.places, *uncited.values()) if one.id not in known]
        changes = moved(self.decisions, gone, new, self.name_of)
        with contextlib.suppress(CiteWhyError):  # another process changes the draft: it is lost, and no more
            self.decisions.change(changes)

    def _where(self, place: DraftPlace) -> Where:
        return self.name_of(place.unit.place.file), place.sentence

    def _sentences(self, state: DraftState) -> Sentences:
        """The sentences of a state where no citation is open."""
        with self._lock:
            if self._uncited is None or self._uncited.manuscript is not state.manuscript:
                self._uncited = Sentences(state.manuscript, state.places, self.name_of)
            return self._uncited

    # Answers ----------------------------------------------------------------------------------------------

    def answers(
        self,
        k: int,
        *,
        places: Sequence[DraftPlace] | None = None,
        options: DraftOptions = DraftOptions(),  # noqa: B008 # immutable
        cancelled: Callable[[], bool] = lambda: False,
        at_once: bool = False,
    ) -> Iterator[PlaceAnswer]:
        """The answers to places of the present state (None: all that are open), each as soon as it is ready;
        those that are known come first (`DraftSession.answers`, also on `at_once`). `cancelled` is asked
        before each."""
        wanted = self.state().places if places is None else places
        usual = [one for one in wanted if len(self.decisions[one.id].rejected) <= SPARE]
        others = [one for one in wanted if one not in usual]
        rounds = [(usual, SPARE)] if usual else []
        rounds += [([one], len(self.decisions[one.id].rejected)) for one in others]
        for some, more in rounds:
            by_place = {(one.unit.place, one.unit.kind): one for one in some}
            wishes = replace(options, k=k + more)
            units = [_asked(one.unit, self.decisions[one.id].chosen) for one in some]
            for kept in self.draft.answers(units, wishes, at_once=at_once):
                place = by_place[kept.answer.unit.place, kept.answer.unit.kind]
                answer = self._shown(place, kept.answer, k)
                yield PlaceAnswer(place, answer, kept.current, kept.preliminary)
                if cancelled():
                    return

    def _shown(self, place: DraftPlace, answer: UnitAnswer, k: int) -> UnitAnswer:
        decided, before = self.decisions[place.id], self._last.get(place.id, ())
        self._last[place.id] = (*answer.suggestions, *_chosen_before(decided, before, answer))
        shown = (one for one in answer.suggestions if one.paper.id not in decided.rejected)
        return replace(answer, suggestions=tuple(shown)[:k])

    def ask(
        self,
        place: DraftPlace | str,
        k: int,
        *,
        text: str = "",
        options: DraftOptions = DraftOptions(),  # noqa: B008
    ) -> PlaceAnswer:
        """The answer to one place (or the one with an id), or to another question `text` there, for which the
        rest of the draft is evidence as well. Raises QueryError for an unknown place."""
        if isinstance(place, str):
            place = self.place(place)
        asked = place if not text else replace(place, unit=_with_text(_asked(place.unit), text))
        *_, last = self.answers(k, places=[asked], options=options)
        return replace(last, place=place)

    def places_at(self, at: At) -> list[DraftPlace]:
        """The places at a position, whose file has the name that `name_of` gives; where none is open, the
        sentence there, as one that may need a citation."""
        state = self.state()
        names = {self.name_of(file): file for file in state.manuscript.files}
        if at.file not in names:
            raise QueryError(f"the draft has no file {at.file!r}", hint=f"it has {', '.join(names)}")
        units = self.draft.units(at=at._replace(file=names[at.file]))
        places = [place for unit in units for place in state.places if place.unit.place == unit.place]
        where = at._replace(file=names[at.file])
        return places or [one for one in self._sentences(state).by_id.values() if _holds(one, where)][:1]

    # Decisions --------------------------------------------------------------------------------------------

    def choose(self, identifier: str, papers: Sequence[str] | None, *, settled: bool = False) -> None:
        """Sets the papers that are to be written at a place, by their ids (None: as they are). Raises
        QueryError for an unknown place, or for a paper that neither was suggested there nor is in the
        library."""
        place = self.place(identifier)
        wanted = self.decisions[identifier].chosen if papers is None else tuple(dict.fromkeys(papers))
        for paper in papers or ():
            self.suggestion(place, paper)
        with self._lock:
            self.decisions.choose(identifier, wanted, self._where(place), settled=settled)

    def reject(self, identifier: str, paper: str, *, back: bool = False) -> None:
        """A paper is not suggested for a place any more; `back`: it is again. Raises QueryError for an
        unknown place."""
        with self._lock:
            where = self._where(self.place(identifier))
            (self.decisions.restore if back else self.decisions.reject)(identifier, paper, where)

    def suggestion(self, place: DraftPlace, paper: str) -> Suggestion:
        """A paper as it was suggested for a place, or as the library has it."""
        for one in self._last.get(place.id, ()):
            if one.paper.id == paper:
                return one
        return self._named(paper)

    def _named(self, paper: str) -> Suggestion:
        self.draft.renew()
        for one in self.draft.look_up(paper, 1):
            if one.paper.id == paper:
                return one
        if (named := self.draft.with_key(paper)) is not None:
            return named
        raise QueryError(f"no paper {paper!r}", hint="give the id of a paper that was suggested or found")

    def suggested(self, most: int = 3) -> list[tuple[DraftPlace, Suggestion]]:
        """The first papers that were suggested last for each place of the present state, without rejected
        ones; none for places that were not asked yet."""
        pairs = []
        for place in self.state().places:
            rejected = self.decisions[place.id].rejected
            shown = [one for one in self._last.get(place.id, ()) if one.paper.id not in rejected]
            pairs += [(place, one) for one in shown[:most]]
        return pairs

    def exported(self, papers: Sequence[str] | None = None) -> list[tuple[str, Paper]]:
        """Papers with the keys that the draft would cite them by: those with these ids, or those that are
        chosen. Raises QueryError for a paper that is unknown."""
        if papers is None:
            chosen = self._chosen(self.state())
            found = [self.suggestion(one, paper) for one in chosen for paper in self.decisions[one.id].chosen]
        else:
            found = [self._named(paper) for paper in papers]
        return list({one.key or one.paper.id: one.paper for one in found}.items())

    # Edits ------------------------------------------------------------------------------------------------

    def edition(self) -> Edition:
        """The edit of the present state that writes what is chosen; nothing is written yet. Raises as
        `DraftSession.edit`."""
        with self._lock:
            state = self.state()
            chosen = self._chosen(state)
            self.draft.renew()
            waiting = {
                place.unit.place: [self.suggestion(place, paper) for paper in self.decisions[place.id].chosen]
                for place in chosen
            }
            ends = self.draft.ends_of([place.unit for place in chosen if place.kind == "uncited"])
            units = [ends.get(place.unit.place, place.unit) for place in chosen]
            answers = [UnitAnswer(unit, tuple(waiting[unit.place])) for unit in units]

            def ask(answer: UnitAnswer, key: str) -> Sequence[Suggestion]:
                """For an undefined key, the paper that fits it, or else the next one."""
                here = waiting[answer.unit.place]
                if not key:
                    return here
                keys = answer.unit.undefined
                fits = [one for one in here if one.for_key == key]
                free = [one for one in here if one.for_key not in keys]
                picked = (fits or free)[:1]
                for one in picked:
                    here.remove(one)
                return picked

            choices = self.draft.asked_choices(answers, ask)
            ids = {place.unit.place: place.id for place in chosen}
            left = [(ids[one.place], one) for one in choices.left_open]
            left += [
                (one.id, LeftOpen(one.unit.place, _NO_END))
                for one in chosen
                if one.kind == "uncited" and one.unit.place not in ends
            ]
            ids |= {end.marker.place: ids[end.place] for end in ends.values() if end.marker is not None}
            filled = tuple(ids[marker.place] for marker, _ in choices.chosen)
            patch = self.draft.edit(choices.chosen) if choices.chosen else None
            return Edition(state.revision, patch, filled, tuple(left))

    def _chosen(self, state: DraftState) -> list[DraftPlace]:
        """The places with chosen papers: the open ones in reading order, then sentences without any."""
        ids = {identifier for identifier, one in self.decisions.made.items() if one.chosen}
        chosen = [place for place in state.places if place.id in ids]
        if rest := ids - {place.id for place in chosen}:
            chosen += [place for one, place in self._sentences(state).by_id.items() if one in rest]
        return chosen

    def write(self, revision: int | None = None) -> Edition:
        """Applies the edit: to the files on disk, or to those in memory. What was chosen for its places is
        taken as done. Raises EditConflictError if the draft is not in the state `revision` any more, or
        changes meanwhile, QueryError if nothing is chosen, and as `Patch.apply`."""
        with self._lock:
            edition = self.edition()
            if revision is not None and revision != edition.revision:
                raise EditConflictError(
                    "the draft has changed since the edit was shown",
                    path=self.root,
                    hint="nothing was written; look at the edit again",
                )
            if edition.patch is None:
                raise QueryError("nothing is chosen that can be written", hint="choose papers for a place")
            before: dict[str, bytes | None] = {}
            if self.on_disk:
                edition.patch.apply()
            else:
                after = edition.patch.contents()
                files = self.draft.files
                for name in after:
                    path = files.path(name)
                    before[name] = files.read(path) if files.is_file(path) else None
                self.draft.update(after)
            made = {identifier: self.decisions[identifier] for identifier in edition.places}
            self._written.append((made, before))
            self.decisions.change({one: replace(made[one], chosen=()) for one in made})
            return edition

    def undo(self) -> tuple[str, ...]:
        """Takes the last edit back, and returns the names of the restored files; what was chosen for its
        places is chosen again. Raises QueryError if there is none, EditConflictError if a file has
        changed."""
        with self._lock:
            made, before = self._written[-1] if self._written else ({}, {})
            if self.on_disk:
                restored = tuple(self.name_of(str(path)) for path in self._session.undo(self.root))
            elif self._written:
                self.draft.update(before)
                restored = tuple(before)
            else:
                raise QueryError("nothing to undo")
            if self._written:
                self._written.pop()
                self.decisions.change(made)
            return restored

    def contents(self) -> dict[str, bytes]:
        """The files of the draft with its bibliographies, as they are now, by their names; of a draft in
        memory, all that were given."""
        files, manuscript = self.draft.files, self.state().manuscript
        names = self.draft.names or (*manuscript.files, *manuscript.bibliographies)
        paths = {self.name_of(name): files.path(name) for name in names}
        return {name: files.read(path) for name, path in paths.items() if files.is_file(path)}

    @property
    def undoable(self) -> bool:
        """Whether there is an edit to take back."""
        return can_undo(Path(self.root)) if self.on_disk else bool(self._written)


def _file(
    draft: DraftSession, manuscript: Manuscript, name: str, called: str, before: Mapping[str, DraftFile]
) -> DraftFile:
    """A file of a draft; the one of the state `before`, if it has not changed."""
    try:
        text = read_text(draft.files, draft.files.path(name))
    except InputError:  # a package, such as a document of a word processor
        text = ""
    known = before.get(called)
    if known is not None and known.text == text:
        return known
    return DraftFile(called, text, tuple(outline(manuscript.format, text)))


def _chosen_before(decided: Decision, before: Sequence[Suggestion], answer: UnitAnswer) -> list[Suggestion]:
    """The chosen papers as they were suggested, where an answer beside them does not have them."""
    now = {one.paper.id for one in answer.suggestions}
    return [one for one in before if one.paper.id in decided.chosen and one.paper.id not in now]


def references_of(state: DraftState) -> list[tuple[Reference, tuple[Place, ...]]]:
    """The entries of the bibliography of a state, each with the places that cite it."""
    cited: dict[str, list[Place]] = {}
    for marker in state.manuscript.markers:
        for key in marker.keys:
            cited.setdefault(key, []).append(marker.place)
    entries = state.manuscript.references
    return [(reference, tuple(cited.get(reference.key, ()))) for reference in entries]


def _holds(place: DraftPlace, at: At) -> bool:
    """Whether a position is in the sentence of a place."""
    where = place.unit.place
    by_offset = at.offset is not None and where.start <= at.offset <= where.end
    return where.file == at.file and (by_offset or (at.line is not None and where.line == at.line))


def _asked(unit: Unit, chosen: Sequence[str] = ()) -> Unit:
    """The unit as it is asked: a sentence that cites nothing is asked like an open citation at its end. With
    `chosen` papers, those that go with them are asked for, unless its keys say what it wants."""
    if chosen and unit.kind == "place" and not unit.undefined:
        unit = replace(unit, chosen=tuple(chosen))
    if unit.marker is not None or unit.kind != "place" or unit.sentence is None:
        return unit
    sentence = unit.sentence
    end = replace(sentence.place, start=sentence.place.end)
    marker = Marker(end, (), True, len(sentence.text.rstrip(" .;:")))
    return replace(unit, marker=marker, sentence=replace(sentence, markers=(*sentence.markers, marker)))


def _with_text(unit: Unit, text: str) -> Unit:
    """The unit with another question in the place of its sentence."""
    if unit.sentence is None:
        raise QueryError("there is no sentence to replace", hint="ask without a text of your own")
    marker = None if unit.marker is None else replace(unit.marker, offset=len(text), note="")
    sentence = replace(unit.sentence, text=text, markers=() if marker is None else (marker,))
    return replace(unit, marker=marker, sentence=sentence, undefined=())
