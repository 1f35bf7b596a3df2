"""A question and its answer: queries, candidates, suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from citewhy.base.records.drafts import DraftSentence, Marker, Paragraph
from citewhy.base.records.papers import Paper, Place

QueryKind = Literal["local", "paragraph", "global", "set"]

TextSource = Literal["full text", "abstract", "none", ""]
"""The text of a paper in a library; ``none``: only the title; empty: unknown."""

Intent = Literal["background", "method", "result"]
"""The intent of a citation (SciCite: Cohan et al. 2019). ``background``: it gives information about a
problem, concept, approach or topic; ``method``: the citing paper uses a method, tool or data set; ``result``:
it compares results."""

Only = Literal["mine", "new"]
"""``mine``: papers that the draft's bibliography has; ``new``: others."""

UnitKind = Literal["place", "set", "paragraph", "draft"]
"""The part of a draft to which an answer belongs. ``place``: an open citation; ``set``: a citation that
already has papers, and may lack others; ``paragraph``: a paragraph with little more than a topic sentence;
``draft``: the whole draft."""


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A citation in a draft, as evidence for another place in the same draft."""

    text: str
    """The sentence, without markers."""
    paper_ids: tuple[str, ...]
    order: int
    """Number of the citation in reading order, from 0; `paragraph` is the number of its paragraph."""
    paragraph: int
    section: str = ""
    line: int = 0
    file: str = ""
    """The name of the file with this line; empty if the draft is a single file."""
    shown: str = field(default="", compare=False)
    """The sentence with ``[…]`` for its citations, for people; empty if it is as `text`."""


@dataclass(frozen=True, slots=True)
class DraftEvidence:
    """The other citations of a draft, as evidence for one place in it."""

    citations: tuple[DraftCitation, ...]
    """All citations except that at the place of the query."""
    order: int
    """Number of citations before the place of the query."""
    paragraph: int
    """Number of its paragraph."""
    section: str = ""
    bibliography: tuple[str, ...] = ()
    """Paper ids in the order of the draft's bibliography."""


@dataclass(frozen=True, slots=True)
class Query:
    """A request for papers.

    `kind` ``local``: one place or sentence, `text`; ``paragraph``: the papers for the rest of a paragraph,
    whose topic sentence is `text`; ``set``: further papers for a citation in the sentence `text` that already
    has `member_ids`; ``global``: a whole paper, by `title` and `abstract`.
    """

    kind: QueryKind
    text: str = ""
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    preceding: str = ""
    """The text of the draft before `text`; empty if unknown."""
    section: str = ""
    """The heading above `text`; empty if unknown."""
    paragraph: str = ""
    """The whole paragraph that contains `text`."""
    draft: DraftEvidence | None = None
    member_ids: tuple[str, ...] = ()
    """For ``set``: the papers that the citation already has. They are never candidates."""
    may_be_complete: bool = False
    """For ``set``: whether the citation may have all its papers. If not, at least one is proposed."""
    known_ids: tuple[str, ...] = ()
    """Papers that the draft already cites: evidence, and for some kinds no candidates (`rules`)."""
    intent: Intent | None = None
    """The intent of the citation; papers that are cited with this intent come first. None: any."""
    year: int | None = None
    """This is the as-of year: newer papers are no candidates, and only earlier citations count. None: no
    limit."""
    excluded_ids: tuple[str, ...] = ()
    """Papers that must not be suggested."""
    citing_id: str = ""
    """The citing paper, if it is in the library: never a candidate, and its own citations are no evidence."""
    copy_ids: tuple[str, ...] = ()
    """Other papers in the library that are the same document, or contain its sentences; treated like
    `citing_id`."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked paper, with the features from which its score was computed."""

    paper_id: str
    score: float
    features: Mapping[str, float] = field(default_factory=dict)
    probability: float | None = None
    """Calibrated probability that the paper is a correct answer; None if no calibrated ranker is in use."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The relevant sentences of a suggested paper: usually one, up to three in a row.

    `sid` is the number of the first sentence; None in an abstract.
    """

    paper_id: str
    text: str
    score: float
    sid: int | None = None
    section: str = ""
    last_sid: int | None = None
    """Number of the last sentence; None in an abstract."""
    facet: str = ""
    """Says what it is cited for: ``aim``, ``method``, ``results``, ``implication`` or ``hypothesis``; empty
    if not predicted."""
    credits: tuple[str, ...] = ()
    """Ids of papers in the library that the passage itself cites for the claim."""
    before: str = field(default="", compare=False)
    """The sentence before it in the same section; empty if there is none."""
    after: str = field(default="", compare=False)
    """The sentence after it in the same section; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for a suggestion: its kind (for programs), a sentence for the user, and its share of the
    score."""

    kind: str
    text: str
    weight: float = 0.0


