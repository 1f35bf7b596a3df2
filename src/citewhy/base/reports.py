"""Reports on a library, papers and sentences, as records that are documented in `docs/data.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from citewhy.base.records import Paper, Passage, Place, Resolution, TextSource

IndexState = Literal["current", "missing", "behind", "ahead", "damaged"]
"""Unless the state is ``current``, the next query repairs or updates the index. ``ahead``: it was made from
commits that the library no longer has."""

ToEncode = Literal["words-only", "titles", "full"]
"""What of a library is encoded: nothing; papers by title and the beginning of the abstract, and citing
sentences; or these and all parts of abstracts."""

TO_ENCODE: tuple[ToEncode, ...] = ("words-only", "titles", "full")


@dataclass(frozen=True, slots=True)
class PaperPassages:
    """The passages of a paper about the claim `text`; none if no sentence shares a word with it."""

    paper: Paper
    text: str
    source: TextSource
    passages: tuple[Passage, ...]
    credited: tuple[Paper, ...] = ()
    """The papers whose ids are in the passages' `credits`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The papers found for `text`: those that it names (`resolution`), then those that have its words in
    their titles, abstracts or authors' names, best first."""

    text: str
    resolution: Resolution
    """What the text names; if it was `corrected`, what that names."""
    papers: tuple[Paper, ...]
    fitting: int = 0
    """Number of papers that fit: those that the text names, or else those that have all of its words."""
    corrected: str = ""
    """The text that was looked for instead, because the library does not have all words of `text`."""
    alternatives: tuple[str, ...] = ()
    """Other texts that may have been meant, as near as `corrected`."""
    stands_in: bool = False
    """Whether the starter library was asked, because there is no other."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The classification of the sentence `text`: the predicted label (which need not be the most probable
    one), and the probability of every label."""

    text: str
    label: str
    probabilities: Mapping[str, float]
    place: Place | None = None
    """The place of the sentence, if it is from a draft."""


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """The contents of the library in the folder `library`. `contexts` and `citations` count all that are
    stored; the `waiting` ones refer to papers that are not in the library. `starter`: it is the built-in
    library, which is used until papers are added."""

    library: str
    starter: bool
    generation: int
    papers: int
    own_writings: int
    """Papers that the owner of the library wrote and added as drafts."""
    with_abstract: int
    with_full_text: int
    contexts: int
    contexts_waiting: int
    citations: int
    citations_waiting: int
    aliases: int
    first_year: int | None
    last_year: int | None
    index: IndexState
    bytes: int
    tuning: Mapping[str, Any] | None = None
    """Tells what `citewhy tune` fitted: ``weights`` by kind of evidence, whether a ``calibration``, and on
    what."""
    vectors: IndexState = "missing"
    """The vectors of the encoder; ``damaged`` also if a row of their cache is, which is then not used."""
    unencoded: int = 0
    """Number of papers and citing sentences that have no vector yet."""
    loss: str | None = None
    """The commits that the library has lost, in words; None if none are known."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """Papers by the language of their titles, by its code, the most frequent first."""
    encode: ToEncode = "full"
    """What is to be encoded, as was chosen."""


@dataclass(frozen=True, slots=True)
class EncodeReport:
    """The effect of encoding a shard of texts into a file (`session.vector_files`)."""

    file: str
    encoder: str
    """Name of the encoder."""
    shard: int
    """Number of the shard, from 1."""
    shards: int
    vectors: int
    """Number of vectors in the file."""
    encoded: int
    """Number of texts that were encoded now; the other vectors were there before, or in the library."""


@dataclass(frozen=True, slots=True)
class TakenReport:
    """The effect of taking vectors from files into a library (`session.vector_files`)."""

    library: str
    files: tuple[str, ...]
    known: int
    """Number of texts of the library that had vectors before."""
    taken: int
    """Number of texts whose vectors were taken."""
    missing: int
    """Number of texts whose vectors are in none of the files, nor in the library."""


@dataclass(frozen=True, slots=True)
class AdoptedReport:
    """The effect of making an encoder of published vectors (`session.adopting`)."""

    folder: str
    encoder: str
    """Name of the encoder."""
    rows: int
    """Number of vectors that were read."""
    found: int
    """Number of papers of the library that have one."""
    papers: int
    """Number of papers of the library."""
    refused: int
    """Number of papers whose vector has no length, or another number of dimensions than the first."""
    reads_texts: bool
    """Whether there is an encoder of other texts."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A record that was recognised as another paper of the library, and has become a part of it."""

    id: str
    title: str
    into: str
    """The id of the paper."""
    into_title: str
    certain: bool
    """Titles and authors are equal, and so are years or DOIs."""


