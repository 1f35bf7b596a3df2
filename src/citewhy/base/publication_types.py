"""Types of publications: those of CSL, and what BibTeX, biblatex, RIS, EndNote and services call them.

CSL's types are the canonical ones (https://docs.citationstyles.org, appendix III).
In each column of the table the first name is the one that is written; all of them are read. A name of several
rows is read as the type of the first row that writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

Vocabulary = Literal[
    "bibtex",
    "biblatex",
    "ris",
    "endnote",
    "crossref",
    "openalex",
    "hayagriva",
    "zotero",
    "cff",
    "word",
    "datacite",
]


@dataclass(frozen=True, slots=True)
class Row:
    """A type of CSL, and its names in other vocabularies, separated by spaces (EndNote's by semicolons)."""

    csl: str
    bibtex: str
    """A type that every classic style knows."""
    biblatex: str
    ris: str
    endnote: str = ""
    crossref: str = ""
    openalex: str = ""
    hayagriva: str = "misc"

    @property
    def zotero(self) -> str:
        """Zotero's types."""
        return _ZOTERO.get(self.csl, "")

    @property
    def cff(self) -> str:
        """Types of references in a CITATION.cff."""
        return _CFF.get(self.csl, "")

    @property
    def word(self) -> str:
        """Types of Word's sources."""
        return _WORD.get(self.csl, "")

    @property
    def datacite(self) -> str:
        """DataCite's general types, and what people write beside ``Text``, without spaces."""
        return _DATACITE.get(self.csl, "")


# fmt: off
TYPES = (
    Row("document", "misc manual", "misc manual", "GEN", "Generic", "other component grant", "other paratext",
        "misc"),
    Row("webpage", "misc", "online electronic www", "ELEC WEB ICOMM", "Web Page", "", "", "web"),
    Row("article-journal", "article", "article periodical suppperiodical", "JOUR EJOUR JFULL",
        "Journal Article;Electronic Article", "journal-article", "article letter editorial erratum",
        "article"),
    Row("article-magazine", "article", "article", "MGZN", "Magazine Article", "", "", "article"),
    Row("article-newspaper", "article", "article", "NEWS", "Newspaper Article", "", "", "article"),
    Row("article", "misc unpublished", "online misc", "UNPB INPR", "Unpublished Work", "posted-content",
        "preprint", "article"),
    Row("paper-conference", "inproceedings conference", "inproceedings conference", "CPAPER CONF",
        "Conference Paper;Conference Proceedings", "proceedings-article", "", "article"),
    Row("book", "book proceedings booklet",
        "book mvbook collection mvcollection proceedings mvproceedings booklet",
        "BOOK EBOOK EDBOOK", "Book;Edited Book;Electronic Book",
        "book monograph edited-book reference-book proceedings", "book", "book"),
    Row("chapter", "incollection inbook", "incollection inbook bookinbook suppbook suppcollection",
        "CHAP ECHAP", "Book Section;Electronic Book Section", "book-chapter book-section book-part",
        "book-chapter", "chapter"),
    Row("entry-encyclopedia", "incollection", "inreference", "ENCYC", "Encyclopedia", "reference-entry",
        "reference-entry", "entry"),
    Row("entry-dictionary", "incollection", "inreference", "DICT", "Dictionary", "", "", "entry"),
    Row("collection", "book", "collection reference mvreference", "SER", "Serial", "book-series book-set", "",
        "anthology"),
    Row("thesis", "phdthesis mastersthesis", "thesis phdthesis mastersthesis", "THES", "Thesis",
        "dissertation", "dissertation", "thesis"),
    Row("report", "techreport", "report techreport", "RPRT GOVDOC", "Report;Government Document",
        "report report-component", "report", "report"),
    Row("manuscript", "unpublished", "unpublished", "MANSCPT", "Manuscript", "", "", "manuscript"),
    Row("dataset", "misc", "dataset", "DATA AGGR DBASE", "Dataset;Aggregated Database;Online Database",
        "dataset database", "dataset", "repository"),
    Row("software", "misc", "software", "COMP", "Computer Program", "", "software", "repository"),
    Row("post-weblog", "misc", "online", "BLOG", "Blog", "", "", "blog"),
    Row("post", "misc", "online", "ELEC", "", "", "", "post"),
    Row("patent", "misc", "patent", "PAT", "Patent", "", "", "patent"),
    Row("standard", "techreport", "standard", "STAND", "Standard", "standard", "standard", "reference"),
    Row("legislation", "misc", "legislation", "STAT BILL", "Statute;Bill", "", "", "legislation"),
    Row("bill", "misc", "legislation", "BILL", "Bill", "", "", "legislation"),
    Row("legal_case", "misc", "jurisdiction", "CASE", "Case", "", "", "case"),
    Row("hearing", "misc", "legal", "HEAR", "Hearing", "", "", "case"),
    Row("treaty", "misc", "legal", "LEGAL", "Legal Rule or Regulation", "", "", "legislation"),
    Row("motion_picture", "misc", "movie video", "MPCT VIDEO ADVS", "Film or Broadcast;Audiovisual Material",
        "", "", "video"),
    Row("broadcast", "misc", "video", "VIDEO", "Film or Broadcast", "", "", "video"),
    Row("song", "misc", "audio music", "SOUND MUSIC", "Music", "", "", "audio"),
    Row("musical_score", "misc", "music", "MUSIC", "Music", "", "", "original"),
    Row("graphic", "misc", "image artwork", "ART FIGURE", "Artwork;Figure", "", "", "artwork"),
    Row("figure", "misc", "image", "FIGURE CHART", "Figure;Chart or Table", "", "", "artwork"),
    Row("map", "misc", "image", "MAP", "Map", "", "", "artwork"),
    Row("performance", "misc", "performance", "ADVS", "", "", "", "performance"),
    Row("interview", "misc", "", "PCOMM", "Interview", "", "", "misc"),
    Row("personal_communication", "misc", "letter", "PCOMM", "Personal Communication", "", "", "misc"),
    Row("pamphlet", "booklet", "booklet", "PAMP", "Pamphlet", "", "", "book"),
    Row("classic", "book", "book", "CLSWK ANCIENT", "Classical Work;Ancient Text", "", "", "book"),
    Row("speech", "misc", "unpublished", "SLIDE", "", "", "", "misc"),
    Row("review", "article", "review", "JOUR", "", "peer-review", "review peer-review", "article"),
    Row("review-book", "article", "review", "JOUR", "", "", "book-review", "article"),
    Row("periodical", "misc", "periodical", "JFULL", "", "journal journal-issue journal-volume", "",
        "periodical"),
)
# fmt: on

_ZOTERO = {
    "document": "document",
    "webpage": "webpage",
    "article-journal": "journalArticle",
    "article-magazine": "magazineArticle",
    "article-newspaper": "newspaperArticle",
    "article": "preprint",
    "paper-conference": "conferencePaper",
    "book": "book",
    "chapter": "bookSection",
    "entry-encyclopedia": "encyclopediaArticle",
    "entry-dictionary": "dictionaryEntry",
    "thesis": "thesis",
    "report": "report",
    "manuscript": "manuscript",
    "dataset": "dataset",
    "software": "computerProgram",
    "post-weblog": "blogPost",
    "post": "forumPost",
    "patent": "patent",
    "standard": "standard",
    "legislation": "statute",
    "bill": "bill",
    "legal_case": "case",
    "hearing": "hearing",
    "motion_picture": "film videoRecording",
    "broadcast": "tvBroadcast radioBroadcast",
    "song": "audioRecording podcast",
    "graphic": "artwork",
    "map": "map",
    "interview": "interview",
    "personal_communication": "letter email instantMessage",
    "speech": "presentation",
}
_CFF = {
    "document": "generic manual grant",
    "webpage": "website",
    "article-journal": "article",
    "article-magazine": "magazine-article",
    "article-newspaper": "newspaper-article",
    "article": "unpublished",
    "paper-conference": "conference-paper",
    "book": "book edited-work proceedings catalogue conference",
    "entry-encyclopedia": "encyclopedia",
    "entry-dictionary": "dictionary",
    "collection": "serial",
    "thesis": "thesis",
    "report": "report government-document",
    "dataset": "data database dataset",
    "software": "software software-code software-container software-executable software-virtual-machine",
    "post-weblog": "blog",
    "patent": "patent",
    "standard": "standard",
    "legislation": "statute legal-rule",
    "bill": "bill",
    "legal_case": "legal-case",
    "hearing": "hearing",
    "motion_picture": "film-broadcast video audiovisual multimedia",
    "song": "music sound-recording",
    "graphic": "art",
    "map": "map",
    "personal_communication": "personal-communication",
    "pamphlet": "pamphlet",
    "classic": "historical-work",
    "speech": "slides",
}
_WORD = {
    "document": "Misc",
    "webpage": "InternetSite DocumentFromInternetSite ElectronicSource",
    "article-journal": "JournalArticle",
    "article-magazine": "ArticleInAPeriodical",
    "paper-conference": "ConferenceProceedings",
    "book": "Book",
    "chapter": "BookSection",
    "report": "Report",
    "patent": "Patent",
    "legal_case": "Case",
    "motion_picture": "Film",
    "song": "SoundRecording",
    "graphic": "Art",
    "performance": "Performance",
    "interview": "Interview",
}
_DATACITE = {
    "document": "Other Award Event Instrument Model OutputManagementPlan PhysicalObject Project Service"
    " StudyRegistration Workflow InteractiveResource",
    "webpage": "Webpage Website",
    "article-journal": "JournalArticle DataPaper Article JournalPaper ResearchArticle ReviewArticle",
    "article": "Preprint WorkingPaper",
    "paper-conference": "ConferencePaper ConferenceAbstract ProceedingsPaper",
    "book": "Book ConferenceProceeding Monograph Proceedings",
    "chapter": "BookChapter BookSection Chapter",
    "collection": "Collection",
    "thesis": "Dissertation Thesis PhDThesis DoctoralThesis DoctoralDissertation MasterThesis Master'sThesis"
    " BachelorThesis",
    "report": "Report TechnicalReport",
    "dataset": "Dataset",
    "software": "Software ComputationalNotebook",
    "post-weblog": "BlogPost",
    "patent": "Patent",
    "standard": "Standard",
    "motion_picture": "Audiovisual Film Video",
    "song": "Sound",
    "graphic": "Image",
    "map": "Map",
    "speech": "Presentation Poster Lecture",
    "review": "PeerReview",
    "periodical": "Journal",
}
_BY_CSL = {row.csl: row for row in TYPES}
GENRES = {
    "phdthesis": "PhD thesis",
    "mastersthesis": "Master’s thesis",
    "techreport": "Technical report",
    "manual": "Manual",
}
"""Tells what a type of BibTeX says beyond the one of CSL, for `Publication.genre`."""


def csl_type(name: str, vocabulary: Vocabulary) -> str:
    """The type of CSL for a type of another vocabulary, in any case; empty for one that is not known."""
    return _reading(vocabulary).get(name.strip().lower(), "")


def type_in(csl: str, vocabulary: Vocabulary) -> str:
    """The type of a vocabulary that is written for one of CSL; that of ``document`` for one without a
    counterpart or that is not known."""
    names = _names(_BY_CSL.get(csl, _BY_CSL["document"]), vocabulary) or _names(
        _BY_CSL["document"], vocabulary
    )
    return names[0]


@cache
def _reading(vocabulary: Vocabulary) -> dict[str, str]:
    """The first type of CSL that has a name first in its column, or else the first that has it at all."""
    first = [(names[0], row.csl) for row in TYPES if (names := _names(row, vocabulary))]
    others = [(name, row.csl) for row in TYPES for name in _names(row, vocabulary)]
    return {name.lower(): csl for name, csl in reversed([*first, *others])}


def _names(row: Row, vocabulary: Vocabulary) -> list[str]:
    column: str = getattr(row, vocabulary)
    return [name for name in (column.split(";") if vocabulary == "endnote" else column.split()) if name]
