"""Finished drafts, as evidence for later ones: where they are, and what they say as records."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.errors import CiteWhyError, InputError
from citewhy.formats import Record, detect
from citewhy.formats import read as read_records
from citewhy.formats.report import ImportReport
from citewhy.manuscript import read
from citewhy.manuscript.root import is_document, is_latex, is_markdown
from citewhy.records import Alias, CitingSentence, DraftSentence, Manuscript, Paper, Reference, Writing
from citewhy.text.source import FilePath
from citewhy.text.tokens import fold

__all__ = ["FinishedDraft", "FinishedDrafts", "find_drafts"]

_SHORT = 5
"""Words of a sentence that says too little alone ("See [1]."): it is joined with the one before."""

_LONGEST_ID = 60
"""Characters of the title in an id."""

_KEYS_SHOWN = 5

_PROBLEM = re.compile(r"(.+?):(\d+): (.*)", re.DOTALL)
"""File, line and reason of a draft's problem."""

_NOT_A_WORD = re.compile(r"[^a-z0-9]+")

_BIBLIOGRAPHY_HINT = (
    "name its bibliography in it (a .bib file, or a thebibliography), and put the file beside it"
)


@dataclass(frozen=True, slots=True)
class FinishedDraft:
    """A draft that cites, with a bibliography."""

    manuscript: Manuscript

    @property
    def path(self) -> str:
        return self.manuscript.path

    def files(self) -> Iterator[Path]:
        """All that belong to it."""
        for name in (*self.manuscript.files, *self.manuscript.bibliographies):
            yield Path(name).resolve()

    def description(self) -> str:
        """Title, year and where it is from, and the number of citations."""
        year, origin = self.year()
        when = "of unknown year" if year is None else f"{year} ({origin})"
        sentences = sum(bool(keys) for _, keys in _cited(self.manuscript))
        title = self.manuscript.title or "untitled"
        return f"{self.path}: “{title}”, {when}, {sentences:,} citing sentences"

    def year(self) -> tuple[int | None, str]:
        """The year, and where it is from. A draft that cites newer papers than its date cannot be so old."""
        cited = {key for _, keys in _cited(self.manuscript) for key in keys}
        years = [each.paper.year for each in self.manuscript.references if each.key in cited]
        newest = max((year for year in years if year is not None), default=None)
        stated = self.manuscript.year
        if stated is not None and (newest is None or newest <= stated):
            return stated, "its date, or the name of its class or file"
        return newest, "the newest paper that it cites"

    def records(self, report: ImportReport) -> Iterator[Record]:
        """The draft as one record. The report is told of entries that are skipped, of fields that are not
        kept, of files that are missing, and of keys that nothing defines."""
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
        defined = {each.key for each in self.manuscript.references}
        return Counter(key for _, keys in _cited(self.manuscript) for key in keys if key not in defined)


@dataclass(frozen=True, slots=True)
class FinishedDrafts:
    """The drafts among some paths."""

    found: tuple[FinishedDraft, ...]
    refused: tuple[CiteWhyError, ...]
    """Why each named draft is none."""
    others: tuple[FilePath, ...]
    """The paths that are no drafts: folders, and files of other formats."""

    def files(self) -> frozenset[Path]:
        """All files that belong to the drafts, resolved: they are read with them."""
        return frozenset(file for draft in self.found for file in draft.files())


def find_drafts(paths: Iterable[FilePath]) -> FinishedDrafts:
    """Named files that are drafts, and those of folders: a LaTeX file with a document of its own, or a
    Markdown file, that cites what a bibliography defines. Parts that a root includes belong to the root."""
    found: dict[Path, FinishedDraft] = {}
    refused: list[CiteWhyError] = []
    others: list[FilePath] = []
    for path in map(Path, paths):
        if path.is_dir():
            others.append(path)
            for draft in _roots(path):
                found.setdefault(Path(draft.path).resolve(), draft)
            continue
        try:
            named = _named(path)
        except CiteWhyError as error:
            refused.append(error)
            continue
        if named is None:
            others.append(path)
        else:
            found[path.resolve()] = named
    return FinishedDrafts(
        tuple(sorted(found.values(), key=lambda draft: draft.path)), tuple(refused), tuple(others)
    )


