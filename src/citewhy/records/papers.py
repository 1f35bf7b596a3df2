"""What a corpus holds: papers, their citations, their sentences."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Alias",
    "Citance",
    "Citation",
    "CitingSentence",
    "Context",
    "FullText",
    "Header",
    "Identifier",
    "Paper",
    "Place",
    "Reference",
    "ReferenceList",
    "Sentence",
    "SentenceInContext",
    "Writing",
]


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
    own: bool = False
    """The owner of the library wrote it, and added it as a draft (`Writing`)."""


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
class Place:
    """Where something stands: characters ``[start, end)`` of `file`, beginning in `line`."""

    file: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a bibliography: its key, and the paper as the entry describes it."""

    key: str
    paper: Paper
    place: Place | None = None
    """Where the entry stands; None where the bibliography is not a file (a printed reference list)."""


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
class Writing:
    """A finished draft of the owner of the library: `paper`, its bibliography, its citing sentences, and keys
    that it cites without one. References become papers; what a draft of nearly the same title said before is
    replaced."""

    paper: Paper
    references: tuple[Reference, ...]
    sentences: tuple[CitingSentence, ...]
    nocite: tuple[str, ...] = ()


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
