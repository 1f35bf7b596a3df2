"""Papers as BibTeX, for classic styles and biblatex alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from citewhy.base.records import Paper
from citewhy.papers.writers.venues import PublicationKind, publication_kind
from citewhy.text.accents import to_latex
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import in_one_direction, tidy

__all__ = ["entries", "entry"]

_NOT_IN_KEYS = re.compile(r"[^\w.:/+*!?-]+")
_BETWEEN_WORDS = re.compile(r"(\W+)")
_NOT_IN_ADDRESSES = re.compile(r"[{}\\\"\s]")
_KINDS: dict[PublicationKind, tuple[str, str]] = {
    "journal": ("article", "journal"),
    "proceedings": ("inproceedings", "booktitle"),
    "chapter": ("incollection", "booktitle"),
    "book": ("book", "publisher"),
    "other": ("misc", "howpublished"),
}
"""The type of an entry, and the field of its venue."""

_AND = re.compile(r"(?:^|\s)and(?:\s|$)", re.IGNORECASE)
_TAKEN_FOR_OTHERS = frozenset({"others", "et al.", "et al", "et. al.", "...", "…"})


def entries(papers: Iterable[Paper]) -> str:
    """A whole .bib file; the papers' ids become their keys."""
    return "\n".join(entry(paper, paper.id) for paper in papers)


def entry(paper: Paper, key: str) -> str:
    """One entry, ending with a line feed.

    Characters that are not allowed in a key become hyphens. Words with capitals inside are protected, because
    styles convert the rest of a title to lower case. Accents are written as LaTeX, other characters as UTF-8.
    """
    kind, venue_field = _KINDS[publication_kind(paper)]
    fields = {
        "title": _protected(paper.title),
        "author": " and ".join(_person(author) for author in paper.authors),
        venue_field: to_latex(paper.venue),
        "year": "" if paper.year is None else str(paper.year),
        "doi": _address(paper.doi),
        "url": _address(paper.url),
        "abstract": to_latex(paper.abstract),
    }
    lines = [f"  {name:<9} = {{{value}}}" for name, value in fields.items() if value]
    return in_one_direction(f"@{kind}{{{clean_key(key)},\n" + ",\n".join(lines) + "\n}\n")


def clean_key(key: str) -> str:
    """The key without characters that have a meaning in BibTeX or LaTeX."""
    return _NOT_IN_KEYS.sub("-", unicodedata.normalize("NFC", key)).strip("-") or "unnamed"


def _protected(title: str) -> str:
    """The title as LaTeX, with braces around words such as BLEU, WordNet and mT5."""
    return " ".join(
        "".join(_protected_word(piece) for piece in _BETWEEN_WORDS.split(word))
        for word in unicodedata.normalize("NFC", tidy(title)).split()
    )


def _protected_word(word: str) -> str:
    latex = to_latex(word)
    return f"{{{latex}}}" if any(character.isupper() for character in word[1:]) else latex


def _person(author: str) -> str:
    """ "von Last, Jr., First"; in braces, as one word, if BibTeX would split it incorrectly."""
    name = parts(author)
    taken_apart = _AND.search(author) or author.lower() in _TAKEN_FOR_OTHERS
    if taken_apart or not can_invert(author):
        return f"{{{to_latex(author)}}}"
    last = f"{name.particle} {name.family}".strip()
    return ", ".join(to_latex(part) for part in (last, name.suffix, name.given) if part)


def _address(text: str) -> str:
    """A DOI or URL unchanged: styles pass it to a command that accepts all characters except these."""
    return _NOT_IN_ADDRESSES.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)
