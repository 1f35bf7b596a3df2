"""How well citation keys find their papers: the keys of real drafts, with their definitions hidden.

    python benchmarks/keys.py [--data DIR] [--drafts DIR] [--library DIR] [--documents DIR] [--errors]

Every key that a draft's bibliography defines is looked up as if it were undefined (`resolve.Resolver`); so
are, in rows of their own, those that its text cites. The right answer is the paper of its entry, if the
library has it, by `questions.identify` or by nearly the same title and the same first author. The library is
made of the papers of the data folder, unless one is named that was made of the same files.

- *answered*: the key names exactly one paper with certainty, so that `--write` may write it. Precision counts
  all answered keys, also those whose papers are not in the library.
- *one paper*: only this paper fits, but by no more than surname and year.
- *shown*: the right paper is the answer, or among those that fit equally; a share of the keys whose papers
  are in the library.

The rules were tuned on drafts until 2016; keys that these define, too, do not count for the later drafts. A
key counts once in a row, in its first draft. Wilson's 95 % intervals. With
`--documents`, documents of other fields follow, each with a library of its own bibliography under other ids:
the whole of it, and without one entry in two.
"""

from __future__ import annotations

import difflib
import re
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from citewhy.answers.questions import identify
from citewhy.answers.resolve import Resolver
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Manuscript, Paper, Resolution
from citewhy.drafts import read
from citewhy.papers.formats import read as read_records
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.text.names import surname, title_key
from citewhy_lab.train.drafts import read_manifest, use_of
from common import parser as shared_parser
from common import wilson
from documents import cited_keys

FILES = ("papers.jsonl.gz", "paper_aliases.tsv.gz")
TUNED_UNTIL = 2016
"""Year of the last draft on which the rules were tuned; the names of the drafts begin with their year."""

ALIKE = 0.85
"""Minimum similarity of the titles of an entry and of a paper by the same first author that are the same."""


