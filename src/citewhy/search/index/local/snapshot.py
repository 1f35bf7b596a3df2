"""The index of a library on disk: which segments make it up, and how it follows the library.

    index/
      current.json          generation of the library, the segments in their order, the tables
      papers-…/             segments, each a finished folder with checksums
      contexts-…/
      tables-…/

`current.json` is replaced last and in one step. The library is the truth: an index that is missing, behind or
damaged is made again from it.
"""

from __future__ import annotations

import zlib
from collections.abc import Container
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.artifact import clear, read_file, read_manifest, replace_file
from citewhy.base.errors import DamagedError
from citewhy.search.index.bm25 import Field
from citewhy.search.index.opened import Index
from citewhy.search.index.postings import Postings
from citewhy.search.index.proved import Damage, proofs
from citewhy.search.index.segments import ContextSegment, PaperSegment, alive_masks
from citewhy.search.index.tables import Tables

_LAYOUT = 11
CURRENT = "current.json"

_LATER = Postings.largest("text") | Postings.largest("title")


@dataclass(frozen=True, slots=True)
class Loss:
    """Commits that an index has seen and that the library no longer has (`loss`)."""

    generation: int
    """The last generation of the library that the index had followed."""
    found: int
    """The generation of the library when the loss was found."""
    papers: int
    """Number of papers that the index had and the library did not have."""
    ids: tuple[str, ...]
    """The first of them."""


@dataclass(frozen=True, slots=True)
class State:
    """The content of `current.json`."""

    generation: int = 0
    """The library's generation that the index follows; 0 for an empty one."""
    mark: int | None = None
    """The library's mark of that generation (`Library.mark_of`)."""
    papers: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    removed_papers: tuple[int, ...] = ()
    removed_contexts: tuple[int, ...] = ()
    tables: str = ""
    loss: Loss | None = None
    """Tells what the library had lost when the index was made; reported until the next commit."""

    def folders(self) -> list[str]:
        return [*self.papers, *self.contexts, self.tables]


def read_state(root: Path) -> State:
    """Raises DamagedError if it is missing or damaged."""
    path = root / CURRENT
    try:
        document = orjson.loads(read_file(path))
        body = document["index"]
        proved = document["crc32"] == zlib.crc32(orjson.dumps(body)) and isinstance(body, dict)
        if document["layout"] != _LAYOUT or not proved:
            raise DamagedError("the index is of another layout, or damaged", path=path)
        facts: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in body.items()
        }
        if facts.get("loss") is not None:
            loss = facts["loss"]
            facts["loss"] = Loss(**{**loss, "ids": tuple(loss["ids"])})
        return State(**facts)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedError(f"no index is there ({type(error).__name__})", path=path) from error


def write_state(root: Path, state: State) -> None:
    body: dict[str, Any] = {name: value for name, value in asdict(state).items() if value is not None}
    document = {"layout": _LAYOUT, "crc32": zlib.crc32(orjson.dumps(body)), "index": body}
    if (root / CURRENT).is_dir():  # or a link to one, which a rename would not replace
        clear(root / CURRENT)
    replace_file(root / CURRENT, orjson.dumps(document, option=orjson.OPT_INDENT_2))


def trusted_state(root: Path) -> State:
    """The state on disk if all its files are intact, otherwise that of an empty index."""
    try:
        state = read_state(root)
        prove(root, state)
    except DamagedError:
        return State()
    return state


def load(root: Path, state: State) -> Index:
    """Raises DamagedError if a file is missing, damaged, or cannot be loaded; but of large files of words,
    blocks are only verified when they are read (`index.proved`)."""
    damage = Damage()
    manifests = prove(root, state, later=_LATER)
    try:
        papers = [
            PaperSegment.load(root / name, proofs(root / name, manifests[name], damage))
            for name in state.papers
        ]
        contexts = [
            ContextSegment.load(root / name, proofs(root / name, manifests[name], damage))
            for name in state.contexts
        ]
        tables = Tables.load(root / state.tables)
    except (OSError, ValueError, EOFError) as error:
        # Another process replaced it after the check, or it was written wrongly and then sealed.
        raise DamagedError(f"the index cannot be loaded: {error}", path=root) from error
    living = alive_masks([segment.numbers for segment in papers], state.removed_papers)
    return Index(
        generation=state.generation,
        text=Field([segment.text for segment in papers], living, tables.rows),
        title=Field([segment.title for segment in papers], living, tables.rows),
        contexts=Field(
            [segment.text for segment in contexts],
            alive_masks([segment.numbers for segment in contexts], state.removed_contexts),
            len(tables.context_years),
        ),
        tables=tables,
        damage=damage,
    )


def prove(root: Path, state: State, later: Container[str] = ()) -> dict[str, dict[str, Any]]:
    """The manifests of all folders, by name. Raises DamagedError unless every folder is intact, but for large
    files in `later`, and has its own name."""
    manifests = {name: read_manifest(root / name, later=later) for name in state.folders()}
    for name, manifest in manifests.items():
        if manifest.get("name") != name:
            raise DamagedError("a folder has another one's name", path=root / name)
    return manifests
