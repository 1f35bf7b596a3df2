"""All formats: their names, the content of their files, and their readers.

CiteWhy's own formats are in `FORMATS`. Another package adds one by an entry point of the group
``citewhy.formats``, which names a `Format` that recognises its files:

    [project.entry-points."citewhy.formats"]
    "marc" = "my_package:FORMAT"

It is imported when a file is of none of CiteWhy's formats, and never replaces one.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from citewhy.base.entry_points import Added, load_added
from citewhy.base.import_report import ImportReport
from citewhy.base.records import (
    Alias,
    Citation,
    Context,
    FullText,
    Header,
    Identifier,
    Notice,
    Paper,
    ReferenceList,
    Writing,
)
from citewhy.text.source import FilePath

Record = (
    Paper | Alias | Context | Citation | FullText | Header | ReferenceList | Identifier | Writing | Notice
)
Reader = Callable[[FilePath, ImportReport], Iterator[Record]]

KINDS: Mapping[type, str] = {
    Paper: "papers",
    Alias: "aliases",
    Context: "contexts",
    Citation: "citations",
    FullText: "full texts",
    Header: "papers",
    ReferenceList: "reference lists",
    Identifier: "identifiers",
    Writing: "writings",
    Notice: "notices",
}
"""Kinds of records, as in `ImportReport.read`."""

GROUP = "citewhy.formats"
"""Group of the entry points of other packages."""


@dataclass(frozen=True, slots=True)
class Format:
    """A supported format."""

    name: str
    read: Reader
    expected: str
    """The content of its files, for errors about a file without records."""
    kind: str = "papers"
    """The kind of most of its records: a refused record is counted as this kind."""
    named_by_file: bool = False
    """Whether a paper's id is the name of its file."""
    recognise: Callable[[str], bool] | None = None
    """Whether a file has this format, by its first 256 kB, decompressed and decoded, without leading spaces.
    Formats of other packages need it; `recognise.py` has that of CiteWhy's own."""


@dataclass(frozen=True, slots=True)
class _Later:
    """A reader whose module and parser are imported at first use. It can be sent to another process."""

    module: str
    function: str = "read"

    def __call__(self, path: FilePath, report: ImportReport) -> Iterator[Record]:
        module = importlib.import_module(f"citewhy.papers.formats.{self.module}")
        reader: Reader = getattr(module, self.function)
        return reader(path, report)


def _empty(path: FilePath, report: ImportReport) -> Iterator[Record]:
    report.warn(path, 1, "the file is empty")
    return iter(())


EMPTY = Format("an empty file", _empty, "anything at all")

