"""Presents answers of `citewhy suggest` on the terminal, and asks the author what to write."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import click

from citewhy.answers.answer import DraftAnswer
from citewhy.answers.edits import Choices
from citewhy.answers.options import DraftOptions, TextOptions
from citewhy.base.printable import quoted
from citewhy.base.records import Place
from citewhy.doors.cli import options
from citewhy.doors.cli.author import Author
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import as_text, draft_text, review_text
from citewhy.doors.present.diff_text import excerpted
from citewhy.session.draft_session import DraftSession
from citewhy.session.session import Session
from citewhy.session.skipped import SkippedPlaces
from citewhy.session.written_once import is_written, write_first
from citewhy.text.counted import counted


@dataclass(frozen=True, slots=True)
class Written:
    """What was written into a draft."""

    count: int
    """Citations that were written."""
    left: int
    """Citations that stay open."""
    stopped: bool = False
    """Whether the author wants to be asked nothing more."""


@dataclass(frozen=True, slots=True)
class Presenter:
    """Presents answers on the terminal, and asks the author."""

    as_json: bool
    verbose: bool
    quiet: bool
    yes: bool
    again: bool = False
    """Whether the author is asked about places, too, that were skipped before."""
    _said: set[str] = field(default_factory=set)

    def remark(self, *remarks: str) -> None:
        """Prints remarks, each once, unless answers alone are wanted."""
        for text in () if self.as_json or self.quiet else remarks:
            if text not in self._said:
                self._said.add(text)
                remark(text)

    def answer_text(self, session: Session, text: str, wishes: TextOptions, export: str | None) -> None:
        with progress_bar(self.quiet or self.as_json) as progress:
            session.prepare(progress, intents=wishes.intent is not None)
            answer = session.suggest(text, options=wishes)
        if self.as_json:
            click.echo(json_form.dumps(json_form.text_document(answer)))
        elif export is not None:
            self.remark(*session.models.remarks)
            options.write_export(export, answer.exported())
        else:
            self.remark(*answer.remarks)
            echo_styled(as_text.text_answer(answer, look(self.verbose)))

    def answer_draft(self, session: Session, draft: DraftSession, wishes: DraftOptions) -> None:
        if wishes.choose:
            self.choose(session, draft, wishes)
            return
        answer = self.answered(session, draft, wishes)
        self.show(answer)
        self.remark(*answer.remarks)
        if wishes.write:
            self.write_first(draft, answer)

    def answered(self, session: Session, draft: DraftSession, wishes: DraftOptions) -> DraftAnswer:
        """The complete answer to a draft; remarks are printed, and the progress is shown."""
        self._remark_on(session, draft)
        with progress_bar(self.quiet or self.as_json) as progress:
            draft.prepare(progress, intents=wishes.intent is not None)
            answer = draft.advise(options=wishes)
            for done, _ in enumerate(answer, 1):
                progress(f"{done} of {len(answer)} answered", done / len(answer))
        return answer

    def _remark_on(self, session: Session, draft: DraftSession) -> None:
        problems = draft_text.problems(draft.manuscript, self.verbose)
        self.remark(*session.models.remarks, *problems, *draft.remarks)

    def show(self, answer: DraftAnswer) -> None:
        """Prints the answer to a draft."""
        manuscript, wishes = answer.manuscript, answer.options
        if self.as_json:
            click.echo(json_form.dumps(json_form.draft_document(answer)))
        elif wishes.export is not None:
            options.write_export(wishes.export, answer.exported())
        elif wishes.needed and not answer:
            click.echo(review_text.nothing_missing(manuscript, look()))
        else:
            echo_styled(draft_text.draft(manuscript, answer, wishes.units, look(self.verbose)))

    def choose(self, session: Session, draft: DraftSession, wishes: DraftOptions) -> Written:
        """Shows each open citation with its papers, asks which one to write, and writes it."""
        self._remark_on(session, draft)
        with progress_bar(self.quiet) as progress:
            draft.prepare(progress, intents=wishes.intent is not None)
        if not draft.units():
            click.echo(draft_text.nothing_open(draft.manuscript))
        answer, kept = draft.advise(options=replace(wishes, k=draft_text.OFFERED)), SkippedPlaces(draft)
        before = kept.of(answer.units)
        leave = set[Place]() if self.again else before
        if leave:
            self.remark(f"{counted(len(leave), 'place')} that you skipped before: --again asks about them")
        author = Author(draft, [one for one in answer.units if one.place not in leave], look(self.verbose))
        asked = (one for one in answer if one.unit.place not in leave)
        choices = draft.asked_choices(asked, author.ask, outside=wishes.outside)
        written = self.write(draft, choices, wishes)
        if author.skipped - before:
            filled = {marker.place for marker, _ in choices.chosen if written.count}
            kept.skip([one for one in answer.units if one.place not in filled], before | author.skipped)
        return replace(written, left=written.left + len(leave), stopped=author.stopped)

    def write_first(self, draft: DraftSession, answer: DraftAnswer) -> Written:
        """Writes the first suggestions that are probable enough, once: what this makes more probable is not
        written by the next command."""
        if is_written(draft, answer):
            done = "Nothing to write: the draft is as the last --write left it; --choose asks about the rest."
            click.echo(done, err=self.as_json)
            return Written(0, len(answer))
        return self.write(draft, draft.first_choices(answer), answer.options, answer)

    def write(
        self,
        draft: DraftSession,
        choices: Choices,
        wishes: DraftOptions,
        first_of: DraftAnswer | None = None,
    ) -> Written:
        """Lists the citations that stay open, shows the edit, and writes it after confirmation.

        With JSON the diff goes to standard error, so that standard output holds one JSON document. A terminal
        shows long lines around their changes. `first_of`: the choices are the first ones of this answer.
        """

        def tell(lines: Sequence[str]) -> None:
            for line in () if self.quiet else lines:
                click.echo(line, err=True)

        left = draft_text.left_open(choices.left_open, look(self.verbose))
        if not choices.chosen:
            tell(left)
            click.echo("Nothing to write.", err=self.as_json)
            return Written(0, len(choices.left_open))
        edit = draft.edit(choices.chosen, outside=wishes.outside)
        on_terminal = not self.as_json and sys.stdout is not None and sys.stdout.isatty()
        diff = excerpted(edit.diff(), look().width) if on_terminal else edit.diff()
        click.echo(diff, nl=False, err=self.as_json)
        tell([*draft_text.to_write(choices.chosen, look()), *left])
        if not self.yes and not click.confirm("Apply this edit?", default=False, err=True):
            click.echo("Nothing was changed.", err=True)
            return Written(0, len(choices.chosen) + len(choices.left_open))
        if first_of is None:
            edit.apply()
        else:
            write_first(draft, first_of, edit)
        files = counted(len(edit.files), "file")
        tell([f"Changed {files}; to undo: citewhy suggest {quoted(draft.manuscript.path)} --undo"])
        return Written(len(choices.chosen), len(choices.left_open))
