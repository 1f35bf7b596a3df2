"""What a draft holds: paragraphs, sentences, and citations with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from citewhy.records.papers import Place, Reference

__all__ = [
    "DraftSentence",
    "Manuscript",
    "Marker",
    "Paragraph",
]


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation in a draft, e.g. ``\\citep[see][]{bleu,rouge}``, ``[@bleu]`` or ``[CITE]``."""

    place: Place
    """The whole marker, command and arguments."""
    keys: tuple[str, ...]
    """Keys as written, without placeholders such as ``?``; empty where nothing is cited yet."""
    open: bool
    """True where a citation is still to be found: an empty marker, a placeholder, or a key nobody defines."""
    offset: int
    """Where it stands in the text of its sentence, which does not contain the marker itself."""
    command: str = ""
    """``citep``, … in LaTeX; ``@`` in Markdown; ``author-year``, ``numeric`` or ``open`` in text."""
    slot: Place | None = None
    """The part that an edit replaces with keys; None where the form cannot be edited."""
    in_text: bool = False
    """True where the citation is a part of the sentence ("Papineni et al. (2002) show …")."""


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of a draft as plain text: no commands, no markers, mathematics as ``MATH``."""

    text: str
    place: Place
    markers: tuple[Marker, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that belong together, with the heading they stand under."""

    sentences: tuple[DraftSentence, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A draft, read whole: every paragraph, every marker, and the bibliography that its files define."""

    path: str
    format: Literal["latex", "markdown", "plain"]
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    paragraphs: tuple[Paragraph, ...] = ()
    references: tuple[Reference, ...] = ()
    bibliographies: tuple[str, ...] = ()
    """Paths of the ``.bib`` files that the draft names, in its order; new entries go into the first."""
    unread: tuple[str, ...] = ()
    """Bibliographies that it names and that are missing or broken: any key may be defined there, so that none
    counts as undefined."""
    files: tuple[str, ...] = ()
    """Every source file that was read, the root first."""
    nocite: tuple[str, ...] = ()
    """Keys cited without a place in the text; ``*`` stands for all."""
    problems: tuple[str, ...] = ()
    """Sentences for people: what could not be read or resolved, with file and line."""
