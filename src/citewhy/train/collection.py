"""The folder that recipes learn from: papers, who cites whom, and in which words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from citewhy.errors import InputError
from citewhy.evaluate.datasets.held_out import held_out
from citewhy.evaluate.datasets.lines import Line, objects
from citewhy.formats import read
from citewhy.formats.jsonlines import parse
from citewhy.formats.report import ImportReport
from citewhy.library.dedupe import Groups
from citewhy.records import Alias, Citation, Context, Paper
from citewhy.text.source import open_raw_lines

__all__ = ["FILES", "Collection", "Paragraph", "Triple", "canonical_ids", "one_each"]

FILES = {
    "papers": ("papers.jsonl",),
    "aliases": ("paper_aliases.tsv",),
    "citations": ("citations.tsv",),
    "contexts": ("contexts.train.jsonl", "contexts.jsonl"),
    "paragraphs": ("paragraphs.train.jsonl",),
    "triples": ("triples.jsonl",),
}
"""What a folder may hold, by file name, with or without ``.gz`` or ``.zst``; of two names the first that is
there. Papers, and contexts or citations, have to be there. Other files are not looked at, and those for
testing may lie beside."""

R = TypeVar("R", Paper, Alias, Citation, Context)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The first sentence of a paragraph, and the papers that the rest of it cites. Its year is not known."""

    paper: str
    text: str
    cited_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Triple:
    """A paper, one that is close to it, and one that is not, of any field."""

    query: Paper
    near: Paper
    far: Paper


class Collection:
    """Reads `folder`. Raises InputError for a missing file, and for a file that cannot be read as a whole;
    single bad records are skipped, and counted in `skipped`.

    Ids of `papers`, `references` and `held_out` are canonical: the first in order of the paper's ids.
    """

    def __init__(self, folder: Path) -> None:
        self.files = _find(folder)
        self._report = ImportReport()
        self.aliases = list(self._records("aliases", Alias))
        self._canonical = canonical_ids(self.aliases)
        self.papers = one_each(self._records("papers", Paper), self.canonical)
        self.contexts = list(self._records("contexts", Context))
        self.citations = list(self._records("citations", Citation))
        self.paragraphs = list(_paragraphs(self.files.get("paragraphs")))
        self.triples = list(_triples(self.files.get("triples")))
        self.skipped = len(self._report.skips)
        self.held_out = frozenset(
            self.canonical(one) for one in {*self.papers, *self._canonical} if held_out(one)
        )
        self.references = self._references()

    def canonical(self, paper_id: str) -> str:
        """The one id of a paper that may have several; itself where nothing is known of it."""
        return self._canonical.get(paper_id, paper_id)

    def _references(self) -> dict[str, frozenset[str]]:
        """Everything that a paper is known to cite, and the paper itself."""
        references: dict[str, set[str]] = defaultdict(set)
        for citation in self.citations:
            references[self.canonical(citation.citing_id)].add(self.canonical(citation.cited_id))
        for context in self.contexts:
            references[self.canonical(context.citing_id)].update(map(self.canonical, context.cited_ids))
        return {citing: frozenset(cited | {citing}) for citing, cited in references.items()}

    def _records(self, kind: str, record: type[R]) -> Iterator[R]:
        if kind not in self.files:
            return
        path = self.files[kind]
        for found in read(path, self._report):
            if not isinstance(found, record):
                raise InputError(f"expected {kind}, found another kind of record", path=path)
            yield found


def _find(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for kind, names in FILES.items():
        paths = (folder / f"{name}{suffix}" for name in names for suffix in ("", ".gz", ".zst"))
        if path := next((path for path in paths if path.is_file()), None):
            found[kind] = path
    if "papers" not in found or not found.keys() & {"contexts", "citations"}:
        missing = "papers" if "papers" not in found else "contexts and no citations"
        raise InputError(
            f"the folder has no {missing}",
            path=folder,
            hint="expected papers.jsonl, and contexts.jsonl or citations.tsv; .gz and .zst are fine",
        )
    return found


def canonical_ids(aliases: Iterable[Alias]) -> dict[str, str]:
    """The canonical id of every id that has an alias: of those of one paper, the first in their order."""
    pairs = [(alias.id, alias.same_as) for alias in aliases]
    names = sorted({name for pair in pairs for name in pair})
    place = {name: position for position, name in enumerate(names)}
    groups = Groups()
    for one, other in pairs:
        groups.join(place[one], place[other])
    return {names[one]: names[group[0]] for group in groups.found() for one in group}


def one_each(papers: Iterable[Paper], canonical: Callable[[str], str]) -> dict[str, Paper]:
    """One record a paper, by its canonical id; of several the first with an abstract."""
    each: dict[str, Paper] = {}
    for paper in papers:
        known = each.get(canonical(paper.id))
        if known is None or (paper.abstract and not known.abstract):
            each[canonical(paper.id)] = paper
    return each


def _paragraphs(path: Path | None) -> Iterator[Paragraph]:
    if path is not None:
        for line in objects(path, "encoder", "topic_sentence"):
            yield Paragraph(line.text("paper"), line.text("topic_sentence"), line.texts("cited_ids"))


def _triples(path: Path | None) -> Iterator[Triple]:
    if path is not None:
        for number, raw in open_raw_lines(path):
            if raw.strip():
                line = Line(path, number, _row(raw, path, number))
                yield Triple(*(_paper_of(line, name) for name in ("query", "pos", "neg")))


def _row(raw: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        return parse(raw)
    except InputError as error:
        raise InputError(error.problem, path=path, line=number) from error


def _paper_of(line: Line, name: str) -> Paper:
    value = line.fields.get(name)
    if not isinstance(value, dict):
        raise line.error(f"{name!r} is no paper", hint="a triple has the papers query, pos and neg")
    fields = Line(line.path, line.number, value)
    return Paper(f"triple:{fields.text('id')}", fields.text("title"), str(value.get("abstract") or ""))
