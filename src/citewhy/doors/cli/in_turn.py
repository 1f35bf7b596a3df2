"""Several drafts of one command: answered in turn, with what is true of all of them at the end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from citewhy.answers.answer import DraftAnswer
from citewhy.answers.options import DraftOptions, TextOptions
from citewhy.base.errors import CiteWhyError, QueryError
from citewhy.base.records import Paper
from citewhy.doors.cli import options
from citewhy.doors.cli.presenter import Presenter, Written
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import draft_text
from citewhy.doors.present.lines import from_here
from citewhy.drafts.edit.journal import take_back
from citewhy.drafts.roots import roots_on_disk
from citewhy.session.draft_session import DraftSession
from citewhy.session.session import Session

INPUT = Path("-")
"""The name of standard input."""


def answer_input(
    presenter: Presenter, session: Session, for_draft: DraftOptions, for_text: TextOptions
) -> None:
    """Answers the text that standard input has: its open citations, with the bibliographies in the working
    folder that it names, or if it has none, as one question. Raises QueryError for a terminal, an empty text,
    and the wish to write into it."""
    if for_draft.changes:
        raise QueryError("standard input cannot be written", hint="save the text, and name the file")
    if sys.stdin.isatty():
        hint = "pipe a text into it, or: citewhy suggest --text SENTENCE"
        raise QueryError("standard input is a terminal", hint=hint)
    text = sys.stdin.read()
    if not text.strip():
        raise QueryError("standard input is empty", hint="pipe a text into it")
    draft = session.open_draft(INPUT)
    draft.update({str(INPUT): text})
    asks_for_places = tuple(for_draft.units) == ("place",) and not for_draft.needed
    if asks_for_places and not draft.units():
        presenter.answer_text(session, text, for_text, for_draft.export)
    else:
        presenter.answer_draft(session, draft, for_draft)


@dataclass(slots=True)
class DraftsInTurn:
    """Answers drafts one after the other. What is wrong with one of several keeps nobody from the others."""

    presenter: Presenter
    session: Session
    wishes: DraftOptions
    failed: bool = False
    """Whether one could not be answered."""
    _answers: list[DraftAnswer] = field(default_factory=list)
    _written: list[tuple[str, Written | None]] = field(default_factory=list)
    """What was written into each draft; None: it was not asked about any more."""

    def answer(self, paths: Sequence[Path], *, follow_outside: bool) -> None:
        """Answers the drafts that paths name. Raises what is wrong with the only one."""
        roots = roots_of(paths)
        if len(roots) == 1:
            draft = self.session.open_draft(roots[0], follow_outside=follow_outside)
            self.presenter.answer_draft(self.session, draft, self.wishes)
            return
        stopped = False
        for draft in self._whole(
            [self.session.open_draft(one, follow_outside=follow_outside) for one in roots]
        ):
            if stopped:
                self._written.append((draft.manuscript.path, None))
                continue
            with self._surviving():
                stopped = self._one(draft).stopped
        self._at_end()

    @contextlib.contextmanager
    def _surviving(self) -> Iterator[None]:
        try:
            yield
        except CiteWhyError as error:
            remark(str(error))
            self.failed = True

    def _whole(self, drafts: Sequence[DraftSession]) -> list[DraftSession]:
        """The drafts that can be read, without those that are parts of others."""
        read: dict[DraftSession, set[Path]] = {}
        for draft in drafts:
            with self._surviving():
                read[draft] = {Path(name).resolve() for name in draft.manuscript.files}
        whole = []
        for draft, files in read.items():
            root, is_chapter = Path(draft.manuscript.path).resolve(), bool(draft.manuscript.book)
            others = ((other, more) for other, more in read.items() if other is not draft)
            # A chapter of LaTeX reads its root, too.
            around = next(
                (one for one, more in others if root in more and (is_chapter or files < more)), None
            )
            if around is None:
                whole.append(draft)
                continue
            part, book = (from_here(one.manuscript.path) for one in (draft, around))
            self.presenter.remark(f"{part} is answered with {book}, which includes it")
        return whole

    def _one(self, draft: DraftSession) -> Written:
        presenter, wishes = self.presenter, self.wishes
        if wishes.choose:
            written = presenter.choose(self.session, draft, wishes)
            self._written.append((draft.manuscript.path, written))
            return written
        answer = presenter.answered(self.session, draft, wishes)
        self._answers.append(answer)
        if not presenter.as_json and wishes.export is None:
            shown = draft_text.draft_of_several(
                answer.manuscript, list(answer), wishes.units, look(presenter.verbose)
            )
            echo_styled(shown)
            presenter.remark(*answer.remarks)
        if not wishes.write:
            return Written(0, 0)
        written = presenter.write_first(draft, answer)
        self._written.append((answer.manuscript.path, written))
        return written

    def _at_end(self) -> None:
        presenter, answers = self.presenter, self._answers
        if presenter.as_json:
            documents: dict[str, Any] = {"drafts": list(map(json_form.draft_document, answers))}
            click.echo(json_form.dumps(documents))
        elif self.wishes.export is not None:
            options.write_export(self.wishes.export, _together(answers))
        elif answers:
            shown = draft_text.several(list(map(list, answers)), self.wishes.units, look(presenter.verbose))
            echo_styled(shown)
        for path, written in () if presenter.quiet else self._written:
            what = (
                "not asked about any more"
                if written is None
                else f"{written.count} written, {written.left} left open"
            )
            click.echo(f"{from_here(path)}: {what}", err=True)


def roots_of(paths: Sequence[Path]) -> list[Path]:
    """The root files of the drafts that paths name, each once, in their order. Raises InputError for a folder
    without any."""
    roots = (root for path in paths for root in roots_on_disk(path))
    return list({root.resolve(): root for root in roots}.values())


def _together(answers: Sequence[DraftAnswer]) -> list[tuple[str, Paper]]:
    """The papers of all answers, each once; where drafts have different papers under one key, the later ones
    have their id."""
    papers: dict[str, Paper] = {}
    for key, paper in (pair for answer in answers for pair in answer.exported()):
        if papers.setdefault(key, paper).id != paper.id:
            papers.setdefault(paper.id, paper)
    return list(papers.items())


def undo(paths: Sequence[Path], *, outside: bool) -> None:
    """Takes back the last edit of each draft that paths name, and says which files were restored. Drafts
    share bibliographies: where an edit waits for that of another draft, which is newer, this goes first.
    Raises what keeps the only one, or all of them, from being taken back."""
    waiting = roots = roots_of(paths)[::-1]
    while True:
        errors: dict[Path, CiteWhyError] = {}
        for root in waiting:
            try:
                for file, changed in take_back(root, outside=outside).items():
                    click.echo(
                        f"took back what was written in {file}, and kept your changes"
                        if changed
                        else f"restored {file}"
                    )
            except CiteWhyError as error:
                errors[root] = error
        if not errors:
            return
        if len(errors) == len(waiting):
            break
        waiting = list(errors)
    if waiting == roots:
        raise errors[roots[-1]]
    for root in reversed(waiting):
        remark(str(errors[root]))
    if not all(isinstance(error, QueryError) for error in errors.values()):
        raise click.exceptions.Exit(2)