FORMATS: Mapping[str, Format] = {
    "papers": Format(
        "papers as JSON lines", _Later("jsonlines", "read_papers"), 'objects with "id" and "title"'
    ),
    "contexts": Format(
        "contexts as JSON lines",
        _Later("jsonlines", "read_contexts"),
        'objects with "context_id", "citing_id", "cited_ids" and "text"',
        "contexts",
    ),
    "full texts": Format(
        "full texts as JSON lines",
        _Later("jsonlines", "read_full_texts"),
        'objects with "id" and "sentences"',
        "full texts",
    ),
    "papers by id": Format(
        "papers as one JSON object",
        _Later("jsonlines", "read_papers_by_id"),
        'an object with a "title" for each id',
    ),
    "contexts by id": Format(
        "contexts as one JSON object",
        _Later("jsonlines", "read_contexts_by_id"),
        'an object with a "masked_text" for each id',
        "contexts",
    ),
    "aliases": Format(
        "a table of aliases", _Later("tables", "read_aliases"), "rows of id and same_as", "aliases"
    ),
    "citations": Format(
        "a table of citations",
        _Later("tables", "read_citations"),
        "rows of citing_id and cited_id",
        "citations",
    ),
    "Retraction Watch": Format(
        "Retraction Watch (CSV)",
        _Later("notices"),
        "rows with a RetractionNature, and an OriginalPaperDOI or a Title",
        "notices",
    ),
    "identifiers": Format("a list of DOIs or ids", _Later("id_list"), "one DOI or id a line", "identifiers"),
    "BibTeX": Format("BibTeX", _Later("bibtex"), "entries such as @article{key, title = {…}}"),
    "reference list": Format(
        "a reference list (\\bibitem)",
        _Later("bibitems", "read_bibitems"),
        "\\bibitem entries with a title",
    ),
    "RIS": Format("RIS", _Later("tagged", "read_ris"), "records from TY to ER with a TI"),
    "CFF": Format(
        "Citation File Format (CITATION.cff)",
        _Later("cff"),
        'what is to be cited, with "title" and "authors"',
    ),
    "CSL-JSON": Format("CSL-JSON", _Later("csl"), 'items with "id" and "title"'),
    "CSL-YAML": Format("CSL-YAML", _Later("csl", "read_yaml"), "items with an id and a title"),
    "Hayagriva": Format("Hayagriva YAML", _Later("hayagriva"), "entries by key, with type and title"),
    "table": Format("a table with a header (CSV)", _Later("tables", "read_papers"), "rows with a title"),
    "OpenAlex": Format(
        "OpenAlex works", _Later("json_services", "read_openalex"), 'works with "id" and "title"'
    ),
    "Semantic Scholar": Format(
        "Semantic Scholar", _Later("semantic_scholar"), 'papers with "paperId" or "corpusid" and "title"'
    ),
    "S2ORC metadata": Format(
        "S2ORC metadata", _Later("semantic_scholar", "read_metadata"), 'papers with "paper_id" and "title"'
    ),
    "S2ORC full texts": Format(
        "S2ORC full texts", _Later("semantic_scholar", "read_texts"), "texts with paragraphs", "full texts"
    ),
    "Zotero": Format(
        "Better BibTeX JSON", _Later("zotero", "read_json"), 'items with "itemType" and "title"'
    ),
    "Zotero API": Format(
        "JSON of Zotero's web API", _Later("zotero", "read_api"), 'items with "data" and a title in it'
    ),
    "Zotero RDF": Format("Zotero RDF", _Later("zotero", "read_rdf"), "items with a dc:title"),
    "Zotero database": Format("Zotero's database", _Later("zotero", "read_database"), "items with a title"),
    "Crossref": Format(
        "Crossref works", _Later("json_services", "read_crossref"), 'works with "DOI" and "title"'
    ),
    "Crossref XML": Format(
        "Crossref XML (unixref)", _Later("crossref_xml"), "records with a doi_record and a title in it"
    ),
    "DataCite": Format("DataCite JSON", _Later("datacite"), 'works with "doi" and "titles"'),
    "arXiv metadata": Format(
        "arXiv metadata as JSON", _Later("json_services", "read_arxiv"), 'papers with "id" and "title"'
    ),
    "arXiv Atom": Format(
        "an Atom feed of arXiv", _Later("xml_records", "read_atom"), "entries with id and title"
    ),
    "PubMed XML": Format(
        "PubMed XML", _Later("xml_records", "read_pubmed"), "articles with a PMID and a title"
    ),
    "nbib": Format("PubMed format (.nbib)", _Later("tagged", "read_nbib"), "records with PMID and TI"),
    "EndNote XML": Format("EndNote XML", _Later("xml_records", "read_endnote"), "records with a title"),
    "EndNote text": Format(
        "EndNote tagged text (.enw)", _Later("tagged", "read_endnote"), "records with a %T line"
    ),
    "Web of Science": Format(
        "Web of Science text", _Later("tagged", "read_wos"), "records from PT to ER with a TI"
    ),
    "Web of Science table": Format(
        "a table of Web of Science", _Later("tagged", "read_wos_table"), "rows with a TI"
    ),
    "JATS": Format("JATS XML", _Later("jats"), "articles with a title", named_by_file=True),
    "MODS": Format("MODS XML", _Later("xml_records", "read_mods"), "records with a title"),
    "DBLP": Format("DBLP XML", _Later("xml_records", "read_dblp"), "publications with a key and a title"),
    "Word sources": Format(
        "sources of Word (Sources.xml)", _Later("word_sources"), "sources with a tag and a title"
    ),
    "Anthology": Format("ACL Anthology XML", _Later("anthology"), "papers with a title"),
    "TEI": Format("TEI of GROBID", _Later("tei"), "a text with a body", "full texts", named_by_file=True),
}


@functools.cache
def added_formats() -> Added[Format]:
    """The formats of other packages; one that is called like one of CiteWhy's is not used."""
    names = {*FORMATS, *(form.name for form in FORMATS.values())}
    return load_added(GROUP, "format", names, _fault)


def _fault(form: object, name: str) -> str:
    """Why an object is no format that another package can add; empty if it is one."""
    if not isinstance(form, Format):
        return f"is {form!r}, not a Format"
    if form.recognise is None:
        return "does not say how its files are recognised"
    return "is counted as a kind that does not exist" if form.kind not in KINDS.values() else ""