def _named(path: Path) -> FinishedDraft | None:
    """None for a file that is no draft. Raises InputError for one that gives no evidence."""
    if not path.is_file() or not (is_latex(path) or is_markdown(path)):
        return None
    if is_latex(path) and not is_document(path):
        if _is_list(path):
            return None
        raise InputError(
            "a part of a LaTeX draft, without a document of its own",
            path=path,
            hint="name the root file, which has \\documentclass and includes it",
        )
    manuscript = read(path)
    cited = [keys for _, keys in _cited(manuscript) if keys]
    if not cited and is_markdown(path):
        return None  # perhaps a list of references
    if not cited:
        raise InputError(
            "no citation is found in it, expected a finished draft", path=path, hint="name its root file"
        )
    if not _is_evidence(manuscript):
        missing = [each for each in manuscript.problems if "no such file" in each]
        why = f" ({missing[0]})" if missing else ""
        raise InputError(
            f"none of its {len(cited):,} citations is in a bibliography{why}",
            path=path,
            hint=_BIBLIOGRAPHY_HINT,
        )
    return FinishedDraft(manuscript)


def _is_list(path: Path) -> bool:
    """Does the file hold records that another reader knows (``\\bibitem``, BibTeX)?"""
    try:
        detect(path)
    except InputError:
        return False
    return True


def _roots(folder: Path) -> list[FinishedDraft]:
    """The drafts in a folder and those below it, hidden ones aside; in order of names."""
    candidates: dict[Path, Manuscript] = {}
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or not path.is_file() or not (is_markdown(path) or (is_latex(path) and is_document(path))):
            continue
        try:
            candidates[path.resolve()] = read(path)
        except CiteWhyError:
            continue  # it is listed among the files that are not read
    included = {Path(name).resolve() for manuscript in candidates.values() for name in manuscript.files[1:]}
    return [
        FinishedDraft(manuscript)
        for path, manuscript in candidates.items()
        if path not in included and _is_evidence(manuscript)
    ]


def _is_evidence(manuscript: Manuscript) -> bool:
    """Does it cite what its bibliography defines?"""
    defined = {each.key for each in manuscript.references if each.paper.title}
    return any(not defined.isdisjoint(keys) for _, keys in _cited(manuscript))


# Records --------------------------------------------------------------------------------------------------


def _identifier(manuscript: Manuscript) -> str:
    """By the title; without one, by the names of folder and file."""
    path = Path(manuscript.path).absolute()
    for name in (manuscript.title, f"{path.parent.name} {path.stem}"):
        slug = _NOT_A_WORD.sub("-", fold(name)).strip("-")
        if slug:
            return f"own:{slug[:_LONGEST_ID].strip('-')}"
    return f"own:{hashlib.blake2b(str(path.name).encode(), digest_size=6).hexdigest()}"


def _references(manuscript: Manuscript, report: ImportReport) -> Iterator[Reference]:
    """What the draft's keys stand for, then the rest of its .bib files."""
    by_key = {each.key: each for each in manuscript.references}
    aliases: dict[str, str] = {}
    for name in manuscript.bibliographies:
        for record in _entries(name, report):
            if isinstance(record, Alias):
                aliases[record.same_as] = record.id
            elif isinstance(record, Paper):
                by_key.setdefault(record.id, Reference(record.id, record))
    yield from (replace(each, place=None) for each in by_key.values())
    yield from (
        Reference(alias, by_key[key].paper)
        for alias, key in aliases.items()
        if key in by_key and alias not in by_key
    )


def _entries(name: str, report: ImportReport) -> Iterator[Record]:
    """Those of a bibliography in any format; one that cannot be read is in the draft's problems."""
    own = ImportReport()
    try:
        found = list(read_records(name, own))
    except CiteWhyError:
        return
    own.read.clear()  # what becomes of them is counted with the draft
    own.refused.clear()
    own.repeated.clear()
    report.absorb(own)
    yield from found


def _cited(manuscript: Manuscript) -> Iterator[tuple[DraftSentence, tuple[str, ...]]]:
    """Every sentence, with the keys that it cites."""
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            yield sentence, tuple(key for marker in sentence.markers for key in marker.keys)


def _sentences(manuscript: Manuscript) -> Iterator[CitingSentence]:
    """The citing sentences. Their numbers are made of their words: a sentence that stays keeps its number
    when others come before it."""
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
    """The text with the keys where they are cited, set apart by spaces."""
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
