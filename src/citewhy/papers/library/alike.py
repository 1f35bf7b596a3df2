"""Which of many records are the same paper, by `dedupe.same_paper`, without comparing each with each.

Each function takes records that share a key, and returns pairs of their places that connect those that are
the same paper, directly or through others.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from citewhy.base.records import Paper
from citewhy.papers.library.dedupe import Groups, is_short, title_words
from citewhy.text.tokens import fold

__all__ = ["same_by_doi", "same_by_work"]

Pair = tuple[int, int]


def same_by_work(records: Sequence[Paper]) -> Iterator[Pair]:
    """Of records with the same `dedupe.work_key`: those with years that differ by at most one or are unknown;
    for short titles, those with the same known year and venue."""
    of_year: dict[tuple[int, str], int] = {}
    dated: list[tuple[int, int]] = []
    undated: list[int] = []
    for place, paper in enumerate(records):
        if not is_short(paper.title):
            if paper.year is None:
                undated.append(place)
            else:
                dated.append((paper.year, place))
        elif paper.year is not None:
            first = of_year.setdefault((paper.year, fold(paper.venue)), place)
            if first != place:
                yield first, place
    dated.sort()
    for (year, place), (next_year, following) in itertools.pairwise(dated):
        if next_year - year <= 1:
            yield place, following
    if undated:  # one of unknown year is the same paper as any
        first, *others = undated
        yield from ((first, place) for place in [*others, *(place for _, place in dated)])


def same_by_doi(records: Sequence[Paper]) -> Iterator[Pair]:
    """Of records with the same DOI: those of which one has half of the words of the shorter title in common
    with the other (`dedupe.titles_resemble`)."""
    first_with: dict[frozenset[str], int] = {}
    for place, paper in enumerate(records):
        first = first_with.setdefault(title_words(paper.title), place)
        if first != place:
            yield first, place
    titles = sorted(first_with, key=len)
    if titles and not titles[0]:  # a record without a title resembles any
        yield from ((first_with[titles[0]], first_with[title]) for title in titles[1:])
    else:
        yield from ((first_with[titles[a]], first_with[titles[b]]) for a, b in _resembling(titles))


def _resembling(titles: Sequence[frozenset[str]]) -> Iterator[Pair]:
    """Pairs that connect the sets of words that resemble each other; shorter sets come first.

    Each set is compared only with sets that have one of their rarer words in common with it: as many of them
    as make sure that sets without any of these have less than half of their words in common. Sets that are
    connected already are not compared: they are kept together.
    """
    frequency = Counter(word for title in titles for word in title)
    groups = Groups()
    having: defaultdict[str, dict[int, list[int]]] = defaultdict(dict)
    """By word: by group, the sets in it that have the word."""
    for place, title in enumerate(titles):
        for word in title:
            known = having.get(word, {})
            for top in list(known):
                if groups.top(top) == groups.top(place):
                    continue
                for other in known[top]:
                    if 2 * len(title & titles[other]) >= len(titles[other]):
                        groups.join(place, other)
                        yield other, place
                        break
            if len(known) > 1:
                having[word] = _regrouped(known, groups)
        rare = sorted(title, key=lambda word: (frequency[word], word))[: len(title) // 2 + 1]
        for word in rare:
            having[word].setdefault(groups.top(place), []).append(place)


def _regrouped(known: dict[int, list[int]], groups: Groups) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for top, places in known.items():
        found.setdefault(groups.top(top), []).extend(places)
    return found
