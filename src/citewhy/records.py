"""The records that every part of CiteWhy speaks. `docs/data.md` has them in one table.

Scores: higher is better, always. Ranks start at 1. Years are calendar years; `None` means unknown.
Places count characters of the decoded file from 0, lines from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "Advice",
    "Alias",
    "Candidate",
    "Citance",
    "Citation",
    "CitingSentence",
    "Context",
    "DraftCitation",
    "DraftEvidence",
    "DraftSentence",
    "FullText",
    "Header",
    "Identifier",
    "Manuscript",
    "Marker",
    "Paper",
    "Paragraph",
    "Passage",
    "Place",
    "Query",
    "QueryKind",
    "Reason",
    "Reference",
    "ReferenceList",
    "Sentence",
    "SentenceInContext",
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

# What a corpus holds --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's metadata, e.g. ``Paper("P02-1040", "BLEU: a Method for …", year=2002)``."""

    id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    """Names as "First Last"."""
    year: int | None = None
    venue: str = ""
    doi: str = ""
    """Lower case, without a resolver's address: ``10.3115/1073083.1073135``."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Alias:
    """Two ids of one paper."""

    id: str
    same_as: str


@dataclass(frozen=True, slots=True)
class Identifier:
    """A paper that a list only names. It is looked up in the library, and makes no entry."""

    id: str
    also: tuple[str, ...] = ()
    """Other ids that the same may be written as."""
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """An edge of the citation graph: `citing_id` lists `cited_id` among its references."""

    citing_id: str
    cited_id: str
    source: str = ""
    """Who says so; the same edge may come from several sources."""
    n_contexts: int = 1
    """Number of citing sentences behind the edge in that source."""


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence that cites: the cited papers' markers read ``TARGETCIT``, all others ``OTHERCIT``."""

    id: str
    citing_id: str
    cited_ids: tuple[str, ...]
    text: str
    year: int | None = None
    """Year of the citing paper."""
    section: str = ""
    intent: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a published paper. `sid` is its number in the source; 0 is the title."""

    sid: int
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class FullText:
    """A paper's sentences, in order of `sid`."""

    paper_id: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What a full text says of its own paper, as some tool read it: it counts where nobody else says more."""

    paper: Paper


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence of a full text that cites references of its list."""

    sid: int
    section: str
    pieces: tuple[str | tuple[str, ...], ...]
    """In reading order: text, and at each marker the keys of the references that it cites."""


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """What a full text cites, and in which sentences. Where a reference is a paper of the library, it becomes
    citations and contexts."""

    citing_id: str
    references: tuple[Reference, ...]
    sentences: tuple[CitingSentence, ...] = ()
    year: int | None = None
    """Of the citing paper."""
    source: str = ""
    """Who read it: the `source` of the citations."""


@dataclass(frozen=True, slots=True)
class Citance:
    """A citing sentence that a person has linked to the sentences of the cited paper that it means.

    Its markers stand as printed: what is linked is the sentence as a reader meets it.
    """

    id: str
    citing_id: str
    cited_id: str
    text: str
    target_sids: tuple[int, ...]
    """Numbers of sentences of the cited paper, rising, each once."""
    facets: tuple[str, ...] = ()
    """What is cited: ``method``, ``results``, ``aim``, ``implication``, ``hypothesis``."""


@dataclass(frozen=True, slots=True)
class SentenceInContext:
    """A sentence to classify, with what is known of its surroundings: all but `text` may be empty."""

    text: str
    """Citations as printed, or as ``TARGETCIT`` (the one that is asked about) and ``OTHERCIT``."""
    previous: str = ""
    """The sentence before it in its paragraph."""
    next: str = ""
    """The sentence after it."""
    section: str = ""
    """The heading that it stands under."""
    position: float | None = None
    """Share of its document, or paragraph, that comes before it, in [0, 1]; None: unknown."""
    citing: str = ""
    """Of a sentence of a cited paper: the sentence that cites it."""


# What a draft holds ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: characters ``[start, end)`` of `file`, beginning in `line`."""

    file: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation in a draft, e.g. ``\\citep[see][]{bleu,rouge}``, ``[@bleu]`` or ``[CITE]``."""

    place: Place
    """The whole marker, command and arguments."""
    keys: tuple[str, ...]
    """Keys as written, without placeholders such as ``?``; empty where nothing is cited yet."""
    open: bool
    """True where a citation is still to be found: an empty marker, a placeholder, or a key nobody defines."""
    offset: int
    """Where it stands in the text of its sentence, which does not contain the marker itself."""
    command: str = ""
    """``citep``, … in LaTeX; ``@`` in Markdown; ``author-year``, ``numeric`` or ``open`` in text."""
    slot: Place | None = None
    """The part that an edit replaces with keys; None where the form cannot be edited."""
    in_text: bool = False
    """True where the citation is a part of the sentence ("Papineni et al. (2002) show …")."""


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of a draft as plain text: no commands, no markers, mathematics as ``MATH``."""

    text: str
    place: Place
    markers: tuple[Marker, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that belong together, with the heading they stand under."""

    sentences: tuple[DraftSentence, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a bibliography: its key, and the paper as the entry describes it."""

    key: str
    paper: Paper
    place: Place | None = None
    """Where the entry stands; None where the bibliography is not a file (a printed reference list)."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A draft, read whole: every paragraph, every marker, and the bibliography that its files define."""

    path: str
    format: Literal["latex", "markdown", "plain"]
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    paragraphs: tuple[Paragraph, ...] = ()
    references: tuple[Reference, ...] = ()
    bibliographies: tuple[str, ...] = ()
    """Paths of the ``.bib`` files that the draft names, in its order; new entries go into the first."""
    files: tuple[str, ...] = ()
    """Every source file that was read, the root first."""
    nocite: tuple[str, ...] = ()
    """Keys cited without a place in the text; ``*`` stands for all."""
    problems: tuple[str, ...] = ()
    """Sentences for people: what could not be read or resolved, with file and line."""


# A question and its answer --------------------------------------------------------------------------------


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