@dataclass
class Outcome:
    """What became of the keys of one set of drafts."""

    keys: int = 0
    in_library: int = 0
    answered: int = 0
    right: int = 0
    one: int = 0
    one_right: int = 0
    shown: int = 0
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def count(self, key: str, entry: Paper, right: frozenset[str], found: Resolution) -> None:
        hit = not right.isdisjoint(found.paper_ids)
        self.keys += 1
        self.in_library += bool(right)
        self.shown += hit
        if found.certain:
            self.answered += 1
            self.right += hit
        elif len(found.paper_ids) == 1:
            self.one += 1
            self.one_right += hit
        if (found.certain and not hit) or (right and not hit):
            answer = ", ".join(found.paper_ids[:3]) or "nothing"
            self.errors.append(f"{key}: {entry.title[:60]} ({entry.year}); found {answer}")

    def row(self, name: str) -> str:
        median = sorted(self.seconds)[len(self.seconds) // 2] if self.seconds else 0.0
        cells = [
            name,
            *map(str, (self.keys, self.in_library, self.answered)),
            _share(self.right, self.answered),
            _share(self.right, self.in_library),
            f"{self.one} ({self.one_right / max(self.one, 1):.3f})",
            _share(self.shown, self.in_library),
            f"{1000 * median:.1f}",
        ]
        return f"| {' | '.join(cells)} |"


HEAD = (
    "| keys of | keys | in library | answered | precision | recall | one paper (right) | shown | ms |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def _share(part: int, whole: int) -> str:
    """Writes a share with its interval."""
    low, high = wilson(part, whole)
    return f"{part / whole if whole else 0.0:.3f} ({low:.3f} to {high:.3f})"


@dataclass(frozen=True, slots=True)
class Asked:
    """A key of a draft."""

    entry: Paper
    """What its bibliography says of it."""
    paper_id: str | None
    """The paper of the library that is certainly the same."""


def measure(library: Library, keys: Mapping[str, Asked]) -> Outcome:
    resolver = Resolver(library, open_index(library))
    outcome = Outcome()
    titles: dict[str, list[str]] = {}
    authors: dict[str, list[Paper]] = {}
    for _, paper in library.numbered_papers():
        titles.setdefault(title_key(paper.title), []).append(paper.id)
        if paper.authors:
            authors.setdefault(surname(paper.authors[0]), []).append(paper)
    for key, asked in keys.items():
        start = time.perf_counter()
        found = resolver.resolve(key)
        outcome.seconds.append(time.perf_counter() - start)
        entry = asked.entry
        right = {asked.paper_id} if asked.paper_id else set()
        right.update(titles.get(title_key(entry.title), ()))
        first = surname(entry.authors[0]) if entry.authors else ""
        right.update(paper.id for paper in authors.get(first, ()) if _same(paper, entry))
        outcome.count(key, entry, frozenset(right), found)
    return outcome


def _same(paper: Paper, entry: Paper) -> bool:
    """Whether a paper by the first author of an entry has nearly its title."""
    likeness = difflib.SequenceMatcher(None, title_key(paper.title), title_key(entry.title))
    return likeness.quick_ratio() >= ALIKE and likeness.ratio() >= ALIKE


@contextmanager
def shared_library(given: Path | None, data: Path) -> Iterator[Library]:
    if given is not None:
        with Library.open(given) as library:
            yield library
        return
    with tempfile.TemporaryDirectory() as folder, Library.open(folder, create=True) as library:
        report = ImportReport()
        library.add_all([(name, read_records(data / name, report)) for name in FILES], report)
        yield library


def entries(library: Library, drafts: Iterable[Manuscript]) -> tuple[dict[str, Asked], dict[str, Asked]]:
    """Returns all keys, and those that a text cites."""
    every: dict[str, Asked] = {}
    cited: dict[str, Asked] = {}
    for manuscript in drafts:
        ids = identify(library, manuscript)
        in_text = set(cited_keys(manuscript))
        for reference in manuscript.references:
            key = reference.key
            asked = Asked(reference.paper, ids.get(key))
            every.setdefault(key, asked)
            if key in in_text:
                cited.setdefault(key, asked)
    return every, cited


def drafts_table(library: Library, drafts: Sequence[Path]) -> Iterator[tuple[str, Outcome]]:
    def of(paths: Iterable[Path]) -> tuple[dict[str, Asked], dict[str, Asked]]:
        return entries(library, map(read, paths))

    def unseen(keys: Mapping[str, Asked]) -> dict[str, Asked]:
        return {key: each for key, each in keys.items() if key not in tuned}

    tuned, tuned_cited = of(path for path in drafts if int(path.name[:4]) <= TUNED_UNTIL)
    later, later_cited = of(path for path in drafts if int(path.name[:4]) > TUNED_UNTIL)
    name = f"drafts until {TUNED_UNTIL} (tuned on)"
    yield f"{name}, all keys", measure(library, tuned)
    yield f"{name}, cited keys", measure(library, tuned_cited)
    yield "later drafts, all keys", measure(library, unseen(later))
    yield "later drafts, cited keys", measure(library, unseen(later_cited))


def own_library(folder: Path, papers: Sequence[Paper]) -> Library:
    """Returns a library of these papers under ids that say nothing."""
    library = Library.open(folder, create=True)
    library.add([replace(paper, id=f"paper {number}") for number, paper in enumerate(papers)])
    return library


def documents_table(documents: Path, manifest: Path) -> Iterator[tuple[str, Outcome]]:
    for held_out in (False, True):
        whole, half = Outcome(), Outcome()
        for draft in read_manifest(manifest, documents):
            if (use_of(draft.author) == "measuring") != held_out:
                continue
            manuscript = read(draft.root)
            in_text = set(cited_keys(manuscript))
            papers = {
                reference.key: reference.paper
                for reference in manuscript.references
                if reference.paper.title and reference.key in in_text
            }
            kept = {key: paper for key, paper in papers.items() if zlib.crc32(paper.title.encode()) % 2}
            for outcome, some in ((whole, papers), (half, kept)):
                if not some:
                    continue
                with (
                    tempfile.TemporaryDirectory() as folder,
                    own_library(Path(folder), list(some.values())) as library,
                ):
                    keys = {key: Asked(paper, library.find(paper)) for key, paper in papers.items()}
                    _add(outcome, measure(library, keys))
        name = f"{'held-out' if held_out else 'other'} documents, cited keys"
        yield f"{name}, own bibliography", whole
        yield f"{name}, half of it", half


def _add(outcome: Outcome, other: Outcome) -> None:
    for name in Outcome.__dataclass_fields__:
        setattr(outcome, name, getattr(outcome, name) + getattr(other, name))


def main() -> None:
    parser = shared_parser(__doc__, "data", "drafts", "documents", "library", "errors")
    given = parser.parse_args()
    print(HEAD)
    found: list[tuple[str, Outcome]] = []
    with shared_library(given.library, given.data) as library:
        paths = [path for path in sorted(given.drafts.glob("*.tex")) if re.match(r"\d{4}", path.name)]
        for name, outcome in drafts_table(library, paths):
            print(outcome.row(name), flush=True)
            found.append((name, outcome))
    if given.documents is not None:
        manifest = given.data / "external" / "documents.manifest.jsonl"
        for name, outcome in documents_table(given.documents, manifest):
            print(outcome.row(name), flush=True)
            found.append((name, outcome))
    if given.errors:
        for name, outcome in found:
            print("", name, *outcome.errors, sep="\n")


if __name__ == "__main__":
    main()
