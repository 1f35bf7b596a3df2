"""Paragraphs as training examples: positives, and the three pools of negatives (section 4 of the source)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection as Ids
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets.lines import Line, objects
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.qpcr.settings import POOLS


@dataclass(frozen=True, slots=True)
class Example:
    """A paragraph. Ids are canonical, of known papers, sorted; no paper is in two of `positives` and
    `pools`."""

    query: Query
    positives: tuple[str, ...]
    """At least one."""
    pools: tuple[tuple[str, ...], ...]
    """Negatives: cited by other paragraphs on related work; cited elsewhere in the paper; cited by papers
    that the related-work section cites, but not by the paper."""
    references: frozenset[str]
    """Everything that the paper is known to cite, the topic sentence included, and the paper itself."""

    def as_whole(self) -> Example:
        """The paper with all that its related-work section cites as positives, and only papers that it does
        not cite as negatives."""
        related, _, beyond = self.pools
        return replace(self, positives=tuple(sorted({*self.positives, *related})), pools=((), (), beyond))


@dataclass(frozen=True, slots=True)
class Quadruplet:
    """Ids of two positives (the same twice, if a paragraph has one only) and a negative."""

    first: str
    second: str
    negative: str


def examples(paths: Iterable[Path], collection: Collection, barred: Ids[str] = ()) -> list[Example]:
    """The paragraphs of the files, those without a known positive left out.

    Papers in `barred` are neither positives nor negatives. The references of a paper are those of its
    paragraphs and of the collection; a reference that is newer than the paper that is asked for is none.
    Raises InputError for a file of another kind, and for an invalid line.
    """
    lines = [line for path in paths for line in objects(path, "qpcr", "topic_sentence")]
    by_paper: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        by_paper[line.text("paper")].update(map(collection.canonical, line.texts("cited_ids")))
    read = (_example(line, by_paper, collection, frozenset(barred)) for line in lines)
    return [each for each in read if each.positives]


def quadruplets(
    example: Example,
    everything: Sequence[str],
    rng: random.Random,
    nearest: Sequence[str] = (),
    from_nearest: int = 0,
) -> list[Quadruplet]:
    """`sum(POOLS)` quadruplets with distinct negatives, as many from each pool as `POOLS` says. What a pool
    lacks is drawn from the other pools, then from `everything` but what the paper cites. Then
    `from_nearest` of the negatives, or as many as there are, are replaced by some of `nearest`."""
    drawn: list[str] = []
    for pool, count in zip(example.pools, POOLS, strict=True):
        drawn += rng.sample(pool, min(count, len(pool)))
    left = [paper for pool in example.pools for paper in pool if paper not in drawn]
    missing = sum(POOLS) - len(drawn)
    drawn += rng.sample(left, min(missing, len(left)))
    tabu = {*example.positives, *example.references, *drawn}
    if (missing := sum(POOLS) - len(drawn)) > 0:
        others = [paper for paper in everything if paper not in tabu]
        drawn += rng.sample(others, min(missing, len(others)))
    if from_nearest:
        near = rng.sample(nearest, min(from_nearest, len(nearest)))
        others = [paper for paper in drawn if paper not in near]
        drawn = rng.sample(others, min(sum(POOLS) - len(near), len(others))) + near
    return [Quadruplet(*_positives(example.positives, rng), negative) for negative in drawn]


def _positives(positives: Sequence[str], rng: random.Random) -> tuple[str, str]:
    if len(positives) == 1:
        return positives[0], positives[0]
    first, second = rng.sample(positives, 2)
    return first, second


def _example(
    line: Line, by_paper: Mapping[str, set[str]], collection: Collection, barred: frozenset[str]
) -> Example:
    paper = line.text("paper")
    known = collection.papers.get(collection.canonical(paper))
    year = line.year("year") or (known.year if known else None)

    def usable(ids: Iterable[str], *before: Ids[str]) -> tuple[str, ...]:
        canonical = {collection.canonical(each) for each in ids} - barred - {collection.canonical(paper)}
        return tuple(
            sorted(
                each
                for each in canonical.difference(*before)
                if each in collection.papers and not _is_newer(collection.papers[each].year, year)
            )
        )

    positives = usable(line.texts("cited_ids"))
    # Without a list, the other paragraphs of the paper in the file are on related work.
    unlisted = line.fields.get("related_ids") is None
    topic = usable(_listed(line, "topic_ids"), positives)
    related = usable(by_paper[paper] if unlisted else _listed(line, "related_ids"), positives, topic)
    cited = (
        *_listed(line, "other_ids"),
        *by_paper[paper],
        *collection.references.get(collection.canonical(paper), ()),
    )
    others = usable(cited, positives, topic, related)
    beyond = {each for cited in (*positives, *related) for each in collection.references.get(cited, ())}
    title, abstract = (
        line.text(name) if line.fields.get(name) else (getattr(known, name) if known else "")
        for name in ("title", "abstract")
    )
    own = collection.canonical(paper)
    query = Query(
        "paragraph",
        line.text("topic_sentence"),
        title,
        abstract,
        year=year,
        id=line.text("query_id"),
        citing_id=own,
    )
    pools = (related, others, usable(beyond, positives, topic, related, others))
    references = frozenset((*positives, *topic, *related, *others, own))
    return Example(query, positives, pools, references)


def _listed(line: Line, name: str) -> tuple[str, ...]:
    return line.texts(name) if line.fields.get(name) else ()


def _is_newer(year: int | None, than: int | None) -> bool:
    return year is not None and than is not None and year > than
