"""Reads the notes at missing citations: ``TODO: cite Och 2003``, ``add citation: BLEU``."""

from __future__ import annotations

import re

from citewhy.text.printed_names import names_before

_OF_NOTES = frozenset(
    """a about add also and at by check cf citation citations cite cited cites e.g eg et al find fixme for
    from get give here i.e in insert look me missing my need needed needs of on or original paper papers
    please put ref reference references refs see someone something somebody tbd that the their this to
    todo up use we which with work xxx source sources""".split()  # noqa: SIM905
)
"""Words of notes that say nothing of the paper."""

_WORD = re.compile(r"[^\s,;()\[\]{}\"“”]+")
_LONGEST = 200
_MARGIN = ".:!?*~\\"


def read_note(note: str) -> str:
    """Returns what a note says of the paper, without the request to cite it; empty if it says nothing.

    >>> read_note("[TODO: cite Och 2003]"), read_note("citation needed")
    ('Och 2003', '')
    """
    words = (word.strip(_MARGIN) for word in _WORD.findall(note[:_LONGEST]))
    return " ".join(word for word in words if word and word.casefold() not in _OF_NOTES)


def authors_before(text: str) -> tuple[str, ...]:
    """The surnames at the end of a text that are followed by "et al.", or joined by "and"; otherwise none,
    since a single capitalised word may be anything.

    >>> authors_before("As shown by Papineni et al."), authors_before("by Och and Ney")
    (('Papineni',), ('Och', 'Ney'))
    >>> authors_before("as measured by BLEU")
    ()
    """
    end = len(text.rstrip())
    authors = names_before(text, end, max(0, end - _LONGEST))
    if authors is None or not (authors.et_al or len(authors.names) > 1):
        return ()
    return authors.names
