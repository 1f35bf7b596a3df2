"""Citations that are removed and marked in twelve ways: what is seen, answered and written.

    python benchmarks/marked_places.py --documents DIR [--manifest FILE] [--number N] [--places N]
        [--seconds S]

The documents are the LaTeX documents of held-out authors (`train.drafts.use_of`), each answered from its
own bibliography. Of each, N citations of one paper (`--places`) become marks, the ways in turn; nothing
is written to the documents. For each way: marks that are seen as an open citation, that get a suggestion,
whose first suggestion and one of whose first five is the paper that was cited, and that `--write --yes`
would fill with this paper and with another. Then the lines that a place takes by default, and the widest,
on a terminal of 80 columns. No document is begun after S seconds.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

os.environ["COLUMNS"] = "80"

from citewhy.answers.edits import first_choices
from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.records import Marker, Paper
from citewhy.doors.present.draft_text import draft as draft_text
from citewhy.doors.present.lines import Look
from citewhy.drafts import read
from citewhy.session.session import Session
from citewhy.text.names import surname
from citewhy_lab.train.drafts import Draft, read_manifest, use_of
from common import parser as shared_parser
from first_hour import changed
from written import citations

WAYS: Mapping[str, Callable[[Paper], str]] = {
    r"\cite{}": lambda _: r"\cite{}",
    r"\cite{?}": lambda _: r"\cite{?}",
    "[?]": lambda _: "[?]",
    "(ref)": lambda _: "(ref)",
    "(?)": lambda _: "(?)",
    "[Smith 2020?]": lambda paper: f"[{_first_author(paper)} {paper.year}?]",
    r"\todo{cite Smith}": lambda paper: rf"\todo{{cite {_first_author(paper)}}}",
    r"\hl{(ref)}": lambda _: r"\hl{(ref)}",
    "% cite Smith": lambda paper: f"% cite {_first_author(paper)}\n",
    "[smith 2020?]": lambda paper: f"[{_first_author(paper).lower()} {paper.year}?]",
    r"\footnote{See \cite{}.}": lambda _: r"\footnote{See \cite{}.}",
    r"\cite{smith2020x}": lambda paper: rf"\cite{{{_other_key(paper)}}}",
}
MEASURES = ("marked", "seen", "answered", "first", "in five", "right", "wrong")


def _first_author(paper: Paper) -> str:
    return surname(paper.authors[0]).title()


def _other_key(paper: Paper) -> str:
    """A key that no bibliography has: surname, year, and a letter that tells several of one year apart."""
    return re.sub(r"\W", "", surname(paper.authors[0])).lower() + f"{paper.year}x"


def marks_of(draft: Draft, count: int) -> tuple[dict[str, bytes], dict[tuple[str, int], tuple[str, str]]]:
    """Returns the files of a draft with marks in place of citations; and by file and number of the character
    where a mark begins, the way and the key that was there."""
    manuscript = read(draft.root, follow_outside=draft.follow_outside)
    papers = {reference.key: reference.paper for reference in manuscript.references}
    single = [
        marker
        for marker in citations(manuscript, papers)
        if len(marker.keys) == 1 and papers[marker.keys[0]].authors and papers[marker.keys[0]].year
    ]
    rng = random.Random(draft.name)
    ways = list(WAYS)
    edits: list[tuple[Marker, str, str]] = []
    expected: dict[tuple[str, int], tuple[str, str]] = {}
    shift: Counter[str] = Counter()
    chosen = rng.sample(single, min(count, len(single)))
    turn = {marker.place: ways[number % len(ways)] for number, marker in enumerate(chosen)}
    for marker in sorted(chosen, key=lambda marker: marker.place.start):
        place, way = marker.place, turn[marker.place]
        new = WAYS[way](papers[marker.keys[0]])
        name = os.path.relpath(place.file, draft.root.parent)
        edits.append((marker, "", new))
        inside = max(new.find(r"\cite{}"), 0)
        expected[name, place.start + shift[name] + inside] = (way, marker.keys[0])
        shift[name] += len(new) - (place.end - place.start)
    return changed(draft, manuscript, edits), expected


def measure(session: Session, draft: Draft, count: int, sums: dict[str, Counter[str]]) -> Sequence[int]:
    """Adds the figures of a draft; returns its places, their lines, the widest line, and its
    notes that may be citations."""
    files, expected = marks_of(draft, count)
    opened = session.open_draft(files, root=draft.root.name)
    answer = opened.advise()
    key_at = {}
    for way, _ in expected.values():
        sums[way]["marked"] += 1
    for one in answer:
        at = os.path.normpath(one.unit.place.file), one.unit.place.start
        if at not in expected:
            continue
        way, key = expected[at]
        key_at[at] = key.lower()
        keys = [(suggestion.key or "").lower() for suggestion in one.suggestions[:5]]
        sums[way]["seen"] += 1
        sums[way]["answered"] += bool(keys)
        sums[way]["first"] += keys[:1] == [key.lower()]
        sums[way]["in five"] += key.lower() in keys
    for marker, papers in first_choices(answer, answer.manuscript, files=opened.files).chosen:
        at = os.path.normpath(marker.place.file), marker.place.start
        if at in key_at and papers:
            is_right = [(paper.key or "").lower() for paper in papers] == [key_at[at]]
            sums[expected[at][0]]["right" if is_right else "wrong"] += 1
    shown = draft_text(answer.manuscript, answer, look=Look()).splitlines()
    return len(answer), len(shown), max(map(len, shown), default=0), len(answer.manuscript.notes)


def main() -> None:
    """Prints a line for each way, and what a terminal gets."""
    options = shared_parser(__doc__, "documents!", "manifest")
    options.add_argument("--places", type=int, default=24, help="citations of a document")
    options.add_argument("--number", type=int, default=10, help="documents")
    options.add_argument("--seconds", type=float, default=1e9, help="time after which no document is begun")
    given = options.parse_args()
    begun = time.monotonic()
    drafts = [
        draft
        for draft in read_manifest(given.manifest, given.documents)
        if use_of(draft.author) == "measuring" and draft.root.suffix == ".tex"
    ][: given.number]
    sums: dict[str, Counter[str]] = {way: Counter() for way in WAYS}
    shown = []
    for draft in drafts:
        if time.monotonic() - begun > given.seconds:
            break
        with tempfile.TemporaryDirectory() as folder:
            os.environ[CACHE_VARIABLE] = str(Path(folder) / "cache")
            os.environ[LIBRARY_VARIABLE] = str(Path(folder) / "none")
            with Session() as session:
                shown.append(measure(session, draft, given.places, sums))
    print(f"{'way':24}" + "".join(f"{name:>9}" for name in MEASURES))
    for way, figures in [*sums.items(), ("all", sum(sums.values(), Counter()))]:
        print(f"{way:24}" + "".join(f"{figures[name]:9}" for name in MEASURES))
    places, lines, widest, notes = (list(column) for column in zip(*shown, strict=True))
    print(f"{len(shown)} documents, {sum(places)} places: {sum(lines) / sum(places):.1f} lines each")
    print(f"widest line {max(widest)}; {sum(notes)} notes counted that may be citations")


if __name__ == "__main__":
    main()
