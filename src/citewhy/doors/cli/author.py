"""Asks the author which papers to write: a line on a plain terminal, one key where the terminal can."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from citewhy.answers.edits import Back, Stop
from citewhy.base.records import Place, Suggestion, Unit, UnitAnswer
from citewhy.doors.cli.terminal import echo_styled
from citewhy.doors.present.draft_text import OFFERED, candidates, context, in_short, offered
from citewhy.doors.present.lines import Look
from citewhy.session.draft_session import DraftSession

HELP = """\
1 to 5   take this paper; several for one place: 1 2 (or 1, 2)
Enter    skip the place; it is not asked about again, but with --again
b        back to the place before
/words   look in the library: an author, words of a title, a DOI
k KEY    take the paper with this key
c        the paragraph around the place, and all reasons
s        stop: what you chose is shown, and written if you agree; the rest stays
         open, and the next --choose goes on with it
?        this list"""
_ONE_KEY = "\nOne key is enough; + asks for several, / and k for words and a key."


@dataclass(slots=True)
class Author:
    """The person at the terminal, who is asked about one citation after the other."""

    draft: DraftSession
    units: Sequence[Unit]
    """The citations that are answered, in their order."""
    look: Look
    stopped: bool = False
    """Whether the author wants to be asked nothing more."""
    skipped: set[Place] = field(default_factory=set)
    """The citations for which, when asked, no paper was taken."""
    _shown: UnitAnswer | None = None
    """The answer that was shown last."""
    _helped: bool = False
    _numbers: dict[int, int] = field(default_factory=dict)

    def ask(self, answer: UnitAnswer, key: str) -> Sequence[Suggestion]:
        """The papers that the author takes for a citation, or for one of its undefined keys. Raises `Stop`
        and `Back`."""
        if not self._helped:
            self._helped = True
            click.echo(HELP + (_ONE_KEY if _has_keys() else ""), err=True)
        self._numbers = self._numbers or {id(unit): number for number, unit in enumerate(self.units, 1)}
        number = self._numbers[id(answer.unit)]
        if self._shown is not answer:
            self._shown = answer
            defined = [reference.key for reference in self.draft.manuscript.references]
            echo_styled(in_short(answer, number, self.look, defined, every=True))
        papers = offered(answer, self.look)
        where = f"{number} of {len(self.units)}{f', key {key}' if key else ''}"
        while True:
            reply = _reply(where)
            if reply in ("", "n"):
                self.skipped.add(answer.unit.place)
                return ()
            if reply in ("s", "q"):
                self.stopped = True
                raise Stop
            if reply == "b":
                self._shown = None
                raise Back
            taken = self._taken(reply, papers, answer, single=bool(key))
            if taken:
                self.skipped.discard(answer.unit.place)
                return taken

    def _taken(
        self, reply: str, papers: list[Suggestion], answer: UnitAnswer, *, single: bool
    ) -> Sequence[Suggestion]:
        """The papers that a reply takes; none if it asks for something else, which is shown. What is looked
        up takes the place of the `papers`."""
        if reply == "c":
            echo_styled(context(answer, self.look))
        elif reply.startswith("/"):
            words = reply[1:].strip()
            known = self.draft.look_up(words, OFFERED)
            papers[:] = known or papers
            lines = candidates(known, self.look) or [f"   Nothing in the library fits “{words}”."]
            echo_styled("\n".join(lines))
        elif reply.startswith("k "):
            wanted = reply[2:].strip()
            paper = self.draft.with_key(wanted)
            if paper is not None:
                return (paper,)
            click.echo(f"   No bibliography has the key “{wanted}”; look for it: /{wanted}", err=True)
        elif numbers := _numbers(reply, len(papers)):
            if len(numbers) == 1 or not single:
                return tuple(papers[number - 1] for number in numbers)
            click.echo("   One paper has the key; take one.", err=True)
        else:
            click.echo(HELP if reply == "?" else f"   “{reply}” is no answer; ? lists them.", err=True)
        return ()


def _numbers(reply: str, count: int) -> list[int]:
    """The numbers of a reply, each once; none if it is something else, or not of the `count` papers."""
    words = re.split(r"[\s,+]+", reply)
    if not all(word.isdecimal() and 1 <= int(word) <= count for word in words):
        return []
    return list(dict.fromkeys(map(int, words)))


# The terminal ---------------------------------------------------------------------------------------------

_LINES = {"+": "", "/": "/", "k": "k "}
"""Keys after which a line is read, and what it begins with."""


def _reply(where: str) -> str:
    """What the author answers. The end of the input, or Ctrl-C, is the wish to stop."""
    prompt = f"{where}: which paper? (? lists the answers)"
    try:
        if not _has_keys():
            return _line(prompt, "")
        click.echo(f"{prompt} ", nl=False, err=True)
        pressed = click.getchar()
        if pressed in _LINES:
            click.echo(err=True)
            return _line("several, such as 1 2:" if pressed == "+" else _LINES[pressed].strip(), pressed)
        reply = pressed.strip()
        click.echo(reply, err=True)
        return reply
    except (click.Abort, EOFError, KeyboardInterrupt):
        click.echo(err=True)
        return "s"


def _line(prompt: str, pressed: str) -> str:
    line: str = click.prompt(prompt, default="", show_default=False, prompt_suffix=" ", err=True)
    return f"{_LINES.get(pressed, '')}{line.strip()}"


def _has_keys() -> bool:
    """Whether single keys can be read: the author sits at a terminal that is not a dumb one."""
    streams = (sys.stdin, sys.stderr)
    return os.environ.get("TERM", "dumb") != "dumb" and all(stream and stream.isatty() for stream in streams)
