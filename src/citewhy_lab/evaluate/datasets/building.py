"""Builds data for paragraph-level recommendation from full texts, as Medić and Šnajder (2023, section 3) do.

A paragraph of a related-work section that begins with a topic sentence is a query; the papers that its other
sentences cite are relevant. Topic sentences are found by the discourse tagger, papers by the resolver of
printed citations and reference lists. The other papers that the section cites, and those that the rest of the
paper cites, are kept as well, because negatives are drawn from them.

Some full texts do not say where paragraphs begin. Within a section of such a text, a paragraph begins with
the section, and with each topic sentence that does not follow another one.

The source has paragraphs of related-work sections only. Those of all sections are many more, and can be had
instead; then "the section" is the one that a paragraph is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path

import orjson

from citewhy.answers.resolve.in_text import InTextResolver
from citewhy.base.artifact import folder_aside, replace_file
from citewhy.base.config import default_library
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress
from citewhy.base.records import FullText, Header, Paper, ReferenceList, Sentence
from citewhy.models import check_new
from citewhy.papers.formats import read
from citewhy.papers.library.store import Library
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.classify.discourse import TOPIC, default_tagger, in_context
from citewhy.text.sections import section_kind
from citewhy_lab.evaluate.datasets.settings import ParagraphsSettings, Sections

# Records and files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BuiltParagraph:
    """A query with its answers. All ids are of the library, each once; no paper is in two of the lists."""

    query_id: str
    paper: str
    year: int
    title: str
    abstract: str
    topic_sentence: str
    cited_ids: tuple[str, ...]
    """Papers that the rest of the paragraph cites, at least one."""
    n_citations: int
    """Number of citations in the rest of the paragraph, resolved or not."""
    topic_ids: tuple[str, ...]
    """Further papers that the topic sentence itself cites: neither answers nor negatives."""
    related_ids: tuple[str, ...]
    """Further papers that other paragraphs of the related-work sections cite, or with `Sections` ``all``
    other paragraphs of the same section."""
    other_ids: tuple[str, ...]
    """Further papers that other sections cite."""


@dataclass(slots=True)
class Counts:
    """Counts what was read, and what became of it."""

    papers: int = 0
    sections: int = 0
    """Papers with a section that may have queries: on related work, or any (`Sections`)."""
    unknown_year: int = 0
    """So many of these are left out because their year is unknown."""
    paragraphs: int = 0
    """Paragraphs of these sections, of two sentences or more."""
    topics: int = 0
    """So many of these begin with a topic sentence."""
    queries: int = 0
    """So many of these cite at least one paper that the library has."""
    citations: int = 0
    """Citations in all sentences of papers with such a section."""
    resolved: int = 0
    report: ImportReport = field(default_factory=ImportReport)


def split_by_year(paragraphs: Iterable[BuiltParagraph], year: int) -> dict[str, list[BuiltParagraph]]:
    """Splits paragraphs: ``train``: before `year`; ``val``: of that year; ``test``: after it."""
    parts: dict[str, list[BuiltParagraph]] = {"train": [], "val": [], "test": []}
    for paragraph in paragraphs:
        parts["train" if paragraph.year < year else "val" if paragraph.year == year else "test"].append(
            paragraph
        )
    return parts


def write_built(paragraphs: Iterable[BuiltParagraph], year: int | None, out: Path) -> dict[str, int]:
    """Writes the folder `out`, with `year` split (`split_by_year`), and returns the number of queries by
    file. Raises StorageError."""
    parts = {"": list(paragraphs)} if year is None else split_by_year(paragraphs, year)
    written = {}
    with folder_aside(out) as folder:
        for part, rows in parts.items():
            name = f"paragraphs.{part}.jsonl" if part else "paragraphs.jsonl"
            lines = [orjson.dumps(asdict(row)) for row in rows]
            replace_file(folder / name, b"".join(line + b"\n" for line in lines))
            written[name] = len(rows)
    return written


# Building -------------------------------------------------------------------------------------------------


_TOPIC_WORDS = 4
"""Minimum number of words of a topic sentence; shorter ones are headings."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A full text with what its file says of the paper and of its references."""

    text: FullText
    paper: Paper | None
    references: ReferenceList | None


@dataclass(frozen=True, slots=True)
class _Cited:
    """The citations of a sentence: their number, and the papers that are known."""

    count: int
    ids: tuple[str, ...]


