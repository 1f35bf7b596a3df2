"""Records of a collection: papers, citations and sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self


class Name(str):
    """The name of a person or an organisation: the text "First von Last Jr.", and its parts.

    ``Name("Jan", "Berg", particle="van der")`` equals the text ``Jan van der Berg``. A name that is a plain
    `str` has no known parts; `text.person.parts` guesses them. The parts are those of CSL.
    """

    __slots__ = ("dropping", "family", "given", "particle", "suffix")
    family: str
    """Without particles; empty for an organisation or another name that is not to be taken apart."""
    given: str
    particle: str
    """This belongs to the family name when it stands alone, as in "Van den Hoek (2019)"."""
    suffix: str
    dropping: str
    """A particle that falls away when the family name stands alone, as in "Beethoven (1808)"."""

    def __new__(
        cls, given: str, family: str, particle: str = "", suffix: str = "", dropping: str = ""
    ) -> Self:
        """A name of the given parts, which are kept as they are; the text has single spaces."""
        if dropping or particle or suffix:
            text = f"{given} {dropping} {particle} {family} {suffix}"
        else:
            text = f"{given} {family}"
        if not (given and family and text.isprintable()) or "  " in text or text != text.strip():
            text = " ".join(text.split())
        self = super().__new__(cls, text)
        self.given, self.family, self.particle = given, family, particle
        self.suffix, self.dropping = suffix, dropping
        return self

    @classmethod
    def literal(cls, text: str) -> Self:
        """A name that is one whole: an organisation, a group, a person known by one designation."""
        self = super().__new__(cls, text)
        self.given = self.family = self.particle = self.suffix = self.dropping = ""
        return self

    @property
    def is_literal(self) -> bool:
        """Whether it is not to be taken apart or inverted."""
        return not self.family

    def __reduce__(self) -> tuple[Any, ...]:
        if self.is_literal:
            return type(self).literal, (str(self),)
        return type(self), (self.given, self.family, self.particle, self.suffix, self.dropping)


@dataclass(frozen=True, slots=True)
class Publication:
    """How and where a work was published: what a bibliography prints beside title, authors, year, DOI and URL
    of a `Paper`. The fields are those of CSL (https://docs.citationstyles.org); an empty one is unknown or
    does not apply."""

    type: str = ""
    """One of CSL's types, such as ``article-journal`` or ``chapter`` (`base.publication_types`)."""
    title: str = ""
    """The title with its markup, where it has any, as CSL writes it: ``<i>``, ``<b>``, ``<sup>``, ``<sub>``,
    ``<span class="nocase">`` around words whose capitals must stay; ``$…$`` around mathematics of LaTeX."""
    editors: tuple[str, ...] = ()
    """Mostly `Name`, like the authors."""
    translators: tuple[str, ...] = ()
    container: str = ""
    """Journal, proceedings, book or website in which the work appeared."""
    container_short: str = ""
    volume: str = ""
    number: str = ""
    """Issue of a journal; number of a report or a patent."""
    pages: str = ""
    """``311–318`` as ``311-318``; also the number of an article."""
    publisher: str = ""
    """Also the university of a thesis and the institution of a report."""
    place: str = ""
    edition: str = ""
    series: str = ""
    series_number: str = ""
    chapter: str = ""
    genre: str = ""
    """``PhD thesis``, ``Technical report``, …"""
    event: str = ""
    event_place: str = ""
    date: str = ""
    """With its precision: ``2002``, ``2002-07``, ``2002-07-06``, ``2001/2003``; negative before our era
    (``-0044``, by ISO 8601); other words, such as ``in press``, as they are."""
    original_date: str = ""
    accessed: str = ""
    isbn: str = ""
    issn: str = ""
    pmid: str = ""
    pmcid: str = ""
    arxiv: str = ""
    """``1706.03762`` or ``hep-th/9711200``, without a version."""
    language: str = ""
    version: str = ""
    note: str = ""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """The entry of a bibliography from which a paper was read, as its file has it."""

    format: str
    """The format's name in `papers.formats.registry`, such as ``BibTeX``."""
    text: str
    """The entry verbatim, complete by itself: macros and fields that it inherits are written out."""
    key: str = ""
    file: str = ""
    """The file's name, without its folder."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's metadata, e.g. ``Paper("P02-1040", "BLEU: a Method for …", year=2002)``. Papers are equal if
    what is searched is equal: how they were published does not count."""

    id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    """Names as "First Last"; a `Name` where the parts are known."""
    year: int | None = None
    """Astronomical: 0 is 1 BC."""
    venue: str = ""
    """The work appeared in this, or else was published by these."""
    doi: str = ""
    """Lower case, without a resolver's address: ``10.3115/1073083.1073135``."""
    url: str = ""
    own: bool = False
    """Whether the owner of the library wrote it and added it as a draft (`Writing`)."""
    publication: Publication | None = field(default=None, compare=False)
    """None: nothing is known."""
    source: SourceEntry | None = field(default=None, compare=False)
    """The entry that it was read from; None where there is none or it was not kept."""


NoticeKind = Literal["retracted", "withdrawn", "concern", "corrected", "reinstated"]
"""What was said of a paper after it appeared; ``concern`` is an expression of concern."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What a publisher, or a service, says of a paper after it appeared: that it was retracted, for example.

    The paper is named by `doi`, `pmid`, or, where it has neither, `title` and `year`. It need not be in the
    library."""

    kind: NoticeKind
    doi: str = ""
    """Of the paper; as `Paper.doi`."""
    pmid: str = ""
    title: str = ""
    year: int | None = None
    date: str = ""
    """Of the notice, as `Publication.date`; empty if it is not known."""
    notice_doi: str = ""
    """Of the notice, where this was published under one of its own."""
    reason: str = ""

    @property
    def is_by_number(self) -> bool:
        """Whether it names the paper by a number, so that it is surely of this paper."""
        return bool(self.doi or self.pmid)

    @property
    def facts(self) -> str:
        """Date, address and reason, as far as they are known."""
        address = f"https://doi.org/{self.notice_doi}" if self.notice_doi else ""
        return ", ".join(filter(None, [self.date, address, self.reason]))


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
    """It is that of the citing paper."""
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
    """Says what is cited: ``method``, ``results``, ``aim``, ``implication``, ``hypothesis``."""


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
    """No earlier sentence of the body has these."""
    cited_names: float
    """An earlier sentence of the body with a citation has these."""
    known_names: float
    """Only earlier sentences without citations have these."""
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
    """Says what the rest of its document tells; None where that is unknown."""
    own_work: bool | None = None
    """Whether the cited work is by an author of the citing paper; None: unknown."""
