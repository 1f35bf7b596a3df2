"""Which papers a question names: one typed or pasted sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from citewhy.answers.resolve.at_gap import named_at_gap, written
from citewhy.answers.resolve.notes import authors_before
from citewhy.answers.resolve.resolver import Resolver
from citewhy.base.records import Resolution
from citewhy.base.reports import Finding
from citewhy.drafts.placeholders import OPEN_BRACKET
from citewhy.text.markers import OTHER, TARGET, Group, find, mask
from citewhy.text.system_names import marked_names

__all__ = ["named_in_question", "unknown_citations", "unknown_names"]

_PLURAL = re.compile(r"(?<=[A-Z])s$")


def named_in_question(resolver: Resolver, text: str) -> list[Resolution]:
    """What a raw sentence names: at its placeholder (`named_at_gap`); without one, by its printed citations
    ("Och and Ney (2003)"). Only what the library has."""
    if gap := OPEN_BRACKET.search(text):
        named = named_at_gap(resolver, gap[0], text[: gap.start()], text[gap.end() :])
        return [each for each in named if each.paper_ids]
    return list(_printed(resolver, text))


def _printed(resolver: Resolver, text: str) -> Iterator[Resolution]:
    """The papers by exactly the authors that are printed."""
    for group in _printed_groups(text):
        found = resolver.cited(group)
        if found.paper_ids:
            yield replace(found, text=written(group), kind="key")


def _printed_groups(text: str) -> Iterator[Group]:
    """The printed citations with surnames and a year."""
    for marker in find(text):
        yield from (group for group in marker.groups if group.year is not None and group.names)


def unknown_citations(text: str, find_words: Callable[[str], Finding]) -> list[str]:
    """Printed citations in a raw sentence, such as "Och and Ney 2003", for which `find_words` finds no paper
    by these authors and of this year in the library, each once; and surnames directly before its placeholder
    that no paper has."""
    asked = {written(group): f"{' '.join(group.names)} {group.year}" for group in _printed_groups(text)}
    lacking = [each for each, words in asked.items() if not find_words(words).resolution.paper_ids]
    gap = OPEN_BRACKET.search(text)
    if gap and (names := authors_before(text[: gap.start()])) and not find_words(" ".join(names)).papers:
        lacking.append(f"{names[0]} et al." if len(names) == 1 else " and ".join(names))
    return lacking


def unknown_names(text: str, find_words: Callable[[str], Finding]) -> list[str]:
    """Names of systems, data sets and the like in a raw sentence, written as only names are ("GloVe", "BERT",
    "word2vec"), of which `find_words` finds nothing in the library."""
    plain = mask(OPEN_BRACKET.sub(" ", text)).replace(OTHER, " ").replace(TARGET, " ")
    names = (_PLURAL.sub("", each) for each in marked_names(plain))
    return [each for each in names if not find_words(each).papers]
