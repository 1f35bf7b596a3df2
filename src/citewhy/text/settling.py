"""Which entries become one: links between their records are followed only as far as nothing contradicts.

That two records are one paper is not transitive by itself: one that says little may agree with two that
contradict each other, and a service may give the same number to two papers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from citewhy.base.records import Paper
from citewhy.text.dedupe import Groups, identifies, same_by_name, same_paper, work_key
from citewhy.text.traits import Traits, family, title_words, traits_of, traits_within_doi

MOST_COMPARED = 100
"""Among more records than these, links are followed in their order, and not the closest first."""
_NAMED_COMPARED = 50
"""How many records of a group are compared when an alias links it with another."""


class Link(NamedTuple):
    """Two records, by their positions. By an alias: somebody says that they are the same."""

    one: int
    other: int
    alias: bool = False


class Member(NamedTuple):
    """The row of an id in an entry; `record` has the same id."""

    id: str
    entry: int
    record: Paper | None
    """None: only a name."""


def settle(
    members: Sequence[Member], links: Collection[Link], apart: Mapping[str, Collection[str]]
) -> tuple[list[list[int]], list[Link]]:
    """Joins the entries of `members` that are linked; returns the entries of each group in ascending order,
    and the aliases that are not followed.

    No group has two members that contradict each other (`_Group`), or that are `apart` because a person said
    so. Where links compete, the closest records come first. Of two records that an alias links, something
    must say that they are one paper (`dedupe.same_by_name`), as if they had a common DOI.
    """
    joining = _Joining(members, apart)
    refused = joining.follow(sorted(links))
    if refused and len(members) <= MOST_COMPARED:
        joining = _Joining(members, apart)
        refused = joining.follow(_closest_first(members, links))
    return joining.groups(), [link for link in refused if link.alias]


def _closest_first(members: Sequence[Member], links: Collection[Link]) -> list[Link]:
    """The links, and all others between records that are the same paper; aliases come last, since they say
    nothing of how close the records are."""
    traits = [traits_of(member.record) if member.record else None for member in members]
    close = []
    for one, other in combinations(range(len(members)), 2):
        ours, theirs = members[one].record, members[other].record
        if ours is not None and theirs is not None and same_paper(ours, theirs):
            mine, yours = traits[one], traits[other]
            same_doi = bool(ours.doi) and ours.doi == theirs.doi
            far = _distance(mine, yours) if mine and yours else (0, 0, 0)
            close.append((not same_doi, far, Link(one, other)))
    return [*(link for *_, link in sorted(close)), *sorted(link for link in links if link.alias)]


def _distance(one: Traits, other: Traits) -> tuple[int, int, int]:
    """Smaller for records that agree in more: in where they stand, in years, in traits that both know."""
    gap = 1 if one.year is None or other.year is None else 2 * abs(one.year - other.year)
    ours, theirs = (*one.names, *one.known), (*other.names, *other.known)
    common = sum(a is not None and a == b for a, b in zip(ours, theirs, strict=True))
    return int(one.place is None or one.place != other.place), gap, -common


class _Joining:
    """Groups of entries that grow."""

    def __init__(self, members: Sequence[Member], apart: Mapping[str, Collection[str]]) -> None:
        self._members = members
        self._apart = apart
        self._sets = Groups()
        self._groups: dict[int, _Group] = {}
        for member in members:
            group = self._groups.setdefault(member.entry, _Group())
            group.take(member)
            self._sets.top(member.entry)

    def follow(self, links: Iterable[Link]) -> list[Link]:
        """Joins what the links connect; returns those that are not followed."""
        return [link for link in links if not self._join(link)]

    def groups(self) -> list[list[int]]:
        return self._sets.joined()

    def _join(self, link: Link) -> bool:
        tops = [self._sets.top(self._members[number].entry) for number in (link.one, link.other)]
        if tops[0] == tops[1]:
            return True
        one, other = self._groups[tops[0]], self._groups[tops[1]]
        if one.records and other.records:
            if one.kept_from(other, self._apart):
                return False
            named = link.alias and not one.resembles(other)
            if named or one.contradicts(other, named=link.alias):
                return False
        self._sets.join(*tops)
        larger, smaller = (one, other) if one.size >= other.size else (other, one)
        larger.absorb(smaller)
        self._groups[self._sets.top(tops[0])] = larger
        return True


class _Group:
    """What the records of a group say: the values of each trait.

    Two groups contradict each other in a trait if both know it and have no value in common. What they have
    in common decides in which traits they are compared, as for two records: the same DOI and title in none,
    the same DOI in those of `traits_within_doi`, the same volume and page in all but names and years, the
    same people in all but names.
    """

    def __init__(self) -> None:
        self.size = 0
        self.records: list[Paper] = []
        self._said: defaultdict[tuple[str, int], set[object]] = defaultdict(set)

    def take(self, member: Member) -> None:
        self.size += 1
        if member.record is not None:
            self.records.append(member.record)
            for trait, value in _said(member.record):
                self._said[trait].add(value)

    def absorb(self, other: _Group) -> None:
        self.size += other.size
        self.records += other.records
        for trait, values in other._said.items():
            self._said[trait] |= values

    def kept_from(self, other: _Group, apart: Mapping[str, Collection[str]]) -> bool:
        """Whether a person said that two of their records are two papers."""
        if not apart:
            return False
        smaller, larger = sorted((self, other), key=lambda group: len(group.records))
        ids = {record.id for record in larger.records}
        return any(not ids.isdisjoint(apart[record.id]) for record in smaller.records if record.id in apart)

    def resembles(self, other: _Group) -> bool:
        """Whether some of their records are one paper, if somebody says so."""
        ours, theirs = (list(islice(group.records, _NAMED_COMPARED)) for group in (self, other))
        return self._share(other, "titled") or any(
            same_by_name(one, another) or same_paper(one, another) for one in ours for another in theirs
        )

    def contradicts(self, other: _Group, *, named: bool = False) -> bool:
        """Whether their records contradict each other; `named`: one name stands for both, such as a DOI."""
        if self._share(other, "identified") or (named and self._share(other, "titled")):
            return False
        if named or self._share(other, "doi"):
            return self._differ(other, "within")
        if self._differ(other, "known"):
            return True
        if self._share(other, "place"):
            return False
        return (not self._share(other, "crowd") and self._differ(other, "names")) or self._apart_in_time(
            other
        )

    def _share(self, other: _Group, trait: str) -> bool:
        mine, yours = self._said.get((trait, 0)), other._said.get((trait, 0))
        return bool(mine and yours) and not mine.isdisjoint(yours)  # type: ignore[union-attr,arg-type]

    def _differ(self, other: _Group, kind: str) -> bool:
        return any(
            values.isdisjoint(other._said[trait])
            for trait, values in self._said.items()
            if trait[0] == kind and trait in other._said
        )

    def _apart_in_time(self, other: _Group) -> bool:
        ours, theirs = (group._said.get(("year", 0), set()) for group in (self, other))
        return bool(ours and theirs) and _span(ours | theirs) > max(1, _span(ours), _span(theirs))


def _span(years: Collection[object]) -> int:
    return max(years) - min(years)  # type: ignore[type-var,operator,no-any-return]


def _said(record: Paper) -> Iterator[tuple[tuple[str, int], object]]:
    """The traits that a record knows, with their values."""
    title = title_words(record.title)
    if identifies(record.title) and record.authors:
        yield ("titled", 0), (title, family(record.authors[0]))
    if record.doi:
        yield ("doi", 0), record.doi
        if identifies(record.title):
            yield ("identified", 0), (record.doi, title)
    known: list[tuple[str, Sequence[object]]] = [("within", traits_within_doi(record))]
    traits = traits_of(record)
    if traits is not None:
        known += [("names", traits.names), ("known", (*traits.known, traits.signs))]
        if traits.place is not None:
            yield ("place", 0), (work_key(record), traits.place)
        if traits.crowd:
            yield ("crowd", 0), traits.crowd
        if traits.year is not None and not traits.preprint:
            yield ("year", 0), traits.year
    for kind, values in known:
        yield from (((kind, number), value) for number, value in enumerate(values) if value is not None)
