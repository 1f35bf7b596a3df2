"""What of an audit can be corrected in .bib files without a look at the papers: as edits of their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citewhy.answers.audit.fields import Compared, is_of_publisher
from citewhy.answers.audit.titles import relation
from citewhy.answers.audit.verdicts import Audit, AuditedEntry
from citewhy.base.records import Paper
from citewhy.drafts.edit.bibliography_file import BIBTEX
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK, DraftFiles, text_to_edit
from citewhy.text.bibtex_blocks import FieldPlace, field_places
from citewhy.text.taken_back import TAKEN_BACK

__all__ = ["Correction", "corrections", "patches"]

_INHERITING = frozenset(("crossref", "xdata", "xref"))
"""Fields of entries that take others from elsewhere, and are left alone."""
_OF_PREPRINTS = frozenset(
    """year month date journal journaltitle shortjournal booktitle volume number issue pages articleno
    numpages publisher institution school organization address location type series edition editor isbn issn
    doi eprint eprinttype eprintclass archiveprefix primaryclass archive pubstate""".split()  # noqa: SIM905
)
"""What a preprint's entry says of where it appeared."""
_OF_PUBLISHED = frozenset(
    """author title year date journal journaltitle booktitle volume number issue pages publisher institution
    school series edition doi""".split()  # noqa: SIM905
)
"""What is taken from the library: nothing that its owner wrote, and nothing that is not printed."""
_OWN = ("title", "author")
"""What stays as its author wrote it, where it says the same."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A certain correction of an entry."""

    entry: AuditedEntry
    what: str
    """``doi``, ``year``, or ``published``."""
    text: str
    """What changes, as a line says it."""
    edit: Edit


def corrections(audit: Audit, files: DraftFiles = DISK) -> list[Correction]:
    """What is certain, and can be corrected in .bib files: a DOI that the library has, a wrong year with
    equal DOI, title and authors, and what was published in place of its preprint, under the same key. Every
    other field, notes among them, stays as it is. Entries that inherit fields, are not well-formed, or
    were read from elsewhere than a .bib file are left alone, as are those that an audit calls mixed,
    impossible, retracted, or withdrawn. Raises what reading the files raises."""
    texts: dict[str, str] = {}
    found: dict[tuple[str, int, str], Correction] = {}
    for entry in audit.entries:
        for one in _of_entry(entry, texts, files):
            found.setdefault((one.edit.file, one.edit.start, one.what), one)
    return list(found.values())


def patches(chosen: Iterable[Correction], files: DraftFiles = DISK, *, outside: bool = False) -> list[Patch]:
    """The edits of the chosen corrections, one for each file that was audited. Raises what `Patch` raises."""
    by_list: dict[str, list[Edit]] = {}
    for one in chosen:
        by_list.setdefault(one.entry.listed_in, []).append(one.edit)
    return [Patch(edits, name, files, outside=outside) for name, edits in by_list.items()]


def _of_entry(entry: AuditedEntry, texts: dict[str, str], files: DraftFiles) -> Iterator[Correction]:
    place, source = entry.reference.place, entry.reference.paper.source
    noticed = {remark.kind for remark in entry.remarks} & TAKEN_BACK
    if place is None or source is None or source.format != "BibTeX" or entry.itself or noticed:
        return
    if entry.verdict not in ("known", "differs") or place.part:
        return
    if place.file not in texts:
        texts[place.file] = text_to_edit(files, place.file)
    text = texts[place.file][place.start : place.end]
    fields = field_places(text)
    if not fields or not _INHERITING.isdisjoint(field.name for field in fields):
        return
    written = _Written(entry, place.file, place.start, text, fields)
    published = next((one for one in entry.remarks if one.kind == "published" and one.certain), None)
    if published is not None and published.paper is not None:
        yield from written.published(published.paper)
        return
    if entry.paper is not None:
        yield from written.doi(entry.paper)
    for difference in entry.differences:
        if difference.field == "year" and difference.certain:
            yield from written.year(difference.known)


