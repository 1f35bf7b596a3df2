"""Merging records of the same paper into one entry, by their content and by aliases.

Records that were merged stay one entry until it is removed or a person splits it (`splitting`). What one
import joins does not depend on the order of its records.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from citewhy.base.records import Paper
from citewhy.base.reports import Merge
from citewhy.papers.library.change import Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import heads_of, members_of, read_bodies
from citewhy.papers.library.schema import ALIASES, PAPERS, REMOVED, AliasRow, Head, Removed, separations
from citewhy.text.dedupe import Groups, certain, identifies
from citewhy.text.settling import Link, Member, settle
from citewhy.text.traits import (
    Known,
    Traits,
    agreeing,
    title_words,
    traits_of,
    traits_within_doi,
)

Pair = tuple[int, int]


def same_by_work(records: Sequence[Paper]) -> Iterator[Pair]:
    """Pairs that connect the records with the same `dedupe.work_key` that are the same paper
    (`traits.same_work`)."""
    traits = [(position, one) for position, paper in enumerate(records) if (one := traits_of(paper))]
    groups = Groups()
    for some in _alike(traits, lambda one: one.place and (one.signs, one.place)):
        for ours, theirs in agreeing([one.known for _, one in some]):
            places = [[some[place][0] for place in side] for side in (ours, theirs)]
            yield from groups.joining(_each_with_each(*places))
    for some in _alike(traits, lambda one: (one.signs, one.frame)):
        for ours, theirs in agreeing([(*one.names, *one.known) for _, one in some]):
            yield from groups.joining(
                _near_in_time([some[place] for place in ours], [some[place] for place in theirs])
            )
    for some in _alike(traits, lambda one: one.crowd and (one.signs, one.frame, one.crowd)):
        for ours, theirs in agreeing([one.known for _, one in some]):
            yield from groups.joining(
                _near_in_time([some[place] for place in ours], [some[place] for place in theirs])
            )


def _alike(
    traits: Sequence[tuple[int, Traits]], key: Callable[[Traits], object]
) -> Iterator[list[tuple[int, Traits]]]:
    """Those that have the same key; those without one are left out."""
    alike: defaultdict[object, list[tuple[int, Traits]]] = defaultdict(list)
    for position, one in traits:
        if value := key(one):
            alike[value].append((position, one))
    yield from alike.values()


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
        preprints = _by_people([member for member in those if member[1].preprint])
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
    by_people: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, one in some:
        if one.people:
            by_people[one.people].append(position)
    return dict(by_people)


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
    some = sorted(first_with, key=lambda titled: len(titled[0]))
    for ours, theirs in agreeing([known for _, known in some]):
        across = ours is not theirs
        sides = sorted([(one, 0) for one in ours] + [(one, 1) for one in theirs if across])
        titles = [some[one][0] for one, _ in sides]
        pairs = _resembling(titles, [side for _, side in sides] if across else None)
        places = [first_with[some[one]] for one, _ in sides]
        yield from groups.joining((places[one], places[other]) for one, other in pairs)
        if not titles[0]:  # a record without a title resembles any
            for one in (ours, theirs):
                untitled = [first_with[some[place]] for place in one if not some[place][0]]
                others = [first_with[some[place]] for place in (theirs if one is ours else ours)]
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
    regrouped: dict[int, list[int]] = {}
    for top, places in known.items():
        regrouped.setdefault(groups.top(top), []).extend(places)
    return regrouped


def pairs_by_content(change: Change, updated: Collection[int]) -> set[Pair]:
    """Pairs of records that connect all records of a paper, as far as one of them is new or `updated`.

    Records are compared only with those that share a DOI or a `dedupe.work_key`, and not each with each: any
    number of them takes time that grows with their number.
    """
    pairs: set[Pair] = set()
    for key, same in (("doi", same_by_doi), ("work", same_by_work)):
        shared = PAPERS.shared(change.db, key, change.first_paper, updated)
        for values in pieces(shared, _SETTLED_AT_ONCE):
            groups: dict[object, list[Head]] = defaultdict(list)
            for head in PAPERS.where(change.db, key, values):
                groups[getattr(head, key)].append(head)
            records = read_bodies(change.db, [head for group in groups.values() for head in group])
            for group in groups.values():
                numbers = sorted(head.number for head in group)
                connected = same([records[number] for number in numbers])
                pairs.update((numbers[one], numbers[other]) for one, other in connected)
    return pairs


def pairs_by_alias(change: Change, ids: Iterable[str]) -> set[Pair]:
    """Pairs of rows that an alias connects, for all aliases that can be reached from `ids` and new ids.

    An alias may have an id without a record: if it leads to a known paper, the id gets a row.
    """
    aliases = _reachable(change, ids)
    names = sorted({name for pair in aliases for name in pair})
    place = {name: position for position, name in enumerate(names)}
    groups = Groups()
    for one, other in aliases:
        groups.join(place[one], place[other])
    numbers = {name: head.number for name, head in heads_of(change.db, names).items()}
    for group in groups.joined():
        linked = [names[position] for position in group]
        new = [name for name in linked if name not in numbers]
        if len(new) < len(linked):  # otherwise used when one of the papers is added
            numbers.update(zip(new, _add_names(change, new), strict=True))
    return {(numbers[one], numbers[other]) for one, other in aliases if one in numbers}


def unite(change: Change, content: Collection[Pair], aliases: Collection[Pair]) -> list[AliasRow]:
    """Merges the entries of linked records as far as nothing contradicts (`settling.settle`); the oldest,
    with the smallest number, keeps number and id. Returns the aliases that are not followed, because the
    papers of their ids are two."""
    pairs = {number for pair in (*content, *aliases) for number in pair}
    rows = {head.number: head for head in _heads(change, pairs)}
    groups = Groups()
    for one, other in (*content, *aliases):
        groups.join(rows[one].entry, rows[other].entry)
    links: defaultdict[int, list[tuple[int, int, bool]]] = defaultdict(list)
    for some, alias in ((content, False), (aliases, True)):
        for one, other in some:
            links[groups.top(rows[one].entry)].append((one, other, alias))
    refused: list[AliasRow] = []
    for joined in pieces(groups.joined(), _SETTLED_AT_ONCE):
        numbers = {number for group in joined for number in group}
        members = members_of(change.db, _heads(change, numbers))
        heads = [head for group in members.values() for head in group]
        records = read_bodies(change.db, [head for head in heads if head.stored])
        apart = kept_apart(change.db, [head.id for head in heads])
        for group in joined:
            entries = [members[number] for number in group]
            refused += _settle(change, entries, links[group[0]], records, apart)
    return refused


_SETTLED_AT_ONCE = 500


def _settle(
    change: Change,
    entries: Sequence[list[Head]],
    links: Iterable[tuple[int, int, bool]],
    records: Mapping[int, Paper],
    apart: Mapping[str, Collection[str]],
) -> list[AliasRow]:
    """Merges entries that are linked with each other; returns the aliases that are not followed."""
    heads = sorted(head for entry in entries for head in entry)
    place = {head.number: position for position, head in enumerate(heads)}
    members = [Member(head.id, head.entry, records.get(head.number)) for head in heads]
    ordered = [
        Link(min(place[one], place[other]), max(place[one], place[other]), alias)
        for one, other, alias in links
    ]
    united, refused = settle(members, ordered, apart)
    by_number = {entry[0].number: entry for entry in entries}
    for group in united:
        _unite(change, [by_number[number] for number in group], records)
    return [AliasRow(members[link.one].id, members[link.other].id) for link in refused]


def kept_apart(db: Database, ids: Collection[str]) -> dict[str, set[str]]:
    """For each of the `ids` that a person took out of an entry, those of them that are other papers."""
    apart: defaultdict[str, set[str]] = defaultdict(set)
    asked = set(ids)
    for row in separations(db):
        if row.one in asked and row.other in asked:
            apart[row.one].add(row.other)
            apart[row.other].add(row.one)
    return dict(apart)


def _unite(change: Change, entries: list[list[Head]], records: Mapping[int, Paper]) -> None:
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
    kept = [records[head.number] for head in entries[0] if head.stored]
    for entry in entries[1:]:
        if entry[0].stored:
            change.merges.append(_merge(kept, records[entry[0].number]))
        kept += [records[head.number] for head in entry if head.stored]
    moved = entries if _gives_year(entries[0], records, kept) else entries[1:]
    change.touched.update(head.id for entry in moved for head in entry)


def _gives_year(first: Sequence[Head], records: Mapping[int, Paper], kept: Iterable[Paper]) -> bool:
    """Whether the first of the entries gets a year from the others."""
    years = [records[head.number].year for head in first if head.stored]
    return all(year is None for year in years) and any(record.year is not None for record in kept)


def _merge(kept: Sequence[Paper], record: Paper) -> Merge:
    sure = any(certain(one, record) for one in kept[:_COMPARED])
    return Merge(record.id, record.title, kept[0].id, kept[0].title, sure)


_COMPARED = 50
_NAMES_AT_ONCE = 2000


def _reachable(change: Change, ids: Iterable[str]) -> set[AliasRow]:
    aliases: set[AliasRow] = set()
    if not ALIASES.may_have_rows(change.db):
        return aliases
    for some in pieces(chain(ids, change.new_ids()), _NAMES_AT_ONCE):
        aliases |= _aliases_of(change.db, set(some))
    seen: set[str] = set()
    while frontier := {name for row in aliases for name in row} - seen:
        seen |= frontier
        aliases |= _aliases_of(change.db, frontier)
    return aliases


def _aliases_of(db: Database, names: Collection[str]) -> set[AliasRow]:
    return {row for column in ("id", "same_as") for row in ALIASES.where(db, column, names)}


def ids_linked(change: Change, ids: Iterable[str], names: Collection[str]) -> set[str]:
    """Those of the `names` to which aliases lead from `ids`, through other names only."""
    linked: set[str] = set()
    frontier = set(ids)
    while frontier:
        rows = _aliases_of(change.db, frontier)
        frontier = {name for row in rows for name in row if name in names} - linked
        linked |= frontier
    return linked


def _add_names(change: Change, names: Iterable[str]) -> list[int]:
    heads = [
        Head(number := change.paper_number(), name, number, 1, 0, None, None, change.generation)
        for name in names
    ]
    PAPERS.insert(change.db, heads)
    change.altered |= bool(heads)
    return [head.number for head in heads]


def _heads(change: Change, numbers: Collection[int]) -> list[Head]:
    heads = list(PAPERS.where(change.db, "number", numbers))
    if len(heads) != len(numbers):
        raise change.db.damaged("a paper's row is missing")
    return heads
