"""Reviews a draft: which of its sentences cite nothing but need a citation, and what they might cite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypedDict

from citewhy.answers.answering import DraftAnswering
from citewhy.answers.options import DraftOptions
from citewhy.answers.questions import units_of
from citewhy.base.errors import QueryError
from citewhy.base.records import Advice, Manuscript, Marker, Only, Paragraph, Place, Reason, Unit
from citewhy.drafts.claims import Claim, claims
from citewhy.ranking.classify import Classifier, probabilities_of
from citewhy.ranking.recommender import Recommender
from citewhy.text.alike import near_duplicates
from citewhy.text.system_names import marked_names

CITES = "cites"
"""The label of the sentences that need a citation."""

AT_LEAST = 0.35
"""Minimum probability of a remark."""

_SENTENCES, _FEWEST, _MOST = 30, 5, 30
"""A remark for so many sentences, but at least and at most so many in a draft."""


class ReviewFields(TypedDict, total=False):
    """Names what of a review may be asked for, besides the number of papers."""

    budget: int | None
    year: int | None
    only: Only | None


def review(
    recommender: Recommender,
    classifier: Classifier,
    manuscript: Manuscript,
    options: DraftOptions,
    budget: int | None = None,
) -> Iterator[Advice]:
    """Yields the uncited claims of a draft (`uncited_claims`), each with the best papers that `options` wish
    for, as soon as these are ready."""
    remarks = uncited_claims(classifier, manuscript, budget)
    marked, units = with_open_citations(manuscript, remarks)
    answers = DraftAnswering(recommender, marked, options.year).answers(units, options)
    for remark, answer in zip(remarks, answers, strict=True):
        yield replace(remark, suggestions=answer.suggestions)


def uncited_claims(
    classifier: Classifier, manuscript: Manuscript, budget: int | None = None, at_least: float = AT_LEAST
) -> list[Advice]:
    """The sentences that cite nothing and need a citation with a probability of `at_least`, most certain
    first: at most `budget` of them (None: `budget_of` the draft), without repetitions, of each other or of a
    sentence that cites. Raises QueryError for a classifier of other labels."""
    if CITES not in classifier.labels:
        raise QueryError(
            f"the classifier {classifier.name} has no label {CITES!r}",
            hint="use one that was made by: citewhy train needs",
        )
    every = list(claims(manuscript))
    table = probabilities_of(classifier, [claim.in_context for claim in every])
    chances = table[:, classifier.labels.index(CITES)].tolist() if every else []
    surest = sorted(range(len(every)), key=lambda number: (-chances[number], number))
    cited = [
        sentence.text
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        if sentence.markers
    ]
    most = budget_of(manuscript) if budget is None else budget
    advice: list[Advice] = []
    for number in surest:
        claim, chance = every[number], chances[number]
        if len(advice) >= most or chance < at_least:
            break
        text = claim.sentence.text
        if any(
            near_duplicates(text, other) for other in (*cited, *(remark.sentence.text for remark in advice))
        ):
            continue
        advice.append(Advice(claim.sentence, claim.paragraph, chance, tuple(_reasons(claim, chance))))
    return advice


def budget_of(manuscript: Manuscript) -> int:
    """Returns as many remarks as a person would want to read: one for thirty sentences, at least five, at
    most thirty."""
    return budget_for(sum(len(paragraph.sentences) for paragraph in manuscript.paragraphs))


def budget_for(sentences: int) -> int:
    """Returns the budget of a draft of so many sentences."""
    return min(max(sentences // _SENTENCES, _FEWEST), _MOST)


# The citations that are missing ---------------------------------------------------------------------------


def with_open_citations(manuscript: Manuscript, remarks: Sequence[Advice]) -> tuple[Manuscript, list[Unit]]:
    """Returns the draft with an open citation at the end of each sentence that needs one, and these citations
    in the order of the remarks."""
    ends = {remark.sentence.place: _end(remark.sentence.place) for remark in remarks}
    marked = replace(
        manuscript,
        paragraphs=tuple(_with_markers(paragraph, ends) for paragraph in manuscript.paragraphs),
    )
    units = {unit.place: unit for unit in units_of(marked)}
    return marked, [units[ends[remark.sentence.place]] for remark in remarks]


def _end(place: Place) -> Place:
    return replace(place, start=place.end)


def _with_markers(paragraph: Paragraph, ends: dict[Place, Place]) -> Paragraph:
    if all(sentence.place not in ends for sentence in paragraph.sentences):
        return paragraph
    sentences = tuple(
        replace(sentence, markers=(Marker(ends[sentence.place], (), True, _stop(sentence.text)),))
        if sentence.place in ends
        else sentence
        for sentence in paragraph.sentences
    )
    return replace(paragraph, sentences=sentences)


def _stop(text: str) -> int:
    """The offset of the last full stop, before which a citation stands."""
    return len(text.rstrip(" .;:"))


# Reasons --------------------------------------------------------------------------------------------------

_SIGNS: dict[str, tuple[str, re.Pattern[str]]] = {
    "earlier-work": (
        "speaks of earlier work",
        re.compile(
            r"\b(?:(?:previous|prior|recent|earlier|existing|past|related|many|several|other|numerous|most)"
            r"(?: \w+)? (?:works?|stud(?:y|ies)|research(?:ers)?|approach(?:es)?|methods?|systems?|models?"
            r"|papers?|authors?|results|efforts?|literature|algorithms?|techniques?|experiments)"
            r"|(?:has|have|was|were|been) (?:\w+ )?(?:proposed|studied|shown|introduced|suggested|reported"
            r"|developed|explored|investigated|demonstrated|found|applied|described|observed|argued|published)"
            r"|researchers|in the literature|studies|recently|literature)\b",
            re.IGNORECASE,
        ),
    ),
    "figures": (
        "states figures",
        re.compile(
            r"\d[\d.,]{0,30}\s?(?:%|per ?cent\b)|\b\d+(?:[.,]\d+)?\s(?:million|billion|thousand)\b",
            re.IGNORECASE,
        ),
    ),
    "people": (
        "names people without a citation",
        re.compile(
            r"\bet al\b|\b[A-Z][a-z]+ and (?:colleagues|co-?workers|others)\b|’s (?:theorem|law|model)\b"
        ),
    ),
    "known": (
        "says what is generally known or used",
        re.compile(
            r"\b(?:well[- ]known|widely|commonly|popular|traditional(?:ly)?|typically|usually|often|generally"
            r"|state[- ]of[- ]the[- ]art|successful(?:ly)?|common|known (?:as|to)|called)\b",
            re.IGNORECASE,
        ),
    ),
}
_NAMES_SHOWN = 3


def _reasons(claim: Claim, chance: float) -> Iterator[Reason]:
    """Why the sentence needs a citation: signs in its words, and how often such sentences cite."""
    text = claim.sentence.text
    for kind, (why, sign) in _SIGNS.items():
        if phrase := sign.search(text):
            yield Reason(kind, f"{why} (“{' '.join(phrase[0].split())}”)")
    names = [name for name in marked_names(text) if name != "MATH"]
    if names := names[:_NAMES_SHOWN]:
        yield Reason("names", f"names {', '.join(names)}")
    yield Reason("similar", f"in published papers, {chance:.0%} of such sentences cite", chance)
