"""What the first command on a draft prints and writes: lines a place, and undefined keys.

    python benchmarks/first_hour.py --documents DIR [--manifest FILE] [--number N] [--places N]
        [--names NAME …]

The documents are those of held-out authors (`train.drafts.use_of`), or those that are named; each is answered
from its own bibliography. Of each, N citations (`--places`) are replaced by ``[CITE]``, and the lines are
counted that a terminal of 80 columns gets, by default and with ``-v``. Then, of N citations of one paper, the
key is written in another way (surname and year, surname and title, a wrong last letter): how many of them are
replaced by the right key and by a wrong one without a question, and how many with the paper taken out of the
bibliography, where none is right.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from citewhy.answers.edits import first_choices
from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.records import Manuscript, Marker, Paper
from citewhy.doors.present.draft_text import draft as draft_text
from citewhy.doors.present.lines import Look
from citewhy.drafts import read
from citewhy.session.session import Session
from citewhy.text.names import surname
from citewhy_lab.train.drafts import Draft, read_manifest, use_of
from common import parser as shared_parser
from written import citations


def changed(
    draft: Draft, manuscript: Manuscript, edits: Iterable[tuple[Marker, str, str]]
) -> dict[str, bytes]:
    """Returns the files of a draft, by name, where in each of the citations one text has become another."""
    folder = draft.root.parent
    by_file: dict[str, list[tuple[Marker, str, str]]] = {}
    for edit in edits:
        by_file.setdefault(edit[0].place.file, []).append(edit)
    files = {}
    for name in dict.fromkeys((*manuscript.files, *manuscript.bibliographies)):
        content = Path(name).read_bytes()
        if name in by_file:
            text = content.decode("utf-8", "surrogateescape")
            for marker, old, new in sorted(by_file[name], key=lambda edit: -edit[0].place.start):
                place = marker.place
                cited = text[place.start : place.end]
                text = text[: place.start] + (cited.replace(old, new) if old else new) + text[place.end :]
            content = text.encode("utf-8", "surrogateescape")
        files[os.path.relpath(name, folder)] = content
    return files


def other_spellings(key: str, paper: Paper) -> Iterator[str]:
    """Yields keys that may be written for a paper whose entry has another."""
    first = re.sub(r"\W", "", surname(paper.authors[0]))
    word = next((word for word in re.findall(r"\w+", paper.title.lower()) if len(word) > 3), "x")
    yield from (f"{first}{paper.year}", f"{first.title()}:{str(paper.year)[-2:]}", f"{first}_{word}")
    yield f"{key[:-1]}{'z' if key[-1] != 'z' else 'y'}"


def lines(session: Session, files: Mapping[str, bytes], root: str) -> tuple[int, int, int]:
    """Counts places, lines by default, and lines with all reasons."""
    answer = session.open_draft(files, root=root).advise()
    short, full = (draft_text(answer.manuscript, answer, look=Look(verbose=wish)) for wish in (False, True))
    return len(answer), len(short.splitlines()), len(full.splitlines())


def written(
    session: Session, files: Mapping[str, bytes], root: str, meant: Mapping[str, str]
) -> tuple[int, int]:
    """Counts the undefined keys that are replaced by what is `meant`, and those replaced by another key."""
    opened = session.open_draft(files, root=root)
    answer = opened.advise()
    choices = first_choices(answer, answer.manuscript, files=opened.files)
    chosen = [paper for _, papers in choices.chosen for paper in papers if paper.for_key in meant]
    pairs = {(paper.for_key, paper.key) for paper in chosen}
    right = sum(meant[old].lower() == new.lower() for old, new in pairs)  # BibTeX ignores case
    return right, len(pairs) - right


def without(files: Mapping[str, bytes], keys: Iterable[str]) -> dict[str, bytes]:
    """Returns the files where the entries of `keys` are no entries any more."""
    names = "|".join(map(re.escape, keys))
    entry = re.compile(rf"@\w+(\s*\{{\s*(?:{names})\s*,)".encode(), re.IGNORECASE)
    return {
        name: entry.sub(rb"@comment\1", content) if name.endswith(".bib") else content
        for name, content in files.items()
    }


def main() -> None:
    """Prints a line for each document, and the sums."""
    options = shared_parser(__doc__, "documents!", "manifest")
    options.add_argument("--places", type=int, default=20, help="citations of a document")
    options.add_argument("--number", type=int, default=1000, help="documents")
    options.add_argument("--names", nargs="*", default=[], help="documents by name")
    given = options.parse_args()
    drafts = [
        draft
        for draft in read_manifest(given.manifest, given.documents)
        if (draft.name in given.names if given.names else use_of(draft.author) == "measuring")
    ][: given.number]
    sums = [0] * 8
    for draft in drafts:
        manuscript = read(draft.root, follow_outside=draft.follow_outside)
        papers = {reference.key: reference.paper for reference in manuscript.references}
        rng = random.Random(draft.name)
        places = citations(manuscript, papers)
        hidden = rng.sample(places, min(given.places, len(places)))
        single = [
            marker
            for marker in places
            if len(marker.keys) == 1 and papers[marker.keys[0]].authors and papers[marker.keys[0]].year
        ]
        meant: dict[str, str] = {}
        edits = []
        for number, marker in enumerate(rng.sample(single, min(given.places, len(single)))):
            spellings = list(other_spellings(marker.keys[0], papers[marker.keys[0]]))
            new = spellings[number % len(spellings)]
            if new not in papers and new not in meant:
                meant[new] = marker.keys[0]
                edits.append((marker, marker.keys[0], new))
        with tempfile.TemporaryDirectory() as folder:
            os.environ[CACHE_VARIABLE] = str(Path(folder) / "cache")
            os.environ[LIBRARY_VARIABLE] = str(Path(folder) / "none")
            with Session() as session:
                root = draft.root.name
                told = lines(
                    session, changed(draft, manuscript, [(each, "", "[CITE]") for each in hidden]), root
                )
                files = changed(draft, manuscript, edits)
                keys = written(session, files, root, meant)
                gone = written(session, without(files, meant.values()), root, meant)
        row = [*told, len(meant), *keys, *gone]
        sums = [total + value for total, value in zip(sums, row, strict=True)]
        print(f"{draft.name[:32]:32} {' '.join(map(str, row))}", flush=True)
    count, short, full, undefined, right, wrong, gone_right, gone_wrong = sums
    print(f"{count} places: {short / count:.1f} lines each, {full / count:.1f} with -v")
    outcome = f"{right} replaced rightly, {wrong} wrongly"
    print(f"{undefined} undefined keys: {outcome}; without their entries {gone_right + gone_wrong}")


if __name__ == "__main__":
    main()
