"""What the author has decided for the places of a draft: papers that were chosen and are not written yet,
papers that were rejected, and places that need nothing more.

They lie beside the draft's edits, in ``.citewhy/decisions/NAME.json``, with the user's seal: decisions that
came with somebody else's project are not taken for the author's own.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from citewhy.base import own_folder
from citewhy.base.artifact import name_aside
from citewhy.base.errors import DamagedError, StorageError

_FOLDER = "decisions"

MOST_PLACES = 5_000
"""Places of a draft with a decision; the oldest are forgotten first."""


Where = tuple[str, str]
"""The file and the sentence of a place."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided for one place. Papers are named by their ids."""

    chosen: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    settled: bool = False
    """Whether the place needs no paper, such as one that is cited already."""
    file: str = field(default="", compare=False)
    """The file of the place, as `place_id` takes it; empty if it is not known."""
    sentence: str = field(default="", compare=False)
    """Its sentence, by which it is found again when that has been edited; empty if it is not known."""

    def __bool__(self) -> bool:
        return bool(self.chosen or self.rejected or self.settled)


class Decisions:
    """The decisions for one draft, by the ids of its places, which last while other text changes."""

    def __init__(self, root: Path | None) -> None:
        """Reads those for the draft on disk with this root file; None: of a draft in memory, which has none
        yet and keeps them no longer than the process."""
        self._root = None if root is None else root.resolve()
        self._made: dict[str, Decision] = {} if self._root is None else _read(self._root)

    def __getitem__(self, place: str) -> Decision:
        return self._made.get(place, Decision())

    @property
    def made(self) -> Mapping[str, Decision]:
        """All decisions, the oldest first."""
        return dict(self._made)

    def change(self, changes: Mapping[str, Decision]) -> None:
        """Replaces the decisions for some places. Raises StorageError if they cannot be kept, and
        EditConflictError while another process changes the draft; then none is replaced."""
        made = {place: one for place, one in self._made.items() if place not in changes}
        made |= {place: one for place, one in changes.items() if one}
        for oldest in list(made)[: max(0, len(made) - MOST_PLACES)]:
            del made[oldest]
        if made == self._made:
            return
        if self._root is not None:
            _write(self._root, made)
        self._made = made

    def choose(self, place: str, papers: tuple[str, ...], where: Where, *, settled: bool = False) -> None:
        """Sets what is chosen for a place, which is `where`."""
        self.change({place: replace(self._at(place, where), chosen=papers, settled=settled)})

    def reject(self, place: str, paper: str, where: Where) -> None:
        """A paper is not wanted for a place, neither now nor later."""
        here = self._at(place, where)
        rejected = tuple(dict.fromkeys((*here.rejected, paper)))
        chosen = tuple(one for one in here.chosen if one != paper)
        self.change({place: replace(here, rejected=rejected, chosen=chosen)})

    def restore(self, place: str, paper: str, where: Where) -> None:
        """Takes a rejection back."""
        here = self._at(place, where)
        self.change({place: replace(here, rejected=tuple(one for one in here.rejected if one != paper))})

    def _at(self, place: str, where: Where) -> Decision:
        return replace(self[place], file=where[0], sentence=where[1])


def _file(root: Path) -> Path:
    return root.parent / own_folder.FOLDER / _FOLDER / f"{root.name}.json"


def _read(root: Path) -> dict[str, Decision]:
    """What is kept for a draft; what is damaged, or somebody else's, is nothing."""
    with contextlib.suppress(DamagedError, StorageError, TypeError, ValueError, AttributeError):
        path = _file(root)
        if path.parent.is_symlink() or path.parent.parent.is_symlink():
            return {}
        facts = own_folder.read_sealed(path)
        return {str(place): _decision(one) for place, one in facts["places"].items()}
    return {}


def _decision(facts: Mapping[str, Any]) -> Decision:
    return Decision(
        tuple(map(str, facts["chosen"])),
        tuple(map(str, facts["rejected"])),
        bool(facts["settled"]),
        *(str(facts.get(name, "")) for name in ("file", "sentence")),
    )


def _write(root: Path, made: Mapping[str, Decision]) -> None:
    places = {
        place: {
            "chosen": list(one.chosen),
            "rejected": list(one.rejected),
            "settled": one.settled,
            "file": one.file,
            "sentence": one.sentence,
        }
        for place, one in made.items()
    }
    path = _file(root)
    with own_folder.locked(root):
        aside = name_aside(path)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            if path.parent.is_symlink():
                raise OSError("a link lies there")
            own_folder.write_sealed(aside, {"places": places})
            aside.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise StorageError(
                f"cannot keep what was decided: {error.strerror or error}",
                path=path,
                hint="check disk space and permissions",
            ) from error


def place_id(file: str, sentence: str, number: int) -> str:
    """A name of a place that lasts while other text changes: of its file (relative to the root's folder), the
    sentence, and its number among places in equal sentences of the file, from 0."""
    what = "\0".join((file, " ".join(sentence.split()), str(number)))
    return hashlib.blake2b(what.encode(errors="surrogatepass"), digest_size=8).hexdigest()
