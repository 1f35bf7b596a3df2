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
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path

from citewhy.answers.resolve.in_text import InTextResolver
from citewhy.base.config import default_library
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import FullText, Header, Paper, ReferenceList, Sentence
from citewhy.models import check_new
from citewhy.papers.formats import read
from citewhy.papers.library.store import Library
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.classify.discourse import TOPIC, default_tagger, in_context
from citewhy.text.sections import section_kind
from citewhy_lab.evaluate.datasets.built import BuiltParagraph, Counts, Sections, write_built

__all__ = ["Builder", "build_files"]

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
        """The paragraphs of all full texts in `paths`, in order. Raises InputError for a file that cannot be
        read; invalid records are skipped, and counted in `counts.report`."""
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
        sentences = [each for each in source.text.sentences if each.sid]
        sections = [self._section(each.section) for each in sentences]
        if not any(sections):
            return
        self.counts.sections += 1
        paper = self._described(source)
        if paper.year is None:
            self.counts.unknown_year += 1
            return
        cited = self._cited(source, sentences, paper)
        self.counts.citations += sum(each.count for each in cited)
        self.counts.resolved += sum(len(each.ids) for each in cited)
        everything = _ids(cited)
        by_section = {
            name: _ids(each for each, own in zip(cited, sections, strict=True) if own == name)
            for name in dict.fromkeys(sections)
        }
        if self._sections == "all":  # most sections cite nothing known: their topics need not be found
            sections = [name if by_section[name] else None for name in sections]
        for number, (start, end) in enumerate(self._paragraphs(sentences, sections)):
            self.counts.queries += 1 if (found := _ids(cited[start + 1 : end])) else 0
            if found:
                topic = tuple(each for each in _ids(cited[start : start + 1]) if each not in found)
                own = {*found, *topic}
                others = tuple(each for each in by_section[sections[start]] if each not in own)
                yield BuiltParagraph(
                    query_id=f"{paper.id}_{number}",
                    paper=paper.id,
                    year=paper.year,
                    title=paper.title,
                    abstract=paper.abstract,
                    topic_sentence=sentences[start].text,
                    cited_ids=found,
                    n_citations=sum(each.count for each in cited[start + 1 : end]),
                    topic_ids=topic,
                    related_ids=others,
                    other_ids=tuple(each for each in everything if each not in {*own, *others}),
                )

    def _section(self, heading: str) -> str | None:
        """What the section is called in which a sentence under `heading` may be a query; None: in none. All
        sections on related work are one."""
        kind = section_kind(heading, 1)
        if self._sections == "related":
            return kind if kind == "related" else None
        return None if kind in ("abstract", "end") else heading or kind

    def _described(self, source: _Source) -> Paper:
        """The paper as the library has it, or else as its full text does."""
        known = self._library.canonical(source.text.paper_id) or (
            self._library.find(source.paper) if source.paper else None
        )
        if known is not None:
            return self._library.papers([known])[known]
        paper = source.paper or Paper(source.text.paper_id, "")
        year = source.references.year if source.references else None
        return replace(paper, year=year) if paper.year is None and year else paper

    def _cited(self, source: _Source, sentences: Sequence[Sentence], paper: Paper) -> list[_Cited]:
        """The citations of each sentence: by the reference list, if there is one, or else as printed."""
        if source.references is not None:
            return self._by_list(source.references, sentences, paper)
        texts = ["", *(each.text for each in sentences), ""]
        found = []
        for place, sentence in enumerate(sentences):
            resolved = self._resolver.sentence(sentence.text, texts[place], texts[place + 2], year=paper.year)
            ids = [each for one in resolved for each in one.paper_ids]
            found.append(_Cited(len(ids), tuple(each for each in ids if each not in (None, paper.id))))
        return found

    def _by_list(self, listed: ReferenceList, sentences: Sequence[Sentence], paper: Paper) -> list[_Cited]:
        known = {each.key: self._entry(each.paper) for each in listed.references}
        keys: Mapping[int, list[str]] = {
            each.sid: [key for piece in each.pieces if isinstance(piece, tuple) for key in piece]
            for each in listed.sentences
        }
        return [
            _Cited(
                len(keys.get(each.sid, ())),
                tuple(
                    found
                    for key in keys.get(each.sid, ())
                    if (found := known.get(key)) is not None and found != paper.id
                ),
            )
            for each in sentences
        ]

    def _entry(self, entry: Paper) -> str | None:
        return self._library.find(entry) or self._resolver.entry(entry)

    def _paragraphs(
        self, sentences: Sequence[Sentence], sections: Sequence[str | None]
    ) -> Iterator[tuple[int, int]]:
        """The paragraphs that begin with a topic sentence, as places ``[start, end)``; none where `sections`
        is None."""
        for (section, _), run in groupby(
            range(len(sentences)), key=lambda place: (sections[place], sentences[place].section)
        ):
            if section is None:
                continue
            places = list(run)
            start, end = places[0], places[-1] + 1
            numbers = [sentences[place].paragraph for place in places]
            bounds = [start + at for at in _first_places(numbers)] if None not in numbers else []
            tags = self._tags([each.text for each in sentences[start:end]], [each - start for each in bounds])
            if not bounds:
                bounds = [start + at for at in _topic_places(tags)]
            for first, last in pairwise([*bounds, end]):
                if last - first < 2:
                    continue
                self.counts.paragraphs += 1
                words = len(sentences[first].text.split())
                if tags[first - start] == TOPIC and words >= _TOPIC_WORDS:
                    self.counts.topics += 1
                    yield first, last

    def _tags(self, texts: Sequence[str], bounds: Sequence[int]) -> list[str]:
        """The tag of each sentence of a section, in its paragraph where `bounds` are known."""
        cuts = [*(bounds or [0]), len(texts)]
        sentences = [each for first, last in pairwise(cuts) for each in in_context(texts[first:last])]
        return self._tagger.predict(sentences)


def _first_places(numbers: Sequence[int | None]) -> list[int]:
    """The places at which a number differs from the one before it; the first is always one."""
    return [place for place in range(len(numbers)) if not place or numbers[place] != numbers[place - 1]]


def _topic_places(tags: Sequence[str]) -> list[int]:
    """The first place, and those of topic sentences that do not follow another one."""
    return [
        place for place, tag in enumerate(tags) if not place or (tag == TOPIC and tags[place - 1] != TOPIC)
    ]


def _ids(cited: Iterable[_Cited]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paper_id for each in cited for paper_id in each.ids))


def build_files(
    paths: Sequence[Path],
    library: Path | None,
    tagger: Path | None,
    year: int | None,
    out: Path,
    progress: Progress,
    sections: Sections = "related",
) -> tuple[dict[str, int], Counts]:
    """Builds the paragraphs of `paths` and writes them to the new folder `out`; with `year`, split
    (`split_by_year`).

    `library` None: the user's; `tagger` None: the built-in one. Returns the number of queries by file. Raises
    InputError for files that cannot be read or give no query, and if `out` exists; StorageError.
    """
    check_new(out)
    with Library.open(library or default_library()) as opened:
        builder = Builder(opened, open_classifier(tagger) if tagger else default_tagger(), None, sections)
        found = list(builder.build(paths, progress))
    if not found:
        raise InputError(
            "no paragraph with a topic sentence cites a paper of the library",
            path=paths[0],
            hint="give full texts with related-work sections, and a library of the papers they cite"
            if sections == "related"
            else "give full texts, and a library of the papers they cite",
        )
    return write_built(found, year, out), builder.counts
