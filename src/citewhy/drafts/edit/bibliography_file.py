"""New entries in the bibliography file of a draft, and their keys."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript, Paper
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, text_to_edit
from citewhy.text.names import key_form, latin, surname
from citewhy.text.tokens import STOP_WORDS, words
from citewhy.writers import bibtex, hayagriva

_NOT_EDITED = (".json", ".ris", ".yml", ".yaml")
"""Suffixes of bibliographies in formats that are read: CSL in JSON or YAML, and RIS."""


@dataclass(frozen=True, slots=True)
class BibliographyFormat:
    """A format of bibliographies to which entries are added at the end."""

    suffixes: tuple[str, ...]
    """How the names of its files end; empty for every file of no other format."""
    entry: Callable[[Paper, str], str]
    """Writes the entry of a paper under a key."""


BIBTEX = BibliographyFormat((), bibtex.entry)
HAYAGRIVA = BibliographyFormat((".yml", ".yaml"), hayagriva.entry)


def _format_of(name: str, formats: Sequence[BibliographyFormat]) -> BibliographyFormat | None:
    """The format of a bibliography by its name; None if it is not edited."""
    lower = name.lower()
    for form in formats:
        if lower.endswith(form.suffixes) or (not form.suffixes and not lower.endswith(_NOT_EDITED)):
            return form
    return None


def bibliography_for(
    manuscript: Manuscript, formats: Sequence[BibliographyFormat], files: DraftFiles
) -> str | None:
    """The file that new entries go into, of one of `formats`: the first bibliography with entries, rather
    than one that only defines abbreviations (``@string``) or is missing; None if the draft names none.

    Raises InputError if all are missing though the draft cites from them: they are elsewhere, and a new file
    of the same name would hide them. Also if all are of other formats.
    """
    named = tuple(name for name in manuscript.bibliographies if _format_of(name, formats))
    if manuscript.bibliographies and not named:
        raise InputError(
            "the bibliography is neither BibTeX nor Hayagriva's YAML, and nothing is added to it",
            path=manuscript.bibliographies[0],
            hint="name a .bib file in the draft, beside it or in its place",
        )
    holding = {reference.place.file for reference in manuscript.references if reference.place}
    there = [name for name in named if files.is_file(files.path(name)) and name not in manuscript.unread]
    if (named or manuscript.unread) and not there and any(marker.keys for marker in manuscript.markers):
        raise InputError(
            "the bibliography is missing, and nothing is written while it is",
            path=(*named, manuscript.path)[0],
            hint="put the file there, or name the right one in the draft",
        )
    return next((name for name in there if name in holding), (*there, *named, None)[0])


def append(
    files: DraftFiles, path: PurePath, papers: Mapping[str, Paper], formats: Sequence[BibliographyFormat]
) -> Edit:
    """The edit that adds an entry for each of the `papers`, by key, at the end of a bibliography, which is
    created if it does not exist. A blank line separates entries."""
    name = files.name(path)
    form = _format_of(name, formats)
    assert form is not None, name  # `bibliography_for` names no other
    text = text_to_edit(files, name) if files.is_file(path) else ""
    end = text[-4:].replace("\r\n", "\n")
    space = "" if not text or end.endswith("\n\n") else "\n" if end.endswith(("\n", "\r")) else "\n\n"
    entries = (form.entry(paper, key).strip() + "\n" for key, paper in papers.items())
    return Edit(name, len(text), len(text), space + "\n".join(entries))


# Keys of new entries: the library's, or surname, year and first significant word of the title -------------

_WITH_KEYS = ("BibTeX", "Hayagriva")
"""Formats whose entries have the keys by which an author cites them."""
_KEY = re.compile(r"[^\W_](?:[\w:.+/&-]*\w)?")


def new_key(paper: Paper, taken: Iterable[str]) -> str:
    """A key for `paper` that differs from every key in `taken`, ignoring case as BibTeX does.

    It is the key under which the library's entry was read, if this is one to cite by and is not taken. A made
    key has only lower-case ASCII letters and digits. If it is taken, a letter is added:
    ``koehn2003statisticala``.

    >>> new_key(Paper("P02-1040", "BLEU: a Method for …", authors=("Kishore Papineni",), year=2002), ())
    'papineni2002bleu'
    """
    used = {key.casefold() for key in taken}
    own = source_key(paper)
    if _KEY.fullmatch(own) and own.casefold() not in used:
        return own
    stem = _name(paper) + ("" if paper.year is None else str(paper.year)) + _title_word(paper)
    return next(key for key in _with_letters(stem or "paper") if key not in used)


def source_key(paper: Paper) -> str:
    """The key under which the entry of a paper was read; empty if it had none that is cited."""
    source = paper.source
    return "" if source is None or source.format not in _WITH_KEYS else source.key


def _name(paper: Paper) -> str:
    """The first surname with Latin letters; empty if there is none."""
    return next(filter(None, (key_form(surname(author)) for author in paper.authors)), "")


def _title_word(paper: Paper) -> str:
    title_words = [word for word in words(latin(paper.title)) if word not in STOP_WORDS]
    significant = [word for word in title_words if len(word) > 1 and not word.isdigit()]
    return key_form((significant or title_words or [""])[0])


def _with_letters(stem: str) -> Iterator[str]:
    yield stem
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            yield stem + "".join(letters)
