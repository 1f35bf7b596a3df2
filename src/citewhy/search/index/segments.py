"""Segments: the index of a batch of papers or of citing sentences. They are never changed."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside, write_manifest
from citewhy.base.records import Context, Paper
from citewhy.papers.formats.fields import arxiv_numbers
from citewhy.search.index.arrays import map_array, offsets, save_array
from citewhy.search.index.merging import merge_postings
from citewhy.search.index.postings import Postings, PostingsBuilder
from citewhy.search.index.proved import Proofs
from citewhy.text.identifiers import catalogue_numbers_of
from citewhy.text.markers import printed_forms
from citewhy.text.names import citing_authors, key_surnames, said, venue_key
from citewhy.text.system_names import introduced_names, title_names
from citewhy.text.tokens import fold, stems

NameField = Literal[
    "author", "first author", "printed author", "introduced", "titled", "key author", "arxiv", "catalogue"
]
"""Says what a name is in relation to a paper: what a text calls an author (`text.names.said`), or the first
author, what else printed citations call the first author (`text.markers.printed_forms`), the name of a system
or data set that its title or abstract introduces (`text.system_names.introduced_names`), one that its title
introduces (`text.system_names.title_names`), the surname of the first author, or an organisation among the
authors, as citation keys write it (`text.names.citing_authors`, `key_surnames`), its number at arXiv
(`formats.fields.arxiv_numbers`), or one of a catalogue (`catalogue_names`)."""

_LAST_YEAR = 9999


def name_hash(name: str) -> int:
    """64-bit hash of the name of a person or a venue, ignoring case and accents: enough to distinguish a
    million."""
    return id_hash(fold(name))


def id_hash(paper_id: str) -> int:
    """64-bit hash of a paper's id."""
    return int.from_bytes(_digest(paper_id), "little", signed=True)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def named_key(by: NameField, name: str) -> int:
    """64-bit hash of a name and of what it is in relation to a paper (`NameField`)."""
    return id_hash(f"{by}:{name}")


def named_keys(by: NameField, names: Iterable[str]) -> NDArray[np.int64]:
    """[n] `named_key` of many names."""
    digests = b"".join([_digest(f"{by}:{name}") for name in names])
    return np.frombuffer(digests, dtype="<i8").astype(np.int64)


def _name_keys(paper: Paper) -> list[int]:
    by_author = [said(author) for author in paper.authors]
    keys: list[tuple[NameField, str]] = [("author", word) for words in by_author for word in words]
    keys += [("first author", word) for words in by_author[:1] for word in words]
    titled = title_names(paper.title)
    keys += [
        ("printed author", form)
        for author, words in zip(paper.authors[:1], by_author[:1], strict=True)
        for form in printed_forms(author)
        if form not in words
    ]
    keys += [("introduced", name) for name in introduced_names(paper.title, paper.abstract, titled)]
    keys += [("titled", name) for name in titled]
    keys += [
        ("key author", surname)
        for author in citing_authors(paper.authors)
        for surname in key_surnames(author)
    ]
    keys += [("arxiv", number) for number in arxiv_numbers(paper)]
    keys += [("catalogue", name) for name in catalogue_names(paper)]
    return [named_key(by, name) for by, name in dict.fromkeys(keys) if name]


def catalogue_names(paper: Paper) -> list[str]:
    """The numbers of a paper at PubMed, and its ISBN, each with its name before it."""
    numbers = () if paper.publication is None else catalogue_numbers_of(paper.publication)
    return [f"{name}:{number}" for name, number in numbers if number]


def known_year(year: int | None) -> int:
    """0 if unknown or out of range."""
    return year if year is not None and 0 < year <= _LAST_YEAR else 0


@dataclass(frozen=True, slots=True)
class PaperColumns:
    """Metadata of D papers for ranking."""

    years: NDArray[np.int16]
    """[D], 0 if unknown."""
    abstracts: NDArray[np.bool_]
    """[D] whether there is an abstract: a filter for evaluation, never a feature."""
    venues: NDArray[np.int64]
    """[D] hash of the series of venues, 0 if unknown."""
    authors: NDArray[np.int64]
    """[A] hashes of author names, grouped by paper."""
    author_starts: NDArray[np.int64]
    """[D + 1] start of each paper's authors."""
    names: NDArray[np.int64]
    """[N] hashes of the names by which a paper is looked up (`named_key`), grouped by paper."""
    name_starts: NDArray[np.int64]
    """[D + 1]."""
    ids: NDArray[np.uint8]
    """[B] UTF-8 bytes of all paper ids, concatenated."""
    id_starts: NDArray[np.int64]
    """[D + 1]."""

    def save(self, folder: Path) -> None:
        for field in fields(self):
            save_array(folder / f"columns.{field.name}.npy", getattr(self, field.name))

    @classmethod
    def joined(cls, parts: Sequence[PaperColumns]) -> PaperColumns:
        """The columns of the papers of several, one after the other."""
        arrays: dict[str, Any] = {}
        for field in fields(cls):
            own = [getattr(part, field.name) for part in parts]
            starts = field.name.endswith("_starts")
            arrays[field.name] = (
                offsets(np.concatenate([np.diff(some) for some in own])) if starts else np.concatenate(own)
            )
        return cls(**arrays)

    @classmethod
    def load(cls, folder: Path) -> PaperColumns:
        arrays: dict[str, Any] = {
            field.name: map_array(folder / f"columns.{field.name}.npy") for field in fields(cls)
        }
        return cls(**arrays)


