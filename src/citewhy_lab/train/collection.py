"""The data folder of recipes: papers, citations and citing sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection as Ids
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Citation, Context, Paper
from citewhy.text.dedupe import Groups
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.lines import Line, every_object, objects
from citewhy_lab.evaluate.datasets.reading import find, records
from citewhy_lab.train.data_set import is_of_the_field, open_data_set

FILES = {
    "papers": ("papers.jsonl",),
    "aliases": ("paper_aliases.tsv",),
    "citations": ("citations.tsv",),
    "contexts": ("contexts.train.jsonl", "contexts.jsonl"),
    "paragraphs": ("paragraphs.train.jsonl",),
    "triples": ("triples.jsonl",),
}
"""Files of the folder, with or without ``.gz`` or ``.zst``; of two names the first that exists is read.

Papers, and contexts or citations, are required. Other files are ignored, so that test data can be in the same
folder. A folder of the field's layout (`data_set`) works as well.
"""

R = TypeVar("R", Paper, Alias, Citation, Context)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The first sentence of a paragraph, and the papers that the rest of it cites. Its year is unknown."""

    paper: str
    text: str
    cited_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Triple:
    """A paper, a similar one, and a dissimilar one, of any field."""

    query: Paper
    near: Paper
    far: Paper


class KnownPapers:
    """Each paper once, under its canonical id: of the ids of a paper, the first in sorted order."""

    def __init__(self, papers: Iterable[Paper], aliases: Iterable[Alias]) -> None:
        """Uses the first record with an abstract of several of a paper."""
        self._canonical = _groups(aliases)
        self.all: dict[str, Paper] = {}
        """Each stands under its canonical id."""
        for paper in papers:
            known = self.all.get(self.canonical(paper.id))
            if known is None or (paper.abstract and not known.abstract):
                self.all[self.canonical(paper.id)] = paper

    def canonical(self, paper_id: str) -> str:
        """Returns the canonical id of a paper; the id itself if it is unknown."""
        return self._canonical.get(paper_id, paper_id)

    def papers(self, ids: Ids[str]) -> Mapping[str, Paper]:
        """Returns the papers of `ids` that are known, by canonical id."""
        return {paper_id: self.all[paper_id] for paper_id in map(self.canonical, ids) if paper_id in self.all}

    @cached_property
    def held_out(self) -> frozenset[str]:
        """Canonical ids of the held-out papers (`evaluate.datasets.held_out`), on which no model is trained:
        those with at least one id that is held out."""
        ids = {*(paper.id for paper in self.all.values()), *self.all, *self._canonical}
        return frozenset(self.canonical(paper_id) for paper_id in ids if held_out(paper_id))


