"""Which papers the words at an open citation name: its note, citations that are printed there, surnames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from citewhy.answers.resolve.notes import read_note
from citewhy.answers.resolve.resolver import Resolver
from citewhy.base.records import Resolution
from citewhy.text.author_year import Group, PrintedMarker
from citewhy.text.markers import find
from citewhy.text.sentences import spans

_BESIDE = re.compile(r"[\s,;:]*")
"""Matches what may stand between a printed citation and the open one that it belongs to."""

_DATED_NOTE = re.compile(
    r"(?P<names>(?:[^\W\d_][\w'’-]+ ){1,3})(?P<year>1[6-9]\d\d|20\d\d)(?P<suffix>[a-h])?"
)
_OF_ANOTHER = re.compile(
    r"\b(?:unlike|contrary to|in contrast (?:to|with)|compared (?:to|with)|follow(?:s|ing)?|"
    r"extend(?:s|ing)?|build(?:s|ing)? (?:up)?on|based on|inspired by)\s+$",
    re.IGNORECASE,
)
"""Words before a printed citation in whose sentence somebody else says what follows."""


def named_at_gap(resolver: Resolver, note: str, before: str, after: str = "") -> list[Resolution]:
    """Finds what the words at an open citation name: its `note`, or else citations that are printed `before`
    or `after` it ("Och and Ney (2003) show … [CITE]"), or else surnames before it ("Papineni et al. [CITE]").

    Printed citations and surnames of which the library has no paper are included, without papers and with
    the kind ``authors``.
    """
    noted = resolver.note(note)
    if noted.paper_ids:
        return [noted]
    groups = [group] if (group := _dated_note(note)) else list(printed_at_gap(before, after))
    if groups:
        resolutions = [
            replace(resolver.cited(printed, loosely=True), text=written(printed)) for printed in groups
        ]
    else:
        resolutions = [resolver.note("", before)]
    return [resolution for resolution in resolutions if resolution.kind != "none"]


def printed_at_gap(before: str, after: str = "") -> Iterator[Group]:
    """The citations with surnames and a year that are printed directly at an open citation; if there are
    none, those before it in its sentence that are a part of the sentence."""
    sentence = before[spans(before)[-1][0] :] if before.strip() else ""
    ahead = [marker for marker in find(sentence) if _dated(marker)]
    following = next((marker for marker in find(after) if _dated(marker)), None)
    if ahead and _BESIDE.fullmatch(sentence[ahead[-1].end :]):
        yield from _dated(ahead[-1])
    elif following is not None and not following.in_text and _BESIDE.fullmatch(after[: following.start]):
        yield from _dated(following)
    else:
        for marker in ahead:
            if marker.in_text and not _OF_ANOTHER.search(sentence[: marker.start]):
                yield from _dated(marker)


def _dated(marker: PrintedMarker) -> list[Group]:
    return [group for group in marker.groups if group.year is not None and group.names]


def _dated_note(note: str) -> Group | None:
    """Finds what a note names that has no more than surnames and a year: ``[TODO: cite Och and Ney
    2003]``."""
    content = re.sub(r"[(),]", "", read_note(note))
    dated = _DATED_NOTE.fullmatch(content)
    names = tuple(dated["names"].split()) if dated else ()
    if dated is None or not all(name[0].isupper() for name in names):
        return None
    et_al = re.search(r"\bet al\b", note) is not None
    return Group(0, 0, names, et_al, int(dated["year"]), dated["suffix"] or "")


def written(group: Group) -> str:
    """A printed citation without its brackets: ``Och and Ney 2003``."""
    who = f"{' '.join(group.names)} et al." if group.et_al else " and ".join(group.names)
    return f"{who} {group.year}{group.suffix}"
