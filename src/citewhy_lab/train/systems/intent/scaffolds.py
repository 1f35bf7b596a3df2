"""Auxiliary tasks after Cohan et al. (2019), whose labels need nobody's work: in which kind of section a
citing sentence stands, and whether a sentence cites, which it does not show. A third: its tag in CORWA.

Every other example has the sentences around it, so that the network learns to read with and without them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from citewhy.base.records import FullText, SentenceInContext
from citewhy.drafts.claims import is_of_body
from citewhy.papers.formats import read as read_records
from citewhy.papers.formats.report import ImportReport
from citewhy.ranking.classify.discourse import TAGS, in_context
from citewhy.text.markers import find
from citewhy.text.repair import join_hyphenated
from citewhy.text.sections import section_kind
from citewhy.text.uncited import without_citations
from citewhy_lab.evaluate.datasets.corwa import read_corwa
from citewhy_lab.train.classifier.examples import Example
from citewhy_lab.train.systems.intent.data import Labelled
from citewhy_lab.train.systems.intent.settings import Settings

__all__ = ["SCAFFOLDS", "Sources", "scaffolds"]

SCAFFOLDS: Mapping[str, tuple[str, ...]] = {
    "section": ("introduction", "related", "data", "method", "results", "conclusion"),
    "cites": ("cites", "plain"),
    "discourse": TAGS,
}
"""Labels by task."""

_SHORTEST, _LONGEST = 40, 500
"""Characters of a sentence."""


@dataclass(frozen=True, slots=True)
class Sources:
    texts: Sequence[Path] = ()
    """Full texts in any format, citations as printed."""
    discourse: Path | None = None
    """Paragraphs of CORWA."""

    @property
    def files(self) -> list[Path]:
        """What can be named by its checksum: a folder of CORWA is not among them."""
        tagged = [self.discourse] if self.discourse and self.discourse.is_file() else []
        return [*self.texts, *tagged]


def scaffolds(sources: Sources, settings: Settings) -> list[Labelled]:
    """At most `settings.scaffold_sentences` examples for each task of full texts, half of the examples of
    ``cites`` for each answer; all sentences of CORWA. Raises InputError."""
    draw = random.Random(settings.seed)
    citing, plain = list[SentenceInContext](), list[SentenceInContext]()
    for each in _sentences(sources.texts):
        (citing if find(each.text) else plain).append(each)
    draw.shuffle(citing)
    draw.shuffle(plain)
    half = settings.scaffold_sentences // 2
    hidden, silent = (list(islice(filter(None, map(_without, each)), half)) for each in (citing, plain))
    kinds = [(each, section_kind(each.section, 1)) for each in citing]
    known = [(each, kind) for each, kind in kinds if kind in SCAFFOLDS["section"]]
    found = [("section", each, kind) for each, kind in known[: settings.scaffold_sentences]]
    found += [("cites", each, "cites") for each in hidden] + [("cites", each, "plain") for each in silent]
    if sources.discourse is not None:
        for paragraph in read_corwa(sources.discourse):
            sentences = in_context(paragraph.sentences)
            found += [("discourse", each, tag) for each, tag in zip(sentences, paragraph.tags, strict=True)]
    return [
        Labelled(Example(each if draw.random() < 0.5 else _alone(each), (label,), ""), head)
        for head, each, label in found
    ]


def _sentences(files: Sequence[Path]) -> Iterator[SentenceInContext]:
    """Those of the body, of each paper once."""
    seen = set[str]()
    for path in files:
        for record in read_records(path, ImportReport()):
            if isinstance(record, FullText) and record.paper_id not in seen:
                seen.add(record.paper_id)
                yield from _of_paper(record)


def _of_paper(paper: FullText) -> Iterator[SentenceInContext]:
    rows = [(each.section, join_hyphenated(each.text)) for each in paper.sentences]
    for place, (section, text) in enumerate(rows):
        if (
            _SHORTEST <= len(text) <= _LONGEST
            and is_of_body(section)
            and section_kind(section, place) not in ("title", "abstract", "end")
        ):
            near = (rows[other] if 0 <= other < len(rows) else ("", "") for other in (place - 1, place + 1))
            before, after = (other if of == section else "" for of, other in near)
            yield SentenceInContext(text, before, after, section)


def _without(sentence: SentenceInContext) -> SentenceInContext | None:
    """The sentence without its citations; None if it does not read without them."""
    plain = without_citations(sentence.text)
    return replace(sentence, text=plain) if plain and len(plain) >= _SHORTEST else None


def _alone(sentence: SentenceInContext) -> SentenceInContext:
    return replace(sentence, previous="", next="")
