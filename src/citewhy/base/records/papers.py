"""Records of a collection: papers, citations and sentences."""

from __future__ import annotations

from dataclasses import dataclass, field


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
    """Whether the owner of the library wrote it and added it as a draft (`Writing`)."""


@dataclass(frozen=True, slots=True)
class Alias:
    """Two ids of one paper."""

    id: str
    same_as: str


@dataclass(frozen=True, slots=True)
class Identifier:
    """The id of a paper in a list of identifiers. It is looked up in the library, and adds no paper."""

    id: str
    also: tuple[str, ...] = ()
    """Other ways to write the id."""
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """An edge of the citation graph: `citing_id` lists `cited_id` among its references."""

    citing_id: str
    cited_id: str
    source: str = ""
    """Where the citation comes from; the same citation may come from several sources."""
    n_contexts: int = 1
    """Number of citing sentences in that source."""


@dataclass(frozen=True, slots=True)
class Context:
    """A citing sentence: the markers of the cited papers are ``TARGETCIT``, all others ``OTHERCIT``."""

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
    paragraph: int | None = field(default=None, compare=False)
    """Number of its paragraph in the source, ascending; None: unknown, as in a library, which does not keep
    it."""


@dataclass(frozen=True, slots=True)
class FullText:
    """A paper's sentences, in order of `sid`."""

    paper_id: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of a paper extracted from its full text; used only to fill gaps of other records."""

    paper: Paper


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file: characters ``[start, end)`` of `file`, starting in `line`."""

    file: str
    start: int
    end: int
    line: int
    part: str = ""
    """In a file that is a package of several texts, the name of the one that the place is in, such as
    ``word/document.xml``; offsets and lines count in this text. Empty in a text file."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a bibliography: its key, and the paper as the entry describes it."""

    key: str
    paper: Paper
    place: Place | None = None
    """The place of the entry; None if the bibliography is not a file (a printed reference list)."""


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence of a full text that cites references of its list."""

    sid: int
    section: str
    pieces: tuple[str | tuple[str, ...], ...]
    """In reading order: text, and at each marker the keys of the references that it cites."""


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """The references and citing sentences of a full text. References to papers in the library become
    citations and contexts."""

    citing_id: str
    references: tuple[Reference, ...]
    sentences: tuple[CitingSentence, ...] = ()
    year: int | None = None
    """Of the citing paper."""
    source: str = ""
    """The program that extracted it; becomes the `source` of the citations."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A finished draft of the library's owner: `paper`, its bibliography, its citing sentences, and keys that
    it cites without a sentence. References become papers; the records of an earlier version (with nearly the
    same title) are replaced."""

    paper: Paper
    references: tuple[Reference, ...]
    sentences: tuple[CitingSentence, ...]
    nocite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citance:
    """A citing sentence with annotated links to the sentences of the cited paper that it refers to. Its
    markers are as printed.
    """

    id: str
    citing_id: str
    cited_id: str
    text: str
    target_sids: tuple[int, ...]
    """Numbers of sentences of the cited paper, ascending, without duplicates."""
    facets: tuple[str, ...] = ()
    """What is cited: ``method``, ``results``, ``aim``, ``implication``, ``hypothesis``."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The rest of a document tells this about one of its sentences (`text.surroundings`), whether or not the
    sentence itself cites."""

    since: float
    """Sentences back to the nearest one that cites; at most `text.surroundings.FARTHEST`."""
    until: float
    """Sentences on to the nearest one that cites; at most the same."""
    part_share: float
    """Share of the other sentences of its part (paragraph or section) that cite, in [0, 1]."""
    part_length: float
    """Sentences of its part, at least 1."""
    part_place: float
    """Its place in its part, in [0, 1)."""
    document_share: float
    """Share of the other sentences of the document that cite, in [0, 1]."""
    names: float
    """Words in it with a capital letter that do not begin it."""
    new_names: float
    """Those that no earlier sentence of the body has."""
    cited_names: float
    """Those that an earlier sentence of the body with a citation has."""
    known_names: float
    """Those that only earlier sentences without citations have."""
    words: float
    """Its different words, without stop words."""
    new_words: float
    """Share of them that no earlier sentence of the body has, in [0, 1]."""
    cited_words: float
    """Share of them that earlier sentences of the body with citations have, in [0, 1]; weighted by inverse
    document frequency."""
    before_overlap: float
    """The largest share of them, so weighted, in one of the three sentences before that cites, in [0, 1]."""
    after_overlap: float
    """The same of the three sentences after it."""


@dataclass(frozen=True, slots=True)
class SentenceInContext:
    """A sentence to classify, with its context. All fields except `text` may be empty."""

    text: str
    """Citations as printed, or as ``TARGETCIT`` (the citation to classify) and ``OTHERCIT``."""
    previous: str = ""
    """The sentence before it in its paragraph."""
    next: str = ""
    """The sentence after it."""
    section: str = ""
    """The heading above it."""
    position: float | None = None
    """Relative position in its document or paragraph, in [0, 1]; None: unknown."""
    citing: str = ""
    """For a sentence of a cited paper: the sentence that cites it."""
    paragraph: tuple[str, ...] = ()
    """All sentences of its paragraph, in order; empty: unknown."""
    place: int = 0
    """Its place in `paragraph`, from 0."""
    surroundings: Surroundings | None = None
    """What the rest of its document tells; None: unknown."""
    own_work: bool | None = None
    """Whether the cited work is by an author of the citing paper; None: unknown."""
