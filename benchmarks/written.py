"""Whether what `citewhy suggest --write` puts into a bibliography is what its author had there.

    python benchmarks/written.py --documents DIR [--manifest FILE] [--drafts DIR] [--number N] [--places N]

Each document is copied, and a library is made of its own .bib files. N of its citations are emptied, N others
keep their keys, and the entries of all are taken out of the .bib files. The edit has to put all back,
as its author had it, byte for byte and under its key, and to leave all else in the .bib files. Papers
are ranked by words, without probabilities, so that every citation is filled.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from click.testing import CliRunner

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript, Marker
from citewhy.doors.cli import cli
from citewhy.drafts import read
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK, text_to_edit
from citewhy.papers.formats.bibtex import Entry, read_entries
from citewhy.session.session import Session
from citewhy_lab.train.drafts import read_manifest
from common import parser as shared_parser
from round_trip import complete

OF_OTHERS = "macros or inherited fields are written out"


_NO_TEXT = (".pdf", ".png", ".jpg", ".eps", ".csv", ".ipynb", ".gz", ".zip")

Found = list[tuple[str, Entry, Mapping[str, str]]]
"""Entries with their texts, and with their fields, among them those that they inherit."""


def entries_of(names: Iterable[str]) -> dict[str, dict[str, Found]]:
    """The entries of .bib files by file and key."""
    texts, entries = {}, {}
    macros: dict[str, str] = {}
    for name in names:
        with contextlib.suppress(CiteWhyError):
            texts[name] = text_to_edit(DISK, name)
            entries[name] = read_entries(texts[name], name, [], macros)
    by_key = {entry.key.lower(): entry.fields for file in entries.values() for entry in file}
    found: dict[str, dict[str, Found]] = {}
    for name, file in entries.items():
        for entry in file:
            one = texts[name][entry.start : entry.end], entry, complete(entry, by_key)
            found.setdefault(name, {}).setdefault(entry.key, []).append(one)
    return found


def citations(manuscript: Manuscript, keys: Iterable[str]) -> list[Marker]:
    """The citations that an edit can empty, of which all keys are among `keys`."""
    known = set(keys)
    return [
        marker
        for marker in manuscript.markers
        if marker.slot and marker.keys and not marker.open and known.issuperset(marker.keys)
    ]


def without_entries(manuscript: Manuscript, places: int, rng: random.Random) -> set[str]:
    """Empties `places` citations of a draft, and removes their entries and those of as many others from its
    bibliographies. Returns the keys."""
    own = entries_of(name for name in manuscript.bibliographies if name.endswith(".bib"))
    found = citations(manuscript, (key for entries in own.values() for key in entries))
    chosen = rng.sample(found, min(2 * places, len(found)))
    latex = manuscript.format == "latex"
    edits = []
    for marker in chosen[: len(chosen) // 2]:
        place = marker.slot if latex and marker.slot else marker.place
        edits.append(Edit(place.file, place.start, place.end, "" if latex else "[CITE]"))
    removed = {key for marker in chosen for key in marker.keys}
    for name, entries in own.items():
        gone = [entry for key in removed & entries.keys() for _, entry, _ in entries[key]]
        edits += [Edit(name, entry.start, entry.end, "") for entry in gone]
    Patch(edits, manuscript.path).apply()
    return removed


def differences(root: Path, places: int, rng: random.Random, library: Path) -> Iterator[str]:
    """Yields for each entry that is written what is different in it; nothing where it is the author's own."""
    manuscript = read(root, follow_outside=True)
    names = [name for name in manuscript.bibliographies if Path(name).is_file()]
    own: dict[str, Found] = {}
    for entries in entries_of(names).values():
        for key, one in entries.items():
            own.setdefault(key, []).extend(one)
    with Session(library, create=True) as session:
        session.add(names, vectors=False)
    without_entries(manuscript, places, rng)
    before = {name: (Path(name).read_bytes(), entries_of([name]).get(name, {})) for name in names}
    command = ["suggest", str(root), "--library", str(library), "--pipeline", "bm25", "--write", "--yes"]
    result = CliRunner().invoke(cli, [*command, "--quiet", "--follow-outside", "--outside"])
    if result.exit_code:
        yield f"the edit was refused: {result.stderr.strip().splitlines()[-1]}"
    for name, (content, there) in before.items():
        if not Path(name).read_bytes().startswith(content.rstrip()):
            yield f"{name} was changed"
        here = entries_of([name]).get(name, {})
        for key in here.keys() - there.keys():
            yield from (difference(text, entry, own.get(key, [])) for text, entry, _ in here[key])


def difference(text: str, entry: Entry, own: Found) -> str:
    """What is different between a written entry and those that the author has under its key."""
    if not own:
        return f"not the author's key: {text}"
    if any(text == other for other, _, _ in own):
        return ""
    if any((entry.kind, entry.fields) == (one.kind, fields) for _, one, fields in own):
        return OF_OTHERS
    return f"the author's:\n{own[0][0]}\nwritten:\n{text}"


def copied(folder: Path, copy: Path) -> None:
    """Copies a document without its figures and data."""
    for path in folder.rglob("*"):
        large = not path.is_file() or path.stat().st_size > 20_000_000 or path.suffix.lower() in _NO_TEXT
        if not large and ".git" not in path.parts:
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def main() -> None:
    parser = shared_parser(__doc__, "documents", "manifest", "drafts")
    parser.add_argument("--number", type=int, default=30, metavar="N", help="of documents (default: 30)")
    parser.add_argument("--places", type=int, default=5, metavar="N", help="of each document (default: 5)")
    given = parser.parse_args()
    roots = [(given.drafts, path) for path in sorted(given.drafts.glob("*.tex"))]
    if given.documents is not None:
        documents = read_manifest(given.manifest, given.documents)[: given.number]
        roots += [(given.documents / draft.name, draft.root) for draft in documents]
    rng, counts = random.Random(DEFAULT_SEED), Counter[str]()
    for folder, root in roots:
        with tempfile.TemporaryDirectory() as temporary:
            os.environ["XDG_CACHE_HOME"] = temporary
            copy = Path(temporary, "project", "document")
            copied(folder, copy)
            library = Path(temporary, "library")
            for what in differences(copy / root.relative_to(folder), given.places, rng, library):
                counts[what if what in ("", OF_OTHERS) else "different"] += 1
                if what and what != OF_OTHERS:
                    print(f"{folder.name}: {what}\n", flush=True)
    written = counts.total()
    print(f"{len(roots)} documents: {written} entries written, {counts['']} of them the author's own")
    print(f"{counts[OF_OTHERS]} of which {OF_OTHERS}, ", end="")
    print(f"{counts['different']} different")


if __name__ == "__main__":
    main()