class Builder:
    """Builds paragraphs for the papers of `library`. `counts` are of all files that were read."""

    def __init__(
        self,
        library: Library,
        tagger: Classifier,
        resolver: InTextResolver | None = None,
        sections: Sections = "related",
    ) -> None:
        self._library = library
        self._tagger = tagger
        self._sections = sections
        self._resolver = resolver or InTextResolver.of(library)
        self.counts = Counts()

    def build(self, paths: Sequence[Path], progress: Progress) -> Iterator[BuiltParagraph]:
        """Yields the paragraphs of all full texts in `paths`, in order. Raises InputError for a file that
        cannot be read; invalid records are skipped, and counted in `counts.report`."""
        for path in paths:
            for source in self._sources(path):
                self.counts.papers += 1
                progress(
                    f"{path.name}: {self.counts.papers:,} papers, {self.counts.queries:,} paragraphs", None
                )
                yield from self._paper(source)

    def _sources(self, path: Path) -> Iterator[_Source]:
        texts: dict[str, FullText] = {}
        papers: dict[str, Paper] = {}
        lists: dict[str, ReferenceList] = {}
        for record in read(path, self.counts.report):
            if isinstance(record, FullText):
                texts[record.paper_id] = record
            elif isinstance(record, Header):
                papers[record.paper.id] = record.paper
            elif isinstance(record, ReferenceList):
                lists[record.citing_id] = record
        for paper_id, text in texts.items():
            yield _Source(text, papers.get(paper_id), lists.get(paper_id))

    def _paper(self, source: _Source) -> Iterator[BuiltParagraph]:
        sentences = [sentence for sentence in source.text.sentences if sentence.sid]
        sections = [self._section(sentence.section) for sentence in sentences]
        if not any(sections):
            return
        self.counts.sections += 1
        paper = self._described(source)
        if paper.year is None:
            self.counts.unknown_year += 1
            return
        cited = self._cited(source, sentences, paper)
        self.counts.citations += sum(citations.count for citations in cited)
        self.counts.resolved += sum(len(citations.ids) for citations in cited)
        everything = _ids(cited)
        by_section = {
            name: _ids(citations for citations, own in zip(cited, sections, strict=True) if own == name)
            for name in dict.fromkeys(sections)
        }
        if self._sections == "all":  # most sections cite nothing known: their topics need not be found
            sections = [name if by_section[name] else None for name in sections]
        for number, (start, end) in enumerate(self._paragraphs(sentences, sections)):
            self.counts.queries += 1 if (cited_ids := _ids(cited[start + 1 : end])) else 0
            if cited_ids:
                topic = tuple(
                    paper_id for paper_id in _ids(cited[start : start + 1]) if paper_id not in cited_ids
                )
                own = {*cited_ids, *topic}
                others = tuple(paper_id for paper_id in by_section[sections[start]] if paper_id not in own)
                yield BuiltParagraph(
                    query_id=f"{paper.id}_{number}",
                    paper=paper.id,
                    year=paper.year,
                    title=paper.title,
                    abstract=paper.abstract,
                    topic_sentence=sentences[start].text,
                    cited_ids=cited_ids,
                    n_citations=sum(citations.count for citations in cited[start + 1 : end]),
                    topic_ids=topic,
                    related_ids=others,
                    other_ids=tuple(paper_id for paper_id in everything if paper_id not in {*own, *others}),
                )

    def _section(self, heading: str) -> str | None:
        """Returns what the section is called in which a sentence under `heading` may be a query; None: in
        none. All sections on related work are one."""
        kind = section_kind(heading, 1)
        if self._sections == "related":
            return kind if kind == "related" else None
        return None if kind in ("abstract", "end") else heading or kind

    def _described(self, source: _Source) -> Paper:
        """Returns the paper as the library has it, or else as its full text does."""
        known = self._library.canonical(source.text.paper_id) or (
            self._library.find(source.paper) if source.paper else None
        )
        if known is not None:
            return self._library.papers([known])[known]
        paper = source.paper or Paper(source.text.paper_id, "")
        year = source.references.year if source.references else None
        return replace(paper, year=year) if paper.year is None and year else paper

    def _cited(self, source: _Source, sentences: Sequence[Sentence], paper: Paper) -> list[_Cited]:
        """Returns the citations of each sentence: by the reference list, if there is one, or else as
        printed."""
        if source.references is not None:
            return self._by_list(source.references, sentences, paper)
        texts = ["", *(sentence.text for sentence in sentences), ""]
        cited = []
        for position, sentence in enumerate(sentences):
            resolved = self._resolver.sentence(
                sentence.text, texts[position], texts[position + 2], year=paper.year
            )
            ids = [paper_id for one in resolved for paper_id in one.paper_ids]
            cited.append(
                _Cited(len(ids), tuple(paper_id for paper_id in ids if paper_id not in (None, paper.id)))
            )
        return cited

    def _by_list(self, listed: ReferenceList, sentences: Sequence[Sentence], paper: Paper) -> list[_Cited]:
        known = {reference.key: self._entry(reference.paper) for reference in listed.references}
        keys: Mapping[int, list[str]] = {
            sentence.sid: [key for piece in sentence.pieces if isinstance(piece, tuple) for key in piece]
            for sentence in listed.sentences
        }
        return [
            _Cited(
                len(keys.get(sentence.sid, ())),
                tuple(
                    paper_id
                    for key in keys.get(sentence.sid, ())
                    if (paper_id := known.get(key)) is not None and paper_id != paper.id
                ),
            )
            for sentence in sentences
        ]

    def _entry(self, entry: Paper) -> str | None:
        return self._library.find(entry) or self._resolver.entry(entry)

    def _paragraphs(
        self, sentences: Sequence[Sentence], sections: Sequence[str | None]
    ) -> Iterator[tuple[int, int]]:
        """Returns the paragraphs that begin with a topic sentence, as places ``[start, end)``; none where
        `sections` is None."""
        for (section, _), run in groupby(
            range(len(sentences)), key=lambda position: (sections[position], sentences[position].section)
        ):
            if section is None:
                continue
            positions = list(run)
            start, end = positions[0], positions[-1] + 1
            numbers = [sentences[position].paragraph for position in positions]
            bounds = [start + at for at in _first_positions(numbers)] if None not in numbers else []
            tags = self._tags(
                [sentence.text for sentence in sentences[start:end]], [bound - start for bound in bounds]
            )
            if not bounds:
                bounds = [start + at for at in _topic_positions(tags)]
            for first, last in pairwise([*bounds, end]):
                if last - first < 2:
                    continue
                self.counts.paragraphs += 1
                words = len(sentences[first].text.split())
                if tags[first - start] == TOPIC and words >= _TOPIC_WORDS:
                    self.counts.topics += 1
                    yield first, last

    def _tags(self, texts: Sequence[str], bounds: Sequence[int]) -> list[str]:
        """Returns the tag of each sentence of a section, in its paragraph where `bounds` are known."""
        cuts = [*(bounds or [0]), len(texts)]
        sentences = [text for first, last in pairwise(cuts) for text in in_context(texts[first:last])]
        return self._tagger.predict(sentences)


