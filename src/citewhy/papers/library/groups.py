"""Merging records of the same paper into one entry, by their content and by aliases.

Being the same paper is transitive and permanent: records that were merged stay one entry until it is removed.
The result does not depend on their order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from citewhy.base.records import Paper
from citewhy.papers.library.change import Change
from citewhy.papers.library.dedupe import Groups, identifies, merged
from citewhy.papers.library.entries import heads_of, members_of, read_bodies
from citewhy.papers.library.schema import ALIASES, PAPERS, REMOVED, AliasRow, Head, Removed
from citewhy.papers.library.traits import (
    Known,
    Traits,
    agreeing,
    title_words,
    traits_of,
    traits_within_doi,
)

Pair = tuple[int, int]


def same_by_work(records: Sequence[Paper]) -> Iterator[Pair]:
    """Pairs that connect the records with the same `dedupe.work_key` that are the same paper."""
    traits = [traits_of(paper) for paper in records]
    alike: defaultdict[object, list[tuple[int, Traits]]] = defaultdict(list)
    for position, one in enumerate(traits):
        if one is not None:
            alike[one.sure].append((position, one))
    groups = Groups()
    for some in alike.values():
        for ours, theirs in agreeing([one.known for _, one in some]):
            pairs = _near_in_time(
                [some[position] for position in ours], [some[position] for position in theirs]
            )
            yield from groups.joining(pairs)


def _near_in_time(ours: Sequence[tuple[int, Traits]], theirs: Sequence[tuple[int, Traits]]) -> Iterator[Pair]:
    """Pairs that connect those of `ours` and of `theirs`, which do not contradict each other, whose years
    differ by at most one or are unknown, and preprints with what has the same authors."""
    our_years, their_years = _by_year(ours), _by_year(theirs)
    for year, some in our_years.items():
        near = their_years if year is None else (year - 1, year, year + 1, None)
        for other in near:
            yield from _each_with_each(some, their_years.get(other, []))
    if None in their_years:
        yield from _each_with_each([position for position, _ in ours], their_years[None])
    for those, others in ((ours, theirs), (theirs, ours)):
        preprints = _by_people([each for each in those if each[1].preprint])
        if preprints:
            published = _by_people(others)
            for people, some in preprints.items():
                yield from _each_with_each(some, published.get(people, []))


def _by_year(some: Sequence[tuple[int, Traits]]) -> dict[int | None, list[int]]:
    years: defaultdict[int | None, list[int]] = defaultdict(list)
    for position, one in some:
        years[one.year].append(position)
    return dict(years)


def _by_people(some: Sequence[tuple[int, Traits]]) -> dict[tuple[str, ...], list[int]]:
    """Keeps those that name all their authors."""
    found: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, one in some:
        if one.people:
            found[one.people].append(position)
    return dict(found)


def _each_with_each(ours: Sequence[int], theirs: Sequence[int]) -> Iterator[Pair]:
    """Pairs that connect all of `ours` with all of `theirs`; none if either is empty."""
    if ours and theirs:
        yield from ((ours[0], other) for other in theirs)
        yield from ((one, theirs[0]) for one in ours[1:])


def same_by_doi(records: Sequence[Paper]) -> Iterator[Pair]:
    """Pairs that connect the records with the same DOI that are the same paper: their titles are equal, or
    one has half of the words of the other (`dedupe.titles_resemble`) and nothing is contradicted."""
    groups = Groups()
    first_titled: dict[frozenset[str], int] = {}
    first_with: dict[tuple[frozenset[str], Known], int] = {}
    for position, paper in enumerate(records):
        title = title_words(paper.title)
        if identifies(paper.title):
            yield from groups.joining([(first_titled.setdefault(title, position), position)])
        yield from groups.joining(
            [(first_with.setdefault((title, traits_within_doi(paper)), position), position)]
        )
    some = sorted(first_with, key=lambda each: len(each[0]))
    for ours, theirs in agreeing([known for _, known in some]):
        across = ours is not theirs
        sides = sorted([(one, 0) for one in ours] + [(one, 1) for one in theirs if across])
        titles = [some[one][0] for one, _ in sides]
        pairs = _resembling(titles, [side for _, side in sides] if across else None)
        places = [first_with[some[one]] for one, _ in sides]
        yield from groups.joining((places[one], places[other]) for one, other in pairs)
        if not titles[0]:  # a record without a title resembles any
            for one in (ours, theirs):
                untitled = [first_with[some[each]] for each in one if not some[each][0]]
                others = [first_with[some[each]] for each in (theirs if one is ours else ours)]
                yield from groups.joining(_each_with_each(untitled, others))


def _resembling(titles: Sequence[frozenset[str]], sides: Sequence[int] | None = None) -> Iterator[Pair]:
    """Pairs that connect the sets of words that resemble each other; shorter sets come first. If there are
    two `sides`, only pairs of one set of each.

    Each set is compared only with sets that have one of their rarer words in common with it: as many of them
    as make sure that sets without any of these have less than half of their words in common. Sets that are
    connected already are not compared: they are kept together.
    """
    frequency = Counter(word for title in titles for word in title)
    groups = Groups()
    having: defaultdict[tuple[str, int], dict[int, list[int]]] = defaultdict(dict)
    """Maps word and side, then group, to the sets in it that have the word."""
    for position, title in enumerate(titles):
        side, opposite = (0, 0) if sides is None else (sides[position], 1 - sides[position])
        for word in title:
            known = having.get((word, opposite), {})
            for top in list(known):
                if groups.top(top) == groups.top(position):
                    continue
                for other in known[top]:
                    if 2 * len(title & titles[other]) >= len(titles[other]):
                        groups.join(position, other)
                        yield other, position
                        break
            if len(known) > 1:
                having[word, opposite] = _regrouped(known, groups)
        rare = sorted(title, key=lambda word: (frequency[word], word))[: len(title) // 2 + 1]
        for word in rare:
            having[word, side].setdefault(groups.top(position), []).append(position)


def _regrouped(known: dict[int, list[int]], groups: Groups) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for top, places in known.items():
        found.setdefault(groups.top(top), []).extend(places)
    return found


def pairs_by_content(change: Change, updated: Collection[int]) -> set[Pair]:
    """Pairs of records that connect all records of a paper, as far as one of them is new or `updated`.

    Records are compared only with those that share a DOI or a `dedupe.work_key`, and not each with each: any
    number of them takes time that grows with their number.
    """
    pairs: set[Pair] = set()
    for key, same in (("doi", same_by_doi), ("work", same_by_work)):
        groups: dict[object, list[Head]] = defaultdict(list)
        for head in PAPERS.where(change.db, key, PAPERS.shared(change.db, key, change.first_paper, updated)):
            groups[getattr(head, key)].append(head)
        records = read_bodies(change.db, [head for group in groups.values() for head in group])
        for group in groups.values():
            numbers = sorted(head.number for head in group)
            found = same([records[number] for number in numbers])
            pairs.update((numbers[one], numbers[other]) for one, other in found)
    return pairs


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
    moved = entries if _gives_year(change, entries) else entries[1:]
    change.touched.update(head.id for entry in moved for head in entry)


def _gives_year(change: Change, entries: list[list[Head]]) -> bool:
    """Whether the first of the entries gets a year from the others."""
    heads = [head for entry in entries for head in entry if head.stored]
    records = read_bodies(change.db, heads)
    first = [records[head.number] for head in entries[0] if head.stored]
    return merged(first).year is None and any(record.year is not None for record in records.values())


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