@dataclass(frozen=True, slots=True)
class _Written:
    """An entry as its file has it."""

    entry: AuditedEntry
    file: str
    start: int
    text: str
    fields: Sequence[FieldPlace]

    def doi(self, known: Paper) -> Iterator[Correction]:
        """Yields the addition of the library's DOI."""
        compared = Compared(self.entry.reference.paper, known)
        if self.entry.verdict != "known" or self.entry.reference.paper.doi or not known.doi:
            return
        if not compared.is_surely_it or not is_of_publisher(known.doi) or self._has("doi"):
            return
        last = self.fields[-1]
        new = f",{self._space()}{self._named('doi', f'{{{known.doi}}}')}"
        yield self._correction("doi", f"+ doi {known.doi}", last.end, last.end, new)

    def year(self, known: str) -> Iterator[Correction]:
        """Yields the year that the library has in place of the entry's."""
        field = next((one for one in self.fields if one.name in ("year", "date")), None)
        if field is None:
            return
        found = re.fullmatch(r"[{\"]?\s*(\d{4})\s*[}\"]?", self.text[field.value : field.end])
        if found is None:
            return
        start, end = (field.value + offset for offset in found.span(1))
        yield self._correction("year", f"year {found[1]} → {known}", start, end, known)

    def published(self, paper: Paper) -> Iterator[Correction]:
        """Yields the entry of what was published, with the fields of the author that say nothing of where the
        preprint appeared."""
        key = self.entry.reference.key
        new = BIBTEX.entry(replace(paper, source=None, abstract=""), key)
        places = {field.name: field for field in field_places(new) if field.name in _OF_PUBLISHED}
        if not places:
            return
        same = relation(self.entry.reference.paper.title, paper.title) == "equal"
        kept = [field for field in self.fields if self._stays(field, places, same=same)]
        names = {field.name for field in kept}
        lines = [self.text[field.start : field.end] for field in kept if field.name in _OWN]
        lines += [
            self._named(name, new[field.value : field.end])
            for name, field in places.items()
            if name not in names
        ]
        lines += [self.text[field.start : field.end] for field in kept if field.name not in _OWN]
        head = f"@{new[1 : new.index('{')]}{self.text[self.text.index('{') : self.fields[0].start]}"
        separator = f",{self._space()}"
        where = f"{paper.venue or 'elsewhere'}{f', {paper.year}' if paper.year else ''}"
        end = self.fields[-1].end
        yield self._correction("published", f"published: {where}", 0, end, head + separator.join(lines))

    def _stays(self, field: FieldPlace, new: dict[str, FieldPlace], *, same: bool) -> bool:
        if field.name in _OWN:
            return same
        value = self.text[field.value : field.end].lower()
        if field.name in ("url", "howpublished") and ("arxiv" in value or "doi.org" in value):
            return False
        return field.name not in _OF_PREPRINTS and field.name not in new

    def _has(self, name: str) -> bool:
        return any(field.name == name for field in self.fields)

    def _space(self) -> str:
        """What stands before the last field."""
        before = re.search(r",(\s*)$", self.text[: self.fields[-1].start])
        return before[1] if before else "\n  " if "\n" in self.text else " "

    def _named(self, name: str, value: str) -> str:
        """A field with its equals sign where the last one has it."""
        last = self.fields[-1]
        between = self.text[last.equals + 1 : last.value]
        widths = {field.equals - field.start for field in self.fields}
        spaced = self.text[last.equals - 1].isspace()
        width = 0 if not spaced else widths.pop() if len(widths) == 1 else len(name)
        return f"{name:<{width}}{' ' if width and len(name) >= width else ''}={between}{value}"

    def _correction(self, what: str, text: str, start: int, end: int, new: str) -> Correction:
        return Correction(self.entry, what, text, Edit(self.file, self.start + start, self.start + end, new))
