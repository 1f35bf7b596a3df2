"""Records of a draft: paragraphs, sentences, and citations with their places."""

from __future__ import annotations

from dataclasses import dataclass

from citewhy.base.records.papers import Place, Reference


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation in a draft, e.g. ``\\citep[see][]{bleu,rouge}``, ``[@bleu]`` or ``[CITE]``."""

    place: Place
    """The whole marker, command and arguments."""
    keys: tuple[str, ...]
    """Keys as written, without placeholders such as ``?``; empty if nothing is cited yet."""
    open: bool
    """Whether a citation is missing: an empty marker, a placeholder, or an undefined key."""
    offset: int
    """Its position in the text of its sentence, which does not contain the marker itself."""
    command: str = ""
    """``citep``, … in LaTeX; ``@`` in Markdown; ``@`` or ``cite`` in Typst; ``cite``, ``cite/t``, … in Org;
    ``author-year`` or ``numeric`` in text; ``open`` for a placeholder such as ``[CITE]``."""
    slot: Place | None = None
    """The part that an edit replaces with keys; None if the marker cannot be edited."""
    in_text: bool = False
    """Whether the citation is part of the sentence ("Papineni et al. (2002) show …")."""
    note: str = ""
    """The author wrote this in place of the missing citation: ``[TODO: cite Och 2003]``, ``?``."""


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of a draft as plain text: without commands and markers, with formulas as ``MATH``."""

    text: str
    place: Place
    markers: tuple[Marker, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The sentences of a paragraph, with the heading above it."""

    sentences: tuple[DraftSentence, ...]
    section: str = ""
    aside: bool = False
    """Whether it is no part of the running text: a footnote, a caption, a row of a table."""
    asked: bool = False
    """Whether a comment ``cite-paragraph`` beside it asks for its papers."""
    note_to: DraftSentence | None = None
    """Of a footnote: the sentence that it hangs on."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A complete draft: all paragraphs with their citations, and the bibliography."""

    path: str
    format: str
    """The name of its format (`drafts.formats`): ``latex``, ``markdown``, ``typst``, ``org``, ``plain``, or
    that of another package."""
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    paragraphs: tuple[Paragraph, ...] = ()
    references: tuple[Reference, ...] = ()
    bibliographies: tuple[str, ...] = ()
    """Paths of the bibliographies that the draft names, in its order; new entries go into the first of a
    format that is edited (`drafts.edit.bibliography_file`)."""
    unread: tuple[str, ...] = ()
    """Bibliographies that it names but that are missing or broken. Any key may be defined there, so that no
    key counts as undefined."""
    files: tuple[str, ...] = ()
    """Every source file that was read, the root first."""
    nocite: tuple[str, ...] = ()
    """Keys cited without a place in the text; ``*`` means all."""
    problems: tuple[str, ...] = ()
    """Messages for the user: what could not be read or resolved, with file and line."""
    notes: tuple[Place, ...] = ()
    """Notes of the author that may ask for a citation and are not understood."""
    book: tuple[Paragraph, ...] = ()
    """All paragraphs of the book of which this is a chapter, in order, its own among them; empty if this is a
    whole draft."""
    folder: str = ""
    """The folder of the book or project to which the draft belongs, whose files may be edited like those in
    the draft's own folder; empty if that is all."""
    book_title: str = ""
    """The title of the book of which this is a chapter with another title; empty otherwise."""

    @property
    def markers(self) -> tuple[Marker, ...]:
        """All citations, open or not, in reading order."""
        return tuple(
            marker
            for paragraph in self.paragraphs
            for sentence in paragraph.sentences
            for marker in sentence.markers
        )

    @property
    def cited_keys(self) -> set[str]:
        """All keys in the text, defined or undefined."""
        return {key for marker in self.markers for key in marker.keys}