@dataclass(frozen=True, slots=True)
class PaperSegment:
    """Words and metadata of some papers, in ascending order of their numbers."""

    text: Postings
    """Title and abstract together."""
    title: Postings
    columns: PaperColumns

    prefix: ClassVar[str] = "papers"

    @classmethod
    def build(cls, papers: Iterable[tuple[int, Paper]]) -> PaperSegment:
        """`papers` are in ascending order of their numbers."""
        vocabulary: dict[str, int] = {}
        text, title = PostingsBuilder(vocabulary), PostingsBuilder(vocabulary)
        years, venues, authors, names = array("h"), array("q"), array("q"), array("q")
        abstracts, blob = bytearray(), bytearray()
        author_starts, id_starts, name_starts = array("q", [0]), array("q", [0]), array("q", [0])
        for number, paper in papers:
            title_terms = stems(paper.title)
            title.add(number, title_terms)
            text.add(number, title_terms + stems(paper.abstract) if paper.abstract else title_terms)
            years.append(known_year(paper.year))
            abstracts.append(bool(paper.abstract))
            venue = venue_key(paper.venue)
            venues.append(name_hash(venue) if venue else 0)
            authors.extend([name_hash(name) for name in paper.authors])
            author_starts.append(len(authors))
            names.extend(_name_keys(paper))
            name_starts.append(len(names))
            blob += paper.id.encode()
            id_starts.append(len(blob))
        columns = PaperColumns(
            years=np.array(years, dtype=np.int16),
            abstracts=np.frombuffer(bytes(abstracts), dtype=np.bool_),
            venues=np.array(venues, dtype=np.int64),
            authors=np.array(authors, dtype=np.int64),
            author_starts=np.array(author_starts, dtype=np.int64),
            names=np.array(names, dtype=np.int64),
            name_starts=np.array(name_starts, dtype=np.int64),
            ids=np.frombuffer(bytes(blob), dtype=np.uint8),
            id_starts=np.array(id_starts, dtype=np.int64),
        )
        return cls(text.build(), title.build(), columns)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """[D] paper numbers, ascending."""
        return self.text.numbers

    def save(self, folder: Path) -> None:
        with folder_aside(folder) as aside:
            self.text.save(aside, "text")
            self.title.save(aside, "title")
            self.columns.save(aside)
            _describe(aside, folder, len(self.numbers))

    @staticmethod
    def merge(batches: Sequence[Path], folder: Path) -> None:
        """Saves one segment of what those in `batches` have, whose numbers ascend."""
        with folder_aside(folder) as aside:
            merge_postings(batches, "text", aside)
            merge_postings(batches, "title", aside)
            PaperColumns.joined([PaperColumns.load(batch) for batch in batches]).save(aside)
            _describe(aside, folder, len(map_array(aside / "text.numbers.npy")))

    @classmethod
    def load(cls, folder: Path, proofs: Proofs = lambda _file: None) -> PaperSegment:
        """Opens a folder as `Postings.load`."""
        text, title = (Postings.load(folder, name, proofs) for name in ("text", "title"))
        return cls(text, title, PaperColumns.load(folder))


@dataclass(frozen=True, slots=True)
class ContextSegment:
    """Words of some citing sentences, in ascending order of their numbers."""

    text: Postings

    prefix: ClassVar[str] = "contexts"

    @classmethod
    def build(cls, contexts: Iterable[tuple[int, Context]]) -> ContextSegment:
        """`contexts` are in ascending order of their numbers."""
        text = PostingsBuilder()
        for number, context in contexts:
            text.add(number, stems(context.text))
        return cls(text.build())

    @property
    def numbers(self) -> NDArray[np.int32]:
        """[D] context numbers, ascending."""
        return self.text.numbers

    def save(self, folder: Path) -> None:
        with folder_aside(folder) as aside:
            self.text.save(aside, "text")
            _describe(aside, folder, len(self.numbers))

    @staticmethod
    def merge(batches: Sequence[Path], folder: Path) -> None:
        """Saves one segment as `PaperSegment.merge`."""
        with folder_aside(folder) as aside:
            merge_postings(batches, "text", aside)
            _describe(aside, folder, len(map_array(aside / "text.numbers.npy")))

    @classmethod
    def load(cls, folder: Path, proofs: Proofs = lambda _file: None) -> ContextSegment:
        """Opens a folder as `Postings.load`."""
        return cls(Postings.load(folder, "text", proofs))


def _describe(aside: Path, folder: Path, documents: int) -> None:
    """Writes the manifest of what will be the segment `folder`."""
    write_manifest(aside, {"name": folder.name, "documents": documents})


def alive_masks(
    segments: Sequence[NDArray[np.int32]], removed: Sequence[int]
) -> list[NDArray[np.bool_] | None]:
    """Says for each segment, by number, whether it has the latest version of the document. None if it has for
    all. `removed` are documents that have been deleted from all segments."""
    gone = np.array(sorted(removed), dtype=np.int32)
    masks: list[NDArray[np.bool_] | None] = []
    for position, numbers in enumerate(segments):
        later = [gone, *segments[position + 1 :]]
        dead = np.isin(numbers, np.concatenate(later))
        if not dead.any():
            masks.append(None)
            continue
        mask = np.ones(int(numbers[-1]) + 1, dtype=np.bool_)
        mask[numbers[dead]] = False
        masks.append(mask)
    return masks
