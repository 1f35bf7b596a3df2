"""Which papers a question names: one typed or pasted sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from citewhy.manuscript.placeholders import OPEN_BRACKET
from citewhy.records import Resolution
from citewhy.reports import Finding
from citewhy.resolve.resolver import Resolver
from citewhy.text.markers import OTHER, TARGET, Group, find, mask
from citewhy.text.system_names import marked_names

__all__ = ["named_in_question", "unknown_citations", "unknown_names"]

_PLURAL = re.compile(r"(?<=[A-Z])s$")


def named_in_question(resolver: Resolver, text: str) -> list[Resolution]:
    """What a raw sentence names: at its placeholder, by a note or the surnames before it ("Och and Ney
    [CITE]"); without a placeholder, by its printed citations ("Och and Ney (2003)"). Only what the library
    has."""
    if gap := OPEN_BRACKET.search(text):
        noted = resolver.note(gap[0], text[: gap.start()])
        return [noted] if noted.paper_ids else []
    return list(_printed(resolver, text))


def _printed(resolver: Resolver, text: str) -> Iterator[Resolution]:
    """The papers by exactly the authors that are printed, or else all whose first author and year fit."""
    for group in _printed_groups(text):
        found = resolver.cited(group)
        if found.paper_ids:
            yield replace(found, text=_written(group), certain=False)


def _printed_groups(text: str) -> Iterator[Group]:
    """The printed citations with surnames and a year."""
    for marker in find(text):
        yield from (group for group in marker.groups if group.year is not None and group.names)


def _written(group: Group) -> str:
    who = f"{' '.join(group.names)} et al." if group.et_al else " and ".join(group.names)
    return f"{who} {group.year}{group.suffix}"


def unknown_citations(text: str, find_words: Callable[[str], Finding]) -> list[str]:
    """Printed citations in a raw sentence, such as "Och and Ney 2003", for which `find_words` finds no paper
    by these authors and of this year in the library, each once."""
    asked = {_written(group): f"{' '.join(group.names)} {group.year}" for group in _printed_groups(text)}
    return [each for each, words in asked.items() if not find_words(words).resolution.paper_ids]


def unknown_names(text: str, find_words: Callable[[str], Finding]) -> list[str]:
    """Names of systems, data sets and the like in a raw sentence, written as only names are ("GloVe", "BERT",
    "word2vec"), of which `find_words` finds nothing in the library."""
    plain = mask(OPEN_BRACKET.sub(" ", text)).replace(OTHER, " ").replace(TARGET, " ")
    names = (_PLURAL.sub("", each) for each in marked_names(plain))
    return [each for each in names if not find_words(each).papers]
