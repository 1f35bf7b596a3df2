"""Labelled citations: SciCite, ACL-ARC, MultiCite under the labels of ACL-ARC; and scaffolds.

Scaffolds are auxiliary tasks after Cohan et al. (2019), whose labels need nobody's work: in which kind of
section a citing sentence stands, and whether a sentence cites, which it does not show. A third: its tag in
CORWA. Every other example has the sentences around it, so that the network learns to read with and without
them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, SentenceInContext
from citewhy.papers.formats import read as read_records
from citewhy.ranking.classify.discourse import TAGS, in_context
from citewhy.text.claims import is_of_body
from citewhy.text.markers import find
from citewhy.text.repair import join_hyphenated
from citewhy.text.sections import section_kind
from citewhy.text.uncited import without_citations
from citewhy_lab.evaluate.datasets.corwa import read_corwa
from citewhy_lab.evaluate.datasets.intents import HEADS, read_intents
from citewhy_lab.train.classifier.data import Example, FieldNames, read_examples
from citewhy_lab.train.systems.intent.settings import IntentInputs, IntentSettings

IN_CONTEXT = ("function",)
"""Heads that read the sentences around a citation."""

_AS_FUNCTION = {
    "background": "Background",
    "uses": "Uses",
    "differences": "CompareOrContrast",
    "similarities": "CompareOrContrast",
    "motivation": "Motivation",
    "extends": "Extends",
    "future_work": "Future",
}
"""The label of ACL-ARC for one of MultiCite (Lauscher et al. 2022), whose labels follow ACL-ARC's."""

_MULTICITE = FieldNames(text="text", label="labels", group="context_id")

SCAFFOLDS: Mapping[str, tuple[str, ...]] = {
    "section": ("introduction", "related", "data", "method", "results", "conclusion"),
    "cites": ("cites", "plain"),
    "discourse": TAGS,
}
"""Labels by task."""

_SHORTEST, _LONGEST = 40, 500
"""Characters of a sentence."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with labels of one head."""

    example: Example
    head: str
    weight: float = 1.0


def labelled(path: Path, papers: Path | None = None) -> list[Labelled]:
    """Returns the rows of both sources in a file of the task ``intent``, those of SciCite without the
    sentences around them, which its own files do not have; `papers` has the authors of the citing papers.
    Raises InputError."""
    citations = []
    for citation in read_intents(path, papers):
        head, sentence = HEADS[citation.source], citation.sentence
        if head not in IN_CONTEXT:
            sentence = replace(sentence, previous="", next="")
        citations.append(Labelled(Example(sentence, (citation.label,), citation.group), head))
    return citations


def multicite(path: Path, weight: float) -> list[Labelled]:
    """Returns sentences of MultiCite as examples of the functions, each of the given weight; one of its
    labels is right if several are given. Sentences of one paper have one group: the part of `context_id`
    before ``_``. Raises InputError."""
    sentences = []
    for example in read_examples(path, _MULTICITE):
        functions = tuple(sorted({_AS_FUNCTION[name] for name in example.labels if name in _AS_FUNCTION}))
        if functions:
            group = example.group.partition("_")[0]
            sentences.append(Labelled(Example(example.sentence, functions, group), "function", weight))
    return sentences


# Scaffolds -------------------------------------------------------------------------------------------------


def scaffold_files(inputs: IntentInputs) -> list[Path]:
    """Lists what can be named by its checksum: a folder of CORWA is not among the files."""
    tagged = [inputs.discourse] if inputs.discourse and inputs.discourse.is_file() else []
    return [*inputs.texts, *tagged]


def scaffolds(inputs: IntentInputs, settings: IntentSettings) -> list[Labelled]:
    """At most `settings.scaffold_sentences` examples for each task of full texts, half of the examples of
    ``cites`` for each answer; all sentences of CORWA. Raises InputError."""
    draw = random.Random(settings.seed)
    citing, plain = list[SentenceInContext](), list[SentenceInContext]()
    for sentence in _sentences(inputs.texts):
        (citing if find(sentence.text) else plain).append(sentence)
    draw.shuffle(citing)
    draw.shuffle(plain)
    half = settings.scaffold_sentences // 2
    hidden, silent = (list(islice(filter(None, map(_without, texts)), half)) for texts in (citing, plain))
    kinds = [(text, section_kind(text.section, 1)) for text in citing]
    known = [(text, kind) for text, kind in kinds if kind in SCAFFOLDS["section"]]
    labelled_sentences = [("section", text, kind) for text, kind in known[: settings.scaffold_sentences]]
    labelled_sentences += [("cites", text, "cites") for text in hidden] + [
        ("cites", text, "plain") for text in silent
    ]
    if inputs.discourse is not None:
        for paragraph in read_corwa(inputs.discourse):
            sentences = in_context(paragraph.sentences)
            labelled_sentences += [
                ("discourse", text, tag) for text, tag in zip(sentences, paragraph.tags, strict=True)
            ]
    return [
        Labelled(Example(text if draw.random() < 0.5 else _alone(text), (label,), ""), head)
        for head, text, label in labelled_sentences
    ]


def _sentences(files: Sequence[Path]) -> Iterator[SentenceInContext]:
    """Yields the sentences of the body, of each paper once."""
    seen = set[str]()
    for path in files:
        for record in read_records(path, ImportReport()):
            if isinstance(record, FullText) and record.paper_id not in seen:
                seen.add(record.paper_id)
                yield from _of_paper(record)


def _of_paper(paper: FullText) -> Iterator[SentenceInContext]:
    rows = [(sentence.section, join_hyphenated(sentence.text)) for sentence in paper.sentences]
    for row, (section, text) in enumerate(rows):
        if (
            _SHORTEST <= len(text) <= _LONGEST
            and is_of_body(section)
            and section_kind(section, row) not in ("title", "abstract", "end")
        ):
            near = (rows[other] if 0 <= other < len(rows) else ("", "") for other in (row - 1, row + 1))
            before, after = (other if of == section else "" for of, other in near)
            yield SentenceInContext(text, before, after, section)


def _without(sentence: SentenceInContext) -> SentenceInContext | None:
    """Returns the sentence without its citations; None if it does not read without them."""
    plain = without_citations(sentence.text)
    return replace(sentence, text=plain) if plain and len(plain) >= _SHORTEST else None


def _alone(sentence: SentenceInContext) -> SentenceInContext:
    return replace(sentence, previous="", next="")
