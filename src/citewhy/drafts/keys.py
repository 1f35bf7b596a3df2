"""Keys for new entries: surname, year and first significant word of the title, ``papineni2002bleu``."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Iterator

from citewhy.base.records import Paper
from citewhy.text.names import key_form, latin, surname
from citewhy.text.tokens import STOP_WORDS, words


def new_key(paper: Paper, taken: Iterable[str]) -> str:
    """A key for `paper` that differs from every key in `taken`, ignoring case as BibTeX does.

    It has only lower-case ASCII letters and digits. If it is taken, a letter is added:
    ``koehn2003statisticala``.

    >>> new_key(Paper("P02-1040", "BLEU: a Method for …", authors=("Kishore Papineni",), year=2002), ())
    'papineni2002bleu'
    """
    used = {key.casefold() for key in taken}
    stem = _name(paper) + ("" if paper.year is None else str(paper.year)) + _title_word(paper)
    return next(key for key in _with_letters(stem or "paper") if key not in used)


def _name(paper: Paper) -> str:
    """The first surname with Latin letters; empty if there is none."""
    return next(filter(None, (key_form(surname(author)) for author in paper.authors)), "")


def _title_word(paper: Paper) -> str:
    found = [word for word in words(latin(paper.title)) if word not in STOP_WORDS]
    significant = [word for word in found if len(word) > 1 and not word.isdigit()]
    return key_form((significant or found or [""])[0])


def _with_letters(stem: str) -> Iterator[str]:
    yield stem
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            yield stem + "".join(letters)
