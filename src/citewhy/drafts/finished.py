"""Finished drafts among given files and folders, and the records that they contribute to a library."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.base.errors import CiteWhyError, InputError, UnforeseenError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, CitingSentence, DraftSentence, Manuscript, Paper, Reference, Writing
from citewhy.base.unforeseen import reading
from citewhy.drafts import read
from citewhy.drafts.files import DISK, read_content
from citewhy.drafts.format import DraftFormat
from citewhy.drafts.formats import format_by_suffix
from citewhy.drafts.markdown.projects import book_of
from citewhy.papers.formats import Record, detect
from citewhy.papers.formats import read as read_records
from citewhy.text.source import FilePath
from citewhy.text.tokens import fold

_SHORT = 5
"""Sentences with fewer words ("See [1].") are joined with the sentence before."""

_LONGEST_ID = 60
"""Maximum number of characters of the title that an id contains."""

_KEYS_SHOWN = 5

_PROBLEM = re.compile(r"(.+?):([0-9]{1,9}): (.*)", re.DOTALL)
"""Splits a problem of a draft into file, line and reason."""

_NOT_A_WORD = re.compile(r"[^a-z0-9]+")

_BIBLIOGRAPHY_HINT = (
    "the draft must name its bibliography (a .bib file, or a thebibliography); put that file beside the draft"
)


@dataclass(frozen=True, slots=True)
class FinishedDraft:
    """A draft with a bibliography that defines papers it cites."""

    manuscript: Manuscript

    @property
    def path(self) -> str:
        return self.manuscript.path

    def files(self) -> Iterator[Path]:
        """The paths of all files of the draft, bibliographies included."""
        for name in (*self.manuscript.files, *self.manuscript.bibliographies):
            yield Path(name).resolve()

    def description(self) -> str:
        """Path, title, year with its origin, and the number of citing sentences."""
        year, origin = self.year()
        when = "of unknown year" if year is None else f"{year} ({origin})"
        sentences = sum(bool(keys) for _, keys in _cited(self.manuscript))
        title = self.manuscript.title or "untitled"
        return f"{self.path}: “{title}”, {when}, {sentences:,} citing sentences"

    def year(self) -> tuple[int | None, str]:
        """The year of the draft and where it comes from: the stated year, or that of the newest cited paper
        if no year is stated or the draft cites newer papers."""
        cited = {key for _, keys in _cited(self.manuscript) for key in keys}
        years = [entry.paper.year for entry in self.manuscript.references if entry.key in cited]
        newest = max((year for year in years if year is not None), default=None)
        stated = self.manuscript.year
        if stated is not None and (newest is None or newest <= stated):
            return stated, "its date, or the name of its class or file"
        return newest, "the newest paper that it cites"

    def records(self, report: ImportReport) -> Iterator[Record]:
        """The draft as one `Writing`. Skipped entries, fields that are not kept, missing files and undefined
        keys are added to `report`."""
        manuscript = self.manuscript
        for problem in manuscript.problems:
            placed = _PROBLEM.fullmatch(problem)
            path, line, why = placed.groups() if placed else (self.path, None, problem)
            report.warn(path, None if line is None else int(line), why)
        undefined = self._undefined()
        if undefined:
            shown = ", ".join(list(undefined)[:_KEYS_SHOWN])
            report.warn(self.path, None, f"{len(undefined)} cited keys are in no bibliography: {shown}")
        report.read["writings"] += 1
        yield Writing(
            self.paper(),
            tuple(_references(manuscript, report)),
            tuple(_sentences(manuscript)),
            manuscript.nocite,
        )

    def paper(self) -> Paper:
        manuscript = self.manuscript
        return Paper(
            _identifier(manuscript),
            manuscript.title or Path(self.path).stem,
            manuscript.abstract,
            manuscript.authors,
            self.year()[0],
            own=True,
        )

    def _undefined(self) -> Counter[str]:
        defined = {entry.key for entry in self.manuscript.references}
        return Counter(key for _, keys in _cited(self.manuscript) for key in keys if key not in defined)


@dataclass(frozen=True, slots=True)
class FinishedDrafts:
    """Paths, sorted into drafts and others."""

    drafts: tuple[FinishedDraft, ...]
    refused: tuple[CiteWhyError, ...]
    """One error for each file that was named but cannot be used as a finished draft."""
    others: tuple[FilePath, ...]
    """The paths that are not drafts: folders, and files of other formats."""

    def files(self) -> frozenset[Path]:
        """The resolved paths of all files of the drafts, which need not be read separately."""
        return frozenset(file for draft in self.drafts for file in draft.files())


def find_drafts(paths: Iterable[FilePath], *, follow_outside: bool = False) -> FinishedDrafts:
    """Finds the finished drafts among `paths` and inside the folders among them.

    A finished draft is the root file of a draft in a format with keys (any but plain text) that cites a key
    defined in its bibliography. Files that a root includes are part of its draft; those
    outside of its project only if `follow_outside`.
    """
    drafts: dict[Path, FinishedDraft] = {}
    refused: list[CiteWhyError] = []
    others: list[FilePath] = []
    for path in map(Path, paths):
        if path.is_dir():
            others.append(path)
            for draft in _roots(path, follow_outside, refused):
                drafts.setdefault(Path(draft.path).resolve(), draft)
            continue
        try:
            named = _named(path, follow_outside)
        except CiteWhyError as error:
            refused.append(error)
            continue
        if named is None:
            others.append(path)
        else:
            drafts[path.resolve()] = named
    return FinishedDrafts(
        tuple(sorted(drafts.values(), key=lambda draft: draft.path)), tuple(refused), tuple(others)
    )


def _named(path: Path, follow_outside: bool) -> FinishedDraft | None:
    """The draft in a file that the user named; None if the file is not a draft. Raises InputError for a draft
    that cites nothing its bibliography defines, and for a part of a draft."""
    form = format_by_suffix(path) if path.is_file() else None
    if form is None:
        return None
    if not _is_root(form, path):
        if _is_list(path):
            return None
        raise InputError(
            f"this is a part of a {form.title} draft, without {form.root_sign}",
            path=path,
            hint="name the root file that includes it",
        )
    manuscript = read(path, follow_outside=follow_outside)
    cited = [keys for _, keys in _cited(manuscript) if keys]
    if not cited and not form.root_sign:
        return None  # perhaps a list of references
    if not cited:
        raise InputError(
            "it has no citations; expected a finished draft", path=path, hint="name its root file"
        )
    if not _is_evidence(manuscript):
        missing = [problem for problem in manuscript.problems if "no such file" in problem]
        why = f" ({missing[0]})" if missing else ""
        raise InputError(
            f"none of its {len(cited):,} citations is in a bibliography{why}",
            path=path,
            hint=_BIBLIOGRAPHY_HINT,
        )
    return FinishedDraft(manuscript)


def _is_root(form: DraftFormat, path: Path) -> bool:
    """Whether a file of the format is a draft, not a part of one."""
    if not form.root_sign:
        return True
    try:
        with reading(path):
            return bool(form.roots({path: read_content(DISK, path)}))
    except UnforeseenError:
        raise
    except CiteWhyError:
        return False


def _is_read_with(path: Path, folder: Path) -> bool:
    """Whether a file is a chapter of a book that is read from another file in the folder."""
    book = book_of(DISK, path)
    first = path if book is None else Path(book.first)
    return first.resolve() != path.resolve() and first.resolve().is_relative_to(folder.resolve())


def _is_list(path: Path) -> bool:
    """Does the file hold records that another reader knows (``\\bibitem``, BibTeX)?"""
    try:
        detect(path)
    except InputError:
        return False
    return True


def _roots(folder: Path, follow_outside: bool, refused: list[CiteWhyError]) -> list[FinishedDraft]:
    """The drafts in a folder and its subfolders, except hidden files, sorted by path. What nobody foresaw is
    `refused`."""
    candidates: dict[Path, Manuscript] = {}
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        form = None if hidden or not path.is_file() else format_by_suffix(path)
        if form is None:
            continue
        try:
            if not _is_root(form, path) or _is_read_with(path, folder):
                continue
            candidates[path.resolve()] = read(path, follow_outside=follow_outside)
        except UnforeseenError as error:
            refused.append(error)
        except CiteWhyError:
            continue  # the search for other formats lists it as not recognised
    included = {Path(name).resolve() for manuscript in candidates.values() for name in manuscript.files[1:]}
    return [
        FinishedDraft(manuscript)
        for path, manuscript in candidates.items()
        if path not in included and _is_evidence(manuscript)
    ]


def _is_evidence(manuscript: Manuscript) -> bool:
    """Whether it cites a paper that its bibliography defines."""
    defined = {entry.key for entry in manuscript.references if entry.paper.title}
    return any(not defined.isdisjoint(keys) for _, keys in _cited(manuscript))


# Records --------------------------------------------------------------------------------------------------


def _identifier(manuscript: Manuscript) -> str:
    """An id made from the title or, without a title, from the names of folder and file."""
    path = Path(manuscript.path).absolute()
    for name in (manuscript.title, f"{path.parent.name} {path.stem}"):
        slug = _NOT_A_WORD.sub("-", fold(name)).strip("-")
        if slug:
            return f"own:{slug[:_LONGEST_ID].strip('-')}"
    return f"own:{hashlib.blake2b(str(path.name).encode(), digest_size=6).hexdigest()}"


def _references(manuscript: Manuscript, report: ImportReport) -> Iterator[Reference]:
    """The references that the draft cites, then the other entries of its bibliography files."""
    by_key = {entry.key: entry for entry in manuscript.references}
    aliases: dict[str, str] = {}
    for name in manuscript.bibliographies:
        if name in manuscript.unread:  # missing, or outside of the project
            continue
        for record in _entries(name, report):
            if isinstance(record, Alias):
                aliases[record.same_as] = record.id
            elif isinstance(record, Paper):
                by_key.setdefault(record.id, Reference(record.id, record))
    yield from (replace(entry, place=None) for entry in by_key.values())
    yield from (
        Reference(alias, by_key[key].paper)
        for alias, key in aliases.items()
        if key in by_key and alias not in by_key
    )


def _entries(name: str, report: ImportReport) -> Iterator[Record]:
    """The entries of a bibliography file in any format; none if it cannot be read, which is among the
    problems of the draft."""
    own = ImportReport()
    try:
        records = list(read_records(name, own))
    except CiteWhyError:
        return
    own.read.clear()  # these entries are counted with the draft
    own.refused.clear()
    own.repeated.clear()
    report.absorb(own)
    yield from records


def _cited(manuscript: Manuscript) -> Iterator[tuple[DraftSentence, tuple[str, ...]]]:
    """Every sentence, with the keys that it cites."""
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            yield sentence, tuple(key for marker in sentence.markers for key in marker.keys)


def _sentences(manuscript: Manuscript) -> Iterator[CitingSentence]:
    """The citing sentences. Their numbers are hashes of their text, so that an unchanged sentence keeps its
    number when others are inserted before it."""
    seen: Counter[str] = Counter()
    for paragraph in manuscript.paragraphs:
        before = ""
        for sentence in paragraph.sentences:
            if any(marker.keys for marker in sentence.markers):
                short = len(sentence.text.split()) < _SHORT
                seen[sentence.text] += 1
                yield CitingSentence(
                    _number(sentence.text, seen[sentence.text]),
                    paragraph.section,
                    ((f"{before} ",) if short and before else ()) + _pieces(sentence),
                )
            before = sentence.text


def _number(text: str, time: int) -> int:
    digest = hashlib.blake2b(f"{time} {text}".encode(errors="replace"), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def _pieces(sentence: DraftSentence) -> tuple[str | tuple[str, ...], ...]:
    """The text of a sentence, with the keys (as tuples) where they are cited, separated by spaces."""
    pieces: list[str | tuple[str, ...]] = []
    done = 0
    for marker in sentence.markers:
        text = sentence.text[done : marker.offset]
        glued = bool(text or pieces) and not text.endswith((" ", "(", "["))
        pieces += [f"{text} " if glued else text, marker.keys]
        done = marker.offset
        if sentence.text[done : done + 1].isalnum():
            pieces.append(" ")
    pieces.append(sentence.text[done:])
    return tuple(piece for piece in pieces if piece != "")
