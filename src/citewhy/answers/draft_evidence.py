"""The other citations of a draft, as evidence for one place in it (`records.DraftEvidence`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.base.records import DraftCitation, DraftEvidence, DraftSentence, Manuscript, Paragraph, Place
from citewhy.drafts.sentences import shown
from citewhy.text.alike import near_duplicates


@dataclass(frozen=True, slots=True)
class DraftCitations:
    """All citations of a draft, filled or open, in reading order."""

    citations: tuple[DraftCitation, ...]
    sentences: tuple[Place, ...]
    """For each citation, the place of its sentence."""
    orders: Mapping[Place, int]
    """Position in `citations`, by the place of the marker."""
    paragraphs: Mapping[Place, tuple[int, int]]
    """For each paragraph, by the place of its first sentence: its number, and the number of citations before
    it."""
    bibliography: tuple[str, ...]
    """Ids of the papers in the bibliography, in its order."""

    @classmethod
    def of(cls, manuscript: Manuscript, papers: Mapping[str, str]) -> DraftCitations:
        """The citations of `manuscript`. `papers` maps the keys of its bibliography to paper ids, for the
        papers in the library."""
        citations: list[DraftCitation] = []
        sentences: list[Place] = []
        orders: dict[Place, int] = {}
        paragraphs: dict[Place, tuple[int, int]] = {}
        for number, paragraph in enumerate(manuscript.book or manuscript.paragraphs):
            if paragraph.sentences:
                paragraphs[paragraph.sentences[0].place] = number, len(citations)
            for sentence, citation in _citations(manuscript, paragraph, number, len(citations), papers):
                orders[citation[1]] = len(citations)
                citations.append(citation[0])
                sentences.append(sentence.place)
        listed = (papers[reference.key] for reference in manuscript.references if reference.key in papers)
        return cls(tuple(citations), tuple(sentences), orders, paragraphs, tuple(dict.fromkeys(listed)))

    @property
    def cited(self) -> frozenset[str]:
        """The ids of the papers that are cited."""
        return frozenset(paper_id for citation in self.citations for paper_id in citation.paper_ids)

    def for_marker(self, marker: Place, answers: Collection[str] = ()) -> DraftEvidence:
        """The evidence for the citation at `marker`.

        In a backtest, `answers` are the papers to be found: then near-duplicates of the citing sentence are
        left out, and other citations in the same sentence do not cite the answers. A place at which the draft
        had no citation when it was read has all of them as evidence.
        """
        if (order := self.orders.get(marker)) is None:
            return self._for_new(marker)
        citation = self.citations[order]
        others = [number for number in range(len(self.citations)) if number != order]
        if answers:
            evidence = [self._without_answers(number, order, answers) for number in others]
        else:
            evidence = [self.citations[number] for number in others]
        kept = tuple(citation for citation in evidence if citation is not None and citation.paper_ids)
        return DraftEvidence(kept, order, citation.paragraph, citation.section, self.bibliography)

    def _for_new(self, marker: Place) -> DraftEvidence:
        """The evidence for a citation that was not yet there."""
        here = [(place.start, order) for place, order in self.orders.items() if place.file == marker.file]
        before = [order + 1 for start, order in here if start < marker.start]
        order = max(before, default=min((order for _, order in here), default=0))
        paragraphs = [
            number
            for first, (number, _) in self.paragraphs.items()
            if first.file == marker.file and first.start <= marker.start
        ]
        kept = tuple(citation for citation in self.citations if citation.paper_ids)
        return DraftEvidence(kept, order, max(paragraphs, default=0), "", self.bibliography)

    def for_paragraph(self, first_sentence: Place, section: str) -> DraftEvidence:
        """The evidence for the paragraph that begins with the sentence at `first_sentence`."""
        number, before = self.paragraphs[first_sentence]
        kept = tuple(
            citation for citation in self.citations if citation.paragraph != number and citation.paper_ids
        )
        return DraftEvidence(kept, before, number, section, self.bibliography)

    def _without_answers(self, other: int, order: int, answers: Collection[str]) -> DraftCitation | None:
        citation = self.citations[other]
        if self.sentences[other] == self.sentences[order]:
            return replace(
                citation,
                paper_ids=tuple(paper_id for paper_id in citation.paper_ids if paper_id not in answers),
            )
        return None if near_duplicates(citation.text, self.citations[order].text) else citation


def _citations(
    manuscript: Manuscript, paragraph: Paragraph, number: int, order: int, papers: Mapping[str, str]
) -> Iterator[tuple[DraftSentence, tuple[DraftCitation, Place]]]:
    several = len(manuscript.files) > 1 or bool(manuscript.book)
    for sentence in paragraph.sentences:
        written = shown(sentence)
        for marker in sentence.markers:
            ids = dict.fromkeys(papers[key] for key in marker.keys if key in papers)
            citation = DraftCitation(
                sentence.text,
                tuple(ids),
                order,
                number,
                paragraph.section,
                marker.place.line,
                Path(marker.place.file).name if several else "",
                written,
            )
            yield sentence, (citation, marker.place)
            order += 1
