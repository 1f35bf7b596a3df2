"""Merging records of the same paper into one entry, by their content and by aliases.

Being the same paper is transitive and permanent: records that were merged stay one entry until it is removed.
The result does not depend on their order.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from citewhy.base.records import Paper
from citewhy.papers.library.change import Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.dedupe import Groups, is_short, title_words
from citewhy.papers.library.entries import heads_of, members_of, read_bodies
from citewhy.papers.library.schema import ALIASES, PAPERS, REMOVED, AliasRow, Head, Removed
from citewhy.text.tokens import fold

__all__ = ["pairs_by_alias", "pairs_by_content", "same_by_doi", "same_by_work", "unite"]

Pair = tuple[int, int]


def same_by_work(records: Sequence[Paper]) -> Iterator[Pair]:
    """Pairs records with the same `dedupe.work_key` whose years differ by at most one or are unknown;
    those with short titles need the same known year and venue."""
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
    """Pairs records with the same DOI that have half of the words of the shorter title in common
    (`dedupe.titles_resemble`)."""
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


_SHARED = (
    "SELECT DISTINCT a.{key} FROM papers a WHERE a.{key} IS NOT NULL AND {which} "
    "AND EXISTS (SELECT 1 FROM papers b WHERE b.{key} = a.{key} AND b.number <> a.number)"
)


def pairs_by_content(change: Change, updated: Collection[int]) -> set[Pair]:
    """Pairs of records that connect all records of a paper, as far as one of them is new or `updated`.

    Records are compared only with those that share a DOI or a `dedupe.work_key`, and not each with each: any
    number of them takes time that grows with their number.
    """
    pairs: set[Pair] = set()
    for key, same in (("doi", same_by_doi), ("work", same_by_work)):
        groups: dict[object, list[Head]] = defaultdict(list)
        for head in PAPERS.where(change.db, key, _shared(change, key, updated)):
            groups[getattr(head, key)].append(head)
        records = read_bodies(change.db, [head for group in groups.values() for head in group])
        for group in groups.values():
            numbers = sorted(head.number for head in group)
            found = same([records[number] for number in numbers])
            pairs.update((numbers[one], numbers[other]) for one, other in found)
    return pairs


def _shared(change: Change, key: str, updated: Collection[int]) -> list[object]:
    """The values of `key` that a new or `updated` record shares with another one."""
    rows = list(change.db.rows(_SHARED.format(key=key, which="a.number >= ?"), [change.first_paper]))
    for some in pieces(updated, 500):
        marks = ", ".join("?" * len(some))
        rows += change.db.rows(_SHARED.format(key=key, which=f"a.number IN ({marks})"), some)
    return list(dict.fromkeys(value for (value,) in rows))


def pairs_by_alias(change: Change, ids: Iterable[str]) -> set[Pair]:
    """Pairs of rows that are the same paper by aliases that can be reached from `ids`.

    An alias may have an id without a record: if it leads to a known paper, the id gets a row.
    """
    aliases = _reachable(change, ids)
    names = sorted({name for pair in aliases for name in pair})
    place = {name: position for position, name in enumerate(names)}
    groups = Groups()
    for one, other in aliases:
        groups.join(place[one], place[other])
    heads = heads_of(change.db, names)
    pairs: set[Pair] = set()
    for group in groups.found():
        numbers = [heads[names[position]].number for position in group if names[position] in heads]
        if not numbers:
            continue  # used when one of the papers is added
        new_names = [names[position] for position in group if names[position] not in heads]
        numbers.extend(_add_names(change, new_names))
        pairs.update((numbers[0], number) for number in numbers[1:])
    return pairs


def unite(change: Change, pairs: Collection[Pair]) -> None:
    """Merges the entries of each pair; the one with the smallest number, the oldest, keeps number and id."""
    rows = {head.number: head for head in _heads(change, {number for pair in pairs for number in pair})}
    groups = Groups()
    for one, other in pairs:
        groups.join(rows[one].entry, rows[other].entry)
    joined = groups.found()
    members = members_of(change.db, _heads(change, {number for group in joined for number in group}))
    for group in joined:
        _unite(change, [members[number] for number in group])


def _unite(change: Change, entries: list[list[Head]]) -> None:
    survivor, *others = (entry[0].number for entry in entries)
    heads = [head for entry in entries for head in entry]
    PAPERS.put(
        change.db,
        (
            head._replace(
                entry=survivor,
                members=len(heads) if head.number == survivor else 0,
                generation=change.generation,
            )
            for head in heads
        ),
    )
    REMOVED.insert(
        change.db, (Removed(number, change.generation) for number in others if number < change.first_paper)
    )
    change.merged += sum(entry[0].stored for entry in entries[1:])
    change.touched.update(head.id for head in heads)


def _reachable(change: Change, ids: Iterable[str]) -> set[AliasRow]:
    aliases: set[AliasRow] = set()
    seen: set[str] = set()
    frontier = set(ids)
    while frontier:
        seen |= frontier
        found = {row for column in ("id", "same_as") for row in ALIASES.where(change.db, column, frontier)}
        aliases |= found
        frontier = {name for row in found for name in row} - seen
    return aliases


def _add_names(change: Change, names: Iterable[str]) -> list[int]:
    heads = [
        Head(number := change.paper_number(), name, number, 1, 0, None, None, change.generation)
        for name in names
    ]
    PAPERS.insert(change.db, heads)
    return [head.number for head in heads]


def _heads(change: Change, numbers: Collection[int]) -> list[Head]:
    heads = list(PAPERS.where(change.db, "number", numbers))
    if len(heads) != len(numbers):
        raise change.db.damaged("a paper's row is missing")
    return heads