@dataclass(frozen=True, slots=True)
class AddReport:
    """The effect of adding `files` to the library in the folder `library`. Counts are by kind of record:
    ``papers``, ``aliases``, ``contexts``, ``citations``, ``full texts``, ``identifiers``; a missing kind
    counts 0. For each kind, `read` = `new` + `updated` + `unchanged` + `refused`."""

    library: str
    generation: int
    changed: bool
    files: tuple[str, ...]
    files_not_recognised: tuple[str, ...]
    files_refused: tuple[str, ...]
    """For each file that could not be read, its path and the reason."""
    pdfs: tuple[str, ...]
    read: Mapping[str, int]
    new: Mapping[str, int]
    updated: Mapping[str, int]
    unchanged: Mapping[str, int]
    """Records that changed nothing, including repetitions within the import."""
    refused: Mapping[str, int]
    merged: int
    """Records that were recognised as papers already in the library under other ids."""
    papers_before: int
    papers_after: int
    """Papers in the library: `papers_before` + new papers - `merged`."""
    withdrawn: Mapping[str, int]
    """Contexts and citations of earlier versions of the added drafts that the new versions no longer have."""
    writings: tuple[str, ...]
    """A description of each draft: title, year and its origin, number of citing sentences."""
    missing: tuple[str, ...]
    """Identifiers in the added lists for which the library has no paper."""
    not_kept: Mapping[str, Mapping[str, int]]
    """Fields in the files that are not kept: name of the format → field → number of records with it."""
    skipped: int
    skips: tuple[str, ...]
    """The first skipped records, each with file, line and reason."""
    warned: int
    """Records that were kept without an invalid part."""
    warnings: tuple[str, ...]
    merges: tuple[Merge, ...] = ()
    """The `merged` records."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The effect of reading again what has changed of the files from which a library was read."""

    library: str
    dry_run: bool
    """Whether the library is as it was."""
    sources: int
    """Files and folders that the library remembers."""
    changed: tuple[str, ...]
    """Those that were read again, with new files in folders."""
    missing: tuple[str, ...]
    """Those that are not there any more; nothing of them is removed."""
    removed: Mapping[str, str]
    """Titles by id of the papers that were removed, since no source has them any more."""
    renamed: Mapping[str, str]
    """Ids that no source has any more, each with the id that the same paper has now."""
    added: AddReport | None
    """The effect of reading; None if nothing was read again."""


@dataclass(frozen=True, slots=True)
class EnrichPlan:
    """A plan lists what `citewhy enrich` is going to send to a service."""

    service: str
    address: str
    papers: int
    """In the library."""
    lacking: Mapping[str, int]
    """How many of them lack each field."""
    identifiers: int
    """DOIs and arXiv numbers that are sent."""
    titles: int
    """Titles that are sent, each with at most the first author's surname."""
    cannot_be_asked: int
    """Papers without a DOI, arXiv number or title that the service could be asked for."""
    requests: int
    seconds: float
    """The least time that the requests take."""
    email: str = ""
    """Sent with each request, if there is one."""


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """A report holds what a service answered. `counts` has the numbers of papers ``asked``, ``found``,
    ``unknown`` to it, and ``another paper`` (under the same identifier); of papers ``refused``, which are
    asked for again, and ``merged`` with others; of ``ids of others`` that were left out; of new values for
    ``abstract`` and ``doi``; of ``references``."""

    service: str
    library: str
    counts: Mapping[str, int]
    merges: tuple[Merge, ...] = ()
    """Papers that were recognised as others of the library."""
    papers_before: int = 0
    papers_after: int = 0
    """Papers in the library."""
