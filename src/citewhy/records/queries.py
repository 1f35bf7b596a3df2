"""A question and its answer: queries, candidates, suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from citewhy.records.drafts import DraftSentence, Marker, Paragraph
from citewhy.records.papers import Paper, Place

__all__ = [
    "Advice",
    "Candidate",
    "DraftCitation",
    "DraftEvidence",
    "Passage",
    "Query",
    "QueryKind",
    "Reason",
    "Suggestion",
    "TextSource",
    "Unit",
]

QueryKind = Literal["local", "paragraph", "global", "set"]

TextSource = Literal["full text", "abstract", "none", ""]
"""What a library has of a paper's text; ``none``: nothing but the title; empty: nobody looked."""

Unit = Literal["place", "set", "paragraph", "draft"]
"""What of a draft an answer belongs to. ``place``: a citation that is still to be found; ``set``: a citation
that names papers already, for what is missing beside them; ``paragraph``: one that has little more than its
topic sentence; ``draft``: the whole of it."""


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A place where a draft cites papers, as evidence for another place of it."""

    text: str
    """The sentence, without markers."""
    paper_ids: tuple[str, ...]
    order: int
    """Number of the citation in reading order, from 0; `paragraph` that of its paragraph."""
    paragraph: int
    section: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class DraftEvidence:
    """What a draft says elsewhere of the papers that it cites, as one place of it sees it."""

    citations: tuple[DraftCitation, ...]
    """All but that of the place itself, whose numbers follow."""
    order: int
    paragraph: int
    section: str = ""
    bibliography: tuple[str, ...] = ()
    """Paper ids in the order of the draft's bibliography."""


@dataclass(frozen=True, slots=True)
class Query:
    """A request for papers.

    `kind` ``local``: one place or sentence, `text`; ``paragraph``: the papers for the rest of a paragraph,
    whose topic sentence is `text`; ``set``: what is missing in a bracket that holds `member_ids` already, in
    the sentence `text`; ``global``: a whole paper, by `title` and `abstract`.
    """

    kind: QueryKind
    text: str = ""
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    preceding: str = ""
    """The draft's text before `text`, nearest last; empty where none is known."""
    section: str = ""
    """Heading that `text` stands under; empty where none is known."""
    paragraph: str = ""
    """The whole paragraph that `text` stands in."""
    draft: DraftEvidence | None = None
    member_ids: tuple[str, ...] = ()
    """For ``set``: papers that stand in the bracket already. They are never candidates."""
    known_ids: tuple[str, ...] = ()
    """Papers that the draft already cites: evidence, and (where `rules` say so) no longer candidates."""
    year: int | None = None
    """As-of year: nothing newer is a candidate, no later citation counts. None: everything is known."""
    excluded_ids: tuple[str, ...] = ()
    """Papers that must not be suggested."""
    citing_id: str = ""
    """The paper that asks, where it is in the library: never a candidate, and what it wrote never helps."""
    copy_ids: tuple[str, ...] = ()
    """Other papers of the library that are the same document, or have its sentences: as `citing_id`."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked paper, with the named numbers that its score was made of."""

    paper_id: str
    score: float
    features: Mapping[str, float] = field(default_factory=dict)
    probability: float | None = None
    """Calibrated probability that this is a right answer; None where no calibrated ranker is in use."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences of the suggested paper that are meant: mostly one, up to three in a row.

    `sid` is the number of the first; None in an abstract.
    """

    paper_id: str
    text: str
    score: float
    sid: int | None = None
    section: str = ""
    last_sid: int | None = None
    """Number of the last sentence; None in an abstract."""
    facet: str = ""
    """What it is cited for: ``aim``, ``method``, ``results``, ``implication`` or ``hypothesis``; empty where
    nobody asked."""
    credits: tuple[str, ...] = ()
    """Papers of the library that the passage itself cites for the claim."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper is suggested: a kind for programs, a sentence for people, its share of the score."""

    kind: str
    text: str
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A paper for a place in a draft. `reasons` is never empty."""

    paper: Paper
    score: float
    reasons: tuple[Reason, ...]
    passages: tuple[Passage, ...] = ()
    probability: float | None = None
    """Calibrated probability that this is a right answer; None where no calibrated ranker is in use."""
    key: str = ""
    """The key under which the draft cites it, or would."""
    for_key: str = ""
    """The undefined key of the draft that describes this paper alone; else empty."""
    source: TextSource = ""
    """What of the paper the passages were looked for in."""

    def __post_init__(self) -> None:
        if not self.reasons:
            raise ValueError(f"a suggestion needs a reason: {self.paper.id}")


@dataclass(frozen=True, slots=True)
class Advice:
    """The papers suggested for one unit of a draft; `suggestions` is empty where none fits."""

    unit: Unit
    place: Place
    """Of the marker; of the paragraph; for a whole draft, the beginning of its root file."""
    suggestions: tuple[Suggestion, ...] = ()
    marker: Marker | None = None
    """For ``place`` and ``set``; None for the others."""
    sentence: DraftSentence | None = None
    """That of the marker, or the topic sentence of the paragraph; None for a whole draft."""
    paragraph: Paragraph | None = None
    """The one that the unit is in, or is; None for a whole draft."""
    undefined: tuple[str, ...] = ()
    """Keys of the marker that no bibliography defines, placeholders aside."""