def _first_positions(numbers: Sequence[int | None]) -> list[int]:
    """Returns the places at which a number differs from the one before it; the first is always one."""
    return [
        position
        for position in range(len(numbers))
        if not position or numbers[position] != numbers[position - 1]
    ]


def _topic_positions(tags: Sequence[str]) -> list[int]:
    """Returns the first place, and those of topic sentences that do not follow another one."""
    return [
        position
        for position, tag in enumerate(tags)
        if not position or (tag == TOPIC and tags[position - 1] != TOPIC)
    ]


def _ids(cited: Iterable[_Cited]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paper_id for citations in cited for paper_id in citations.ids))


def build_files(settings: ParagraphsSettings, out: Path, progress: Progress) -> tuple[dict[str, int], Counts]:
    """Builds the paragraphs and writes them to the new folder `out`; with a year, split (`split_by_year`).

    Returns the number of queries by file. Raises InputError for files that cannot be read or give no query,
    and if `out` exists; StorageError.
    """
    check_new(out)
    tagger = open_classifier(settings.tagger) if settings.tagger else default_tagger()
    with Library.open(settings.library or default_library()) as library:
        builder = Builder(library, tagger, None, settings.sections)
        paragraphs = list(builder.build(settings.files, progress))
    if not paragraphs:
        raise InputError(
            "no paragraph with a topic sentence cites a paper of the library",
            path=settings.files[0],
            hint="give full texts with related-work sections, and a library of the papers they cite"
            if settings.sections == "related"
            else "give full texts, and a library of the papers they cite",
        )
    return write_built(paragraphs, settings.split, out), builder.counts