ResolutionKind = Literal["id", "doi", "arxiv", "key", "name", "authors", "again", "none"]
"""Says what a text is that names a paper: an id in the library, a DOI, a number of arXiv, a citation key, the
name of a system or data set, surnames at a citation, "Ibid."; ``none``: nothing that any paper in the library
has. DOIs, numbers of arXiv, surnames and "Ibid." keep their kind if the library has no such paper."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The papers that a text names: a key, an identifier, or a note such as ``cite Och 2003``."""

    text: str
    kind: ResolutionKind = "none"
    paper_ids: tuple[str, ...] = ()
    """The papers that fit best, all equally well; several if the text does not tell them apart."""
    certain: bool = False
    """Whether it names exactly one paper, by more than what other papers may share, such as surname and
    year."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A paper for a place in a draft. `reasons` is never empty."""

    paper: Paper
    score: float
    reasons: tuple[Reason, ...]
    passages: tuple[Passage, ...] = ()
    probability: float | None = None
    """Calibrated probability that the paper is a correct answer; None if no calibrated ranker is in use."""
    key: str = ""
    """The key under which the draft cites it, or would."""
    for_key: str = ""
    """The undefined key of the draft that this paper alone fits; else empty."""
    source: TextSource = ""
    """Says in what of the paper the passages were looked for."""
    in_bibliography: bool = False
    """Whether the bibliography of the draft has it."""
    library: str = ""
    """What people call the library that has it, where several answer together."""
    proposed: bool = False
    """Whether it is one of the papers that are proposed for the place, together (`citewhy.ranking.sets`)."""

    def __post_init__(self) -> None:
        if not self.reasons:
            raise ValueError(f"a suggestion needs a reason: {self.paper.id}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a draft for which papers can be suggested: the question, without its answer."""

    kind: UnitKind
    place: Place
    """The place of the marker, or of the paragraph; for a whole draft, the beginning of its root file."""
    marker: Marker | None = None
    """The citation, for ``place`` and ``set``; None for the others."""
    sentence: DraftSentence | None = None
    """The sentence of the marker, or the topic sentence of the paragraph; None for a whole draft."""
    paragraph: Paragraph | None = None
    """The paragraph that the unit is in, or is; None for a whole draft."""
    undefined: tuple[str, ...] = ()
    """Keys of the marker that no bibliography defines, placeholders aside."""
    chosen: tuple[str, ...] = ()
    """Ids of the papers that the author has chosen for it and that are not written yet: others are wanted,
    which go with them."""


@dataclass(frozen=True, slots=True)
class UnitAnswer:
    """The papers suggested for one unit of a draft; `suggestions` is empty where none fits."""

    unit: Unit
    suggestions: tuple[Suggestion, ...] = ()
    resolutions: tuple[Resolution, ...] = ()
    """Tells what the undefined keys of the unit name, in their order; for a placeholder, what its note names,
    or else the citations or surnames that are printed beside it."""
    several: float | None = None
    """Probability, in [0, 1], that the place wants several papers; None for anything but a place without
    any."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A remark of a review: a sentence of a draft that cites nothing and needs a citation."""

    sentence: DraftSentence
    paragraph: Paragraph
    probability: float
    """Calibrated: of the sentences with probability p in published papers, about the share p cites."""
    reasons: tuple[Reason, ...]
    """The reasons why it needs one, the strongest first; never empty."""
    suggestions: tuple[Suggestion, ...] = ()
    """Papers that it might cite, best first; empty where none fits."""