class Collection:
    """Reads `folder`. Ids of `papers`, `references` and `held_out` are canonical.

    Raises InputError for a missing file, and for a file that cannot be read as a whole; single invalid
    records are skipped, and counted in `skipped`.
    """

    def __init__(self, folder: Path) -> None:
        self.validation: list[Context] = []
        """Contexts for validation, if the folder has a split for it."""
        self.aliases: list[Alias] = []
        self.citations: list[Citation] = []
        self.paragraphs: list[Paragraph] = []
        self.triples: list[Triple] = []
        if is_of_the_field(folder) and find(folder, *FILES["papers"]) is None:
            self._read_splits(folder)
        else:
            self._read_lines(folder)
        self.papers = self.known.all
        self.held_out = self.known.held_out
        self.references = self._references()

    def canonical(self, paper_id: str) -> str:
        """Returns the canonical id of a paper; the id itself if it is unknown."""
        return self.known.canonical(paper_id)

    def year(self, context: Context) -> int | None:
        """Returns the context's own year, or else that of its paper; None if both are unknown."""
        citing = self.papers.get(self.canonical(context.citing_id))
        return context.year if context.year is not None or citing is None else citing.year

    def split(self, until: int) -> tuple[list[Context], list[Context]]:
        """Contexts for training and validation: as the folder splits them, or else those up to the year
        `until` and those of the following year."""
        if self.validation:
            return self.contexts, self.validation
        years = [self.year(context) for context in self.contexts]
        dated = list(zip(self.contexts, years, strict=True))
        learned = [context for context, year in dated if year is not None and year <= until]
        return learned, [context for context, year in dated if year == until + 1]

    def _read_splits(self, folder: Path) -> None:
        """Returns the layout of the field."""
        data = open_data_set(folder)
        self.files = {path.name.split(".")[0]: path for path in data.files}
        self.known = KnownPapers(data.papers, ())
        self.contexts, self.validation = list(data.train), list(data.val)
        self.skipped = sum(count for what, count in data.damage.items() if "cannot be read" in what)

    def _read_lines(self, folder: Path) -> None:
        """JSON lines, with the names in `FILES`."""
        self.files = _find(folder)
        damage: Counter[str] = Counter()

        def read(kind: str, record: type[R]) -> Iterator[R]:
            if kind in self.files:
                yield from records(self.files[kind], record, damage)

        self.aliases = list(read("aliases", Alias))
        self.known = KnownPapers(read("papers", Paper), self.aliases)
        self.contexts = list(read("contexts", Context))
        self.citations = list(read("citations", Citation))
        self.paragraphs = list(_paragraphs(self.files.get("paragraphs")))
        self.triples = list(_triples(self.files.get("triples")))
        self.skipped = damage.total()

    def _references(self) -> dict[str, frozenset[str]]:
        """Returns all known references of each paper, and the paper itself."""
        references: dict[str, set[str]] = defaultdict(set)
        for citation in self.citations:
            references[self.canonical(citation.citing_id)].add(self.canonical(citation.cited_id))
        for context in (*self.contexts, *self.validation):
            references[self.canonical(context.citing_id)].update(map(self.canonical, context.cited_ids))
        return {citing: frozenset(cited | {citing}) for citing, cited in references.items()}


def _find(folder: Path) -> dict[str, Path]:
    files = {kind: path for kind, names in FILES.items() if (path := find(folder, *names)) is not None}
    if "papers" not in files or not files.keys() & {"contexts", "citations"}:
        missing = "papers" if "papers" not in files else "contexts and no citations"
        raise InputError(
            f"the folder has no {missing}",
            path=folder,
            hint="expected papers.jsonl, and contexts.jsonl or citations.tsv; .gz and .zst are fine",
        )
    return files


def _groups(aliases: Iterable[Alias]) -> dict[str, str]:
    """Returns the canonical id of every id that has an alias: of the ids of a paper, the first in sorted
    order."""
    pairs = [(alias.id, alias.same_as) for alias in aliases]
    names = sorted({name for pair in pairs for name in pair})
    number = {name: position for position, name in enumerate(names)}
    groups = Groups()
    for one, other in pairs:
        groups.join(number[one], number[other])
    return {names[one]: names[group[0]] for group in groups.joined() for one in group}


def _paragraphs(path: Path | None) -> Iterator[Paragraph]:
    if path is not None:
        for line in objects(path, "encoder", "topic_sentence"):
            yield Paragraph(line.text("paper"), line.text("topic_sentence"), line.texts("cited_ids"))


def _triples(path: Path | None) -> Iterator[Triple]:
    if path is not None:
        for line in every_object(path):
            yield Triple(*(_paper_of(line, name) for name in ("query", "pos", "neg")))


def _paper_of(line: Line, name: str) -> Paper:
    value = line.fields.get(name)
    if not isinstance(value, dict):
        raise line.error(f"{name!r} is no paper", hint="a triple has the papers query, pos and neg")
    fields = Line(line.path, line.number, value)
    return Paper(f"triple:{fields.text('id')}", fields.text("title"), str(value.get("abstract") or ""))
