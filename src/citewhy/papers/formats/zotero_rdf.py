"""RDF as Zotero exports it.

The id of an item is its citation key if the export has it, or else the DOI, or else generated: Zotero numbers
items anew in each export.
"""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Node
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import MadeIds, Seen, renamed, year_of
from citewhy.papers.formats.marked_up import plain
from citewhy.papers.formats.markup import Element, parse_mended
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.zotero_items import NOT_ITEMS
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "read"]

NAME = "Zotero RDF"

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_ITEMS = frozenset(
    """Article Book BookSection Thesis Letter Manuscript Interview MotionPicture Illustration Document Report
    Legislation Patent Image Recording ConferenceProceedings Data""".split()  # noqa: SIM905
)
"""Elements that are items even without an itemType, as in old exports."""

_ROLES = (
    "authors",
    "inventors",
    "artists",
    "programmers",
    "presenters",
    "directors",
    "editors",
    "contributors",
)
_DEEPEST = 5


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Items with a title. Attachments, notes and collections are counted and skipped."""
    root = parse_mended(path, report, ("RDF",), "RDF of Zotero")
    named = {about: element for element in root if (about := element.get(f"{_RDF}about"))}
    seen, made = Seen(path, report), MadeIds()
    for element in root:
        if not isinstance(element.tag, str):
            continue
        kind = element.findtext("itemType") or ("item" if element.tag in _ITEMS else "")
        if not kind or kind in NOT_ITEMS:
            if element.tag not in ("Journal", "Periodical", "Series", "Person", "Organization"):
                report.leave(NAME, [f"({element.tag})"])
            continue
        paper = _paper(element, named, path, report)
        identifier = paper.id or paper.doi or made.make(paper)
        if not paper.title or not identifier:
            report.skip(path, element.sourceline, f"the {shorten(kind)} has no title")
        elif placed := seen.placed(renamed(paper, identifier), element.sourceline):
            yield placed


def _paper(element: Element, named: dict[str, Element], path: FilePath, report: ImportReport) -> Paper:
    item = Node(element)
    item.text("itemType")
    container = _container(element, named, item)
    journal = item if container is None else Node(container)
    inside = None if container is None else container
    given = _identifiers(item, element) or (_identifiers(journal, inside) if inside is not None else "")
    doi = clean_doi(given)
    if given and not doi:
        report.warn(path, element.sourceline, f"{shorten(given)!r} is not a DOI; left empty")
    url = item.text("identifier/URI/value")
    paper = Paper(
        item.text("citationKey"),
        plain(item.first("title", "shortTitle")),
        plain(item.text("abstract")),
        tuple(_people(item, named)),
        year_of(item.text("date")) or year_of(item.text("issued")),
        plain(_venue(item, journal, inside)),
        doi or doi_in_url(url),
        url,
    )
    names = item.not_kept()
    if inside is not None:
        names = {name for name in names if not name.startswith("isPartOf")}
        names.update(f"isPartOf/{inside.tag}/{name}" for name in journal.not_kept())
    report.leave(NAME, names)
    return paper


def _container(element: Element, named: dict[str, Element], item: Node) -> Element | None:
    """The journal, book or site that contains the item: nested in it, or elsewhere in the file."""
    place = element
    for _ in range(_DEEPEST):
        deeper = None
        for part in place.iterfind("isPartOf"):
            children = [child for child in part if isinstance(child.tag, str)]
            target = children[0] if children else named.get(part.get(f"{_RDF}resource") or "")
            if target is not None and target.tag == "Part":
                deeper = target
            elif target is not None and target.tag != "Series":
                item.keep(part)
                return target
        if deeper is None:
            return None
        place = deeper
    return None


def _identifiers(node: Node, place: Element) -> str:
    """The text after "DOI"; for journal articles Zotero puts it into the journal."""
    for identifier in node.found("identifier", place):
        text = tidy(identifier.text or "")
        if text.upper().startswith("DOI "):
            node.keep(identifier)
            return text[4:]
    return ""


def _venue(item: Node, journal: Node, container: Element | None) -> str:
    if container is not None and (title := journal.text("title")):
        return title
    return item.first("presentedAt/Conference/title", "publisher/Organization/name", "publisher")


def _people(item: Node, named: dict[str, Element]) -> Iterator[str]:
    role = next((one for one in _ROLES if item.root.find(one) is not None), "")
    for entry in item.found(f"{role}/Seq/li") if role else ():
        person = entry.find("Person")
        if person is None:
            person = named.get(entry.get(f"{_RDF}resource") or "")
        if person is None:
            continue
        item.keep(entry)
        given = next((person.findtext(tag) for tag in ("givenName", "givenname") if person.findtext(tag)), "")
        if name := tidy(f"{given} {person.findtext('surname') or person.findtext('name') or ''}"):
            yield name
