"""Finds the papers that undefined keys describe: ``och2003minimum``, ``papineni-02``, ``P02-1040``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from citewhy.library.store import Library
from citewhy.manuscript.keys import new_key
from citewhy.pipeline import Recommender
from citewhy.records import Paper, Query, Reason, Suggestion
from citewhy.text.names import surname
from citewhy.text.tokens import STOP_WORDS, fold, words

__all__ = ["is_vague", "suggest_by_key"]

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_LEAST_WORD = 3
"""Minimum number of letters of a part of a key that is compared with words of the title."""

_NO_WORD = frozenset({"etal", "and", "the", "others", "alii"})


def suggest_by_key(
    recommender: Recommender, query: Query, undefined: Sequence[str], k: int, threshold: float | None
) -> list[Suggestion]:
    """As `Recommender.suggest`; papers that undefined keys describe come first, with this reason. A
    suggestion is *for* a key (`Suggestion.for_key`) if the key describes it for certain: it is its id, or
    surname, year and every further word fit this paper best, and no other as well."""
    if not undefined:
        return recommender.suggest(query, k, threshold=threshold)
    like: dict[str, str] = {}
    certain: dict[str, str] = {}

    def choose(ids: Sequence[str]) -> list[str]:
        papers = recommender.library.papers(ids)
        for key in undefined:
            fits = {each: _fit(key, papers[each]) for each in ids if each in papers}
            like.update((each, key) for each, fit in fits.items() if fit)
            best = max(fits.values(), default=0)
            whole = [each for each, fit in fits.items() if fit == best]
            if best >= _CONSISTENT and len(whole) == 1:
                certain[whole[0]] = key
        return [*certain, *(each for each in like if each not in certain)][:k]

    found = recommender.suggest(query, k, first=choose, threshold=threshold)
    by_id = _by_id(recommender.library, query, undefined)
    certain = {each: key for each, key in certain.items() if key not in by_id.values()} | by_id
    there = {each.paper.id: each for each in found}
    papers = recommender.library.papers(by_id)
    first = [
        there.get(each, Suggestion(papers[each], 0.0, (_reason(key, True),))) for each, key in by_id.items()
    ]
    ordered = [*first, *(each for each in found if each.paper.id not in by_id)][: max(k, len(first))]
    return [_marked(each, like, certain, by_id) for each in ordered]


def _marked(
    found: Suggestion, like: Mapping[str, str], certain: Mapping[str, str], by_id: Mapping[str, str]
) -> Suggestion:
    """The suggestion, with the key that describes it, if there is one."""
    paper_id = found.paper.id
    key = certain.get(paper_id) or like.get(paper_id)
    if key is None:
        return found
    reasons = tuple(reason for reason in found.reasons if reason.kind != "key")
    reason = _reason(key, paper_id in by_id)
    return replace(found, reasons=(reason, *reasons), for_key=certain.get(paper_id, ""))


def _reason(key: str, is_id: bool) -> Reason:
    why = "is its id in your library" if is_id else "matches its first author and year"
    return Reason("key", f"your undefined key “{key}” {why}", 1.0)


def _by_id(library: Library, query: Query, undefined: Sequence[str]) -> dict[str, str]:
    """The papers whose id is an undefined key and that may be suggested; maps paper ids to keys."""
    barred = {query.citing_id, *query.copy_ids, *query.excluded_ids, *query.member_ids}
    found = library.papers(undefined)
    return {
        found[key].id: key
        for key in undefined
        if key in found
        and found[key].id not in barred
        and (query.year is None or (found[key].year or 0) <= query.year)
    }


# Keys and papers ------------------------------------------------------------------------------------------

_PARTIAL, _CONSISTENT, _WITH_TITLE = 1, 2, 3


def is_vague(key: str, paper: Paper) -> bool:
    """Whether a key contains only the first author's surname and the year of a paper, which other papers may
    share."""
    return _fit(key, paper) == _CONSISTENT


def _fit(key: str, paper: Paper) -> int:
    """0: the key does not describe the paper. `_PARTIAL`: it has the first author's surname and the year.
    `_CONSISTENT`: it has nothing else that does not fit the paper, such as words of another title.
    `_WITH_TITLE`: it also has the first word of the title."""
    if not paper.authors or paper.year is None:
        return 0
    name = new_key(Paper("", "", authors=paper.authors[:1]), ())
    parts = [fold(part) for part in _PARTS.findall(key)]
    years = {str(paper.year), f"{paper.year % 100:02d}"}
    named = [part for part in parts if part.startswith(name)]
    if not named or years.isdisjoint(parts):
        return 0
    title = [word for word in words(fold(paper.title)) if word not in STOP_WORDS]
    expected = {*title, *(surname(author) for author in paper.authors)}
    expected |= {*words(fold(paper.venue)), name, f"{name}etal", *_NO_WORD}
    others = [part for part in parts if part not in years and (len(part) >= _LEAST_WORD or part in named)]
    if not all(part in expected for part in others):
        return _PARTIAL
    of_title = [part for part in others if part in title and part not in named]
    if not of_title:
        return _CONSISTENT
    return _WITH_TITLE if title[0] in of_title else _PARTIAL
