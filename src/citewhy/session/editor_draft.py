"""`EditorDraft`: a draft in an editor, answered at the cursor while its text changes with every key."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from citewhy.answers.answering import DraftAnswering
from citewhy.answers.at_cursor import unit_at
from citewhy.answers.completing import Completion, completions
from citewhy.answers.options import DraftOptions
from citewhy.base.progress import Progress, silent
from citewhy.base.records import Manuscript, Paper, Suggestion, Unit, UnitAnswer
from citewhy.drafts.edit.citations import add_entries
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import text_to_edit
from citewhy.drafts.typed import TypedKey, typed_key
from citewhy.session.draft_session import DraftSession
from citewhy.session.opened import Opened
from citewhy.session.session import Session

MOST_RANKED = 200
"""Papers that are ranked for a citation that is being typed."""


@dataclass(frozen=True, slots=True)
class Typing:
    """A key that is being typed, and the papers for it."""

    key: TypedKey
    unit: Unit | None
    """The citation as it was asked; None if it was not: nothing answers yet, or it is in no sentence."""
    ranked: tuple[Suggestion, ...]
    """Papers for the sentence, the best first, each with its key, without reasons."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The draft as it was read last."""

    manuscript: Manuscript
    texts: Mapping[str, str]
    """The files as they were read, by the names that the manuscript has for them."""
    names: Mapping[PurePath, str]
    """These names by the files themselves."""
    answers: tuple[Opened, DraftAnswering] | None = None
    """What answers it; None until it is open."""


class EditorDraft:
    """A draft with unsaved changes. Thread-safe.

    To read a thesis takes seconds, and a key press milliseconds. So `typing` answers from the draft as
    `refresh` read it last, with the sentence as it stands now; `refresh` is called after a pause.
    """

    def __init__(self, session: Session, root: Path) -> None:
        """Opens the draft with this root file. Nothing is read yet."""
        self.draft: DraftSession = session.open_draft(root)
        self._last: _Read | None = None
        self._refreshing = threading.Lock()
        self._asked: tuple[object, Typing] | None = None
        self._explained: dict[Unit, UnitAnswer] = {}

    @property
    def manuscript(self) -> Manuscript | None:
        """The draft as it was read last; None before."""
        return None if self._last is None else self._last.manuscript

    def text_of(self, name: str) -> str:
        """A file of the draft as it was read last; empty for another one."""
        return "" if self._last is None else self._last.texts.get(name, "")

    def change(self, file: Path, text: str | None) -> None:
        """Sets the unsaved text of a file; None: it is as on disk."""
        self.draft.update({str(file): text})

    def refresh(self, progress: Progress = silent) -> Manuscript:
        """Reads the draft again if it has changed, and opens what answers it. Raises as
        `DraftSession.manuscript` and `answering`."""
        with self._refreshing:
            manuscript = self.draft.manuscript
            last = self._last
            if last is None or last.manuscript is not manuscript:
                last = self._last = self._read(manuscript, None if last is None else last.answers)
            if last.answers is None:
                # Words are there at once, and meaning when everything is encoded.
                last = self._last = replace(last, answers=self.draft.answering(pipeline="bm25"))
            answers = self.draft.answering(progress)
            if answers != last.answers:
                self._answer_with(last, answers, progress)
            return manuscript

    def _read(self, manuscript: Manuscript, answers: tuple[Opened, DraftAnswering] | None) -> _Read:
        files = self.draft.files
        texts = {name: text_to_edit(files, name) for name in manuscript.files}
        names = {files.resolve(files.path(name)): name for name in reversed(manuscript.files)}
        return _Read(manuscript, texts, names, answers)

    def _answer_with(self, last: _Read, answers: tuple[Opened, DraftAnswering], progress: Progress) -> None:
        """Answers from now on with something else, after it has computed what the first answer needs."""
        opened, answering = answers
        with opened.reading():
            answering.prepare(progress)
        before, self._last = last.answers, replace(last, answers=answers)
        if before is None or not before[1].answers_like(answering):
            self._asked = None
        self._explained.clear()

    def name_of(self, file: Path) -> str | None:
        """The name that the manuscript has for a file; None if the draft does not consist of it."""
        files = self.draft.files
        return None if self._last is None else self._last.names.get(files.resolve(files.path(file)))

    def typing(self, file: Path, text: str, offset: int, form: str) -> Typing | None:
        """The key that is typed at an offset of the present text of a file, with the papers for it; None
        where no citation is. `form` is the name of the format, for a draft that has not been read yet."""
        last = self._last
        typed = typed_key(last.manuscript.format if last else form, text, offset)
        if typed is None:
            return None
        name = self.name_of(file)
        if last is None or last.answers is None or name is None:
            return Typing(typed, None, ())
        # While letters are typed, the question stays as it is, even if the draft is read again meanwhile.
        question = (name, text[: typed.start], text[typed.end :])
        if (asked := self._asked) is not None and asked[0] == question:
            return replace(asked[1], key=typed)
        opened, answering = last.answers
        unit = unit_at(last.manuscript, name, last.texts.get(name, ""), text, typed)
        ranked: Sequence[Suggestion] = ()
        if unit is not None:
            with opened.reading():
                ranked = answering.order(unit, MOST_RANKED)
        answer = Typing(typed, unit, tuple(ranked))
        self._asked = question, answer
        return answer

    def completions(self, typing: Typing, k: int = 50) -> list[Completion]:
        """The best `k` keys for what is typed (`completing.completions`)."""
        references = () if self._last is None else self._last.manuscript.references
        entries = ((reference.key, reference.paper) for reference in references)
        sentence = None if typing.unit is None else typing.unit.sentence
        around = {key for marker in sentence.markers for key in marker.keys} if sentence else ()
        return completions(typing.key.letters, typing.ranked, entries, typing.key.beside, k, around)

    def explained(self, unit: Unit, k: int = 10) -> UnitAnswer | None:
        """The first `k` papers for a citation of `typing`, with reasons and passages; None while nothing
        answers."""
        if (last := self._last) is None or last.answers is None:
            return None
        opened, answering = last.answers
        if unit not in self._explained:
            with opened.reading():
                (self._explained[unit],) = answering.answers([unit], DraftOptions(k, threshold=0.0))
        return self._explained[unit]

    def new_entry(self, key: str, paper: Paper) -> list[Edit]:
        """The edits that add the entry of a paper to the bibliography; none if it has the key. Raises as
        `edit.citations.add_entries`."""
        manuscript = self.draft.manuscript
        if any(reference.key == key for reference in manuscript.references):
            return []
        return add_entries(manuscript, {key: paper}, self.draft.files)
