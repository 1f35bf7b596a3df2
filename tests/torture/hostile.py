"""Projects that somebody sent: with links, journals of others, pipes, and names that are in the way."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

__all__ = ["HOSTILITIES", "contents", "odd_name", "project"]

_INSIDE = ("a.tex", "refs.bib", "parts/b.tex")
_OWN = (
    *(".citewhy", ".citewhy/lock", ".citewhy/.gitignore", ".citewhy/undo", ".citewhy/undo/unfinished"),
    *(".citewhy/undo/removed", ".citewhy/undo/000001", ".citewhy/undo/000002", ".citewhy/undo/999999999"),
    *(".citewhy/undo/000001/journal.json", ".citewhy/undo/000001/0.before"),
)


def project(home: Path) -> Path:
    """The draft of a project in `home`, beside which there are files of the user."""
    for name in ("notes.yml", "settings.json", "thesis/main.tex", "thesis/refs.bib", ".config/x.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{name} is mine\n")
    folder = home / "sent"
    for name in _INSIDE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"The text of {name}.\n")
    return folder / "a.tex"


def contents(folder: Path, besides: str = "no such name") -> dict[str, bytes | str]:
    """Everything in a folder, with what links say, except folders and what is below a folder `besides`."""
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if besides not in path.relative_to(folder).parts and (path.is_symlink() or path.is_file())
    }


def _victim(home: Path, chance: random.Random) -> Path:
    return home / chance.choice(["notes.yml", "settings.json", "thesis/main.tex", "thesis", ".config", "new"])


def _link(draft: Path, chance: random.Random) -> None:
    place = draft.parent / chance.choice(_OWN)
    _free(place)
    place.symlink_to(_victim(draft.parents[1], chance))


def _link_of_a_part(draft: Path, chance: random.Random) -> None:
    place = draft.parent / chance.choice(["refs.bib", "parts", "parts/b.tex", "more"])
    _free(place)
    place.symlink_to(_victim(draft.parents[1], chance))


def _pipe(draft: Path, chance: random.Random) -> None:
    place = draft.parent / chance.choice(_OWN)
    _free(place)
    os.mkfifo(place)


def _rubbish(draft: Path, chance: random.Random) -> None:
    place = draft.parent / chance.choice(_OWN)
    _free(place)
    place.write_bytes(chance.randbytes(chance.choice((0, 10, 1000))))


def _folder(draft: Path, chance: random.Random) -> None:
    place = draft.parent / chance.choice(_OWN)
    _free(place)
    (place / chance.choice(["a", "1", "undo"])).mkdir(parents=True)


def _journal(draft: Path, chance: random.Random) -> None:
    """It would replace files of the user, whose contents are known, and remove others."""
    folder = draft.parent / ".citewhy" / "undo" / f"{chance.randrange(1, 4):06d}"
    _free(folder)
    names = [
        "../notes.yml",
        "../settings.json",
        "parts/../../thesis/main.tex",
        "more/main.tex",
        "a.tex",
        "refs.bib",
    ]
    names.append(str(draft.parents[1] / ".config" / "x.json"))
    changes = []
    folder.mkdir()
    for number, name in enumerate(chance.sample(names, 3)):
        path = draft.parent / name
        now = path.read_bytes() if path.is_file() else b""
        (folder / f"{number}.before").write_bytes(b"theirs")
        digest = hashlib.sha256(b"theirs").hexdigest()
        changes.append(
            {
                "path": name,
                "aside": chance.choice(["a.tex", "refs.bib", "../notes.yml", ".a.tex.0123456789abcdef"]),
                "before": chance.choice([digest, None]),
                "created": chance.random() < 0.5,
                "after": hashlib.sha256(now).hexdigest(),
            }
        )
    facts = {"format": 2, "draft": "a.tex", "changes": changes}
    seal = chance.choice(["", "0" * 64, None, hashlib.sha256(b"").hexdigest()])
    (folder / "journal.json").write_text(json.dumps({"facts": facts, "seal": seal}))
    (folder / "manifest.json").write_text(json.dumps({**facts, "format": 1, "files": {}}))


def _names_in_the_way(draft: Path, chance: random.Random) -> None:
    for name in (f".a.tex.{chance.randbytes(8).hex()}", ".refs.bib.0123456789abcdef", ".citewhy-unfinished"):
        place = draft.parent / name
        _free(place)
        if chance.random() < 0.5:
            place.mkdir()
            place = place / "chapter"
        place.write_text("of the author")


def _altered_journal(draft: Path, chance: random.Random) -> None:
    """Of an edit of the user's own, with another path or another name."""
    for path in draft.parent.glob(".citewhy/undo/*/journal.json"):
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        old, new = chance.choice([("a.tex", "../notes.yml"), ("before", "after"), ("refs", "../thesis/refs")])
        path.write_text(text.replace(old, new))


HOSTILITIES: tuple[Callable[[Path, random.Random], None], ...] = (
    *(_link, _link_of_a_part, _pipe, _rubbish, _folder, _journal, _names_in_the_way, _altered_journal),
)


def _free(place: Path) -> None:
    """Makes room for something that lies nowhere but in the project."""
    for parent in reversed(place.parents):
        if os.path.lexists(parent) and (parent.is_symlink() or not parent.is_dir()):
            parent.unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink() or not place.is_dir():
        place.unlink(missing_ok=True)
    else:
        shutil.rmtree(place)


_LETTERS = [bytes([code]) for code in b"\xff\n\t -~$'\"\\*%#{&\x1bab"]
_LETTERS += [letter.encode() for letter in ("é", "𝔸", "中", "\u202e", "..", "e\u0301")]


def odd_name(chance: random.Random) -> str:
    """A name that a system allows for a file, of up to 200 bytes, without a suffix."""
    count = chance.choice((1, 2, 5, 40))
    return os.fsdecode(b"x" + b"".join(chance.choice(_LETTERS) for _ in range(count))[:200] + b"x")
