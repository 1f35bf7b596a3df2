"""What documents show of a terminal: commands, and what they print.

    python docs/terminal.py README.md docs/first-hour.md

runs the commands of the pages in a folder of their own, one after another, and writes what they print in
place of what is shown, where it differs. In what is shown, `…` stands for anything within a line, and alone
on a line for any lines: as many lines as stand before the first are kept, and below them again `…`. Scores
are not compared, and percentages may be a few points off: they follow fitted models and the processor.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from citewhy.base.assets import example_draft
from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE

ROOT = Path(__file__).parents[1]

_CONSOLE = re.compile(r"^```console\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_PIECES = re.compile(r"(…|\bscore -?\d+\.\d+|\b\d+%)")
_PERCENT = re.compile(r"\b(\d+)%")
_POINTS = 5
"""How far the percentages that are shown may be off."""


def same(shown: str, printed: str) -> bool:
    """Whether `printed` is what a document shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else "".join(map(_pattern, _PIECES.split(line.rstrip()))) + r"\n"
        for line in shown.rstrip("\n").split("\n")
    )
    lines = "".join(line.rstrip() + "\n" for line in printed.rstrip("\n").split("\n"))
    match = re.fullmatch(pattern, lines)
    percents = zip(_PERCENT.findall(shown), match.groups() if match else (), strict=match is not None)
    return match is not None and all(abs(int(one) - int(other)) <= _POINTS for one, other in percents)


def _pattern(piece: str) -> str:
    if piece == "…" or piece.startswith("score "):
        return r".*?"
    return r"(\d+)%" if _PERCENT.fullmatch(piece) else re.escape(piece)


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what is shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def command_line(command: str) -> list[str]:
    """As a list of arguments; `make demo` as the command that it is."""
    if command == "make demo":
        recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndemo:")[1].splitlines()[1]
        command = recipe.strip().removeprefix("$(BIN)/")
    program, *arguments = shlex.split(command)
    assert program == "citewhy", f"only citewhy's own commands are run: {command}"
    return [sys.executable, "-m", "citewhy", *arguments]


def make_desk(folder: Path) -> Path:
    """Makes the folder in which documents work: this repository, with copies of the example drafts."""
    shutil.copytree(example_draft("latex").parent, folder, dirs_exist_ok=True)
    for name in ("src", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def environment_of(user: Path) -> dict[str, str]:
    """The environment of a person who has added nothing yet, at a terminal of 80 columns."""
    own = {CACHE_VARIABLE: str(user / "cache"), LIBRARY_VARIABLE: str(user / "library"), "COLUMNS": "80"}
    return {**os.environ, **own}


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def renewed(page: str, folder: Path, environment: Mapping[str, str]) -> str:
    """The text of a page, with what its commands print now where it is not what is shown."""
    return _CONSOLE.sub(lambda block: f"```console\n{_block(block[1], folder, environment)}```\n", page)


def _block(block: str, folder: Path, environment: Mapping[str, str]) -> str:
    parts = []
    for command, shown in commands(block):
        printed = run(command_line(command), folder, environment)
        parts.append(f"$ {command}\n{shown if same(shown, printed) else _like(shown, printed)}")
    return "".join(parts)


def _like(shown: str, printed: str) -> str:
    """What is printed, as long as what is shown is before its first line of `…`."""
    lines = printed.rstrip().splitlines()
    before, cut, _ = f"\n{shown}".partition("\n…\n")
    kept = lines[: before.count("\n")] if cut else lines
    return "".join(f"{line.rstrip()}\n" for line in [*kept, *(["…"] if len(kept) < len(lines) else [])])


def main() -> None:
    for page in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as user, tempfile.TemporaryDirectory() as desk:
            text = page.read_text(encoding="utf-8")
            page.write_text(
                renewed(text, make_desk(Path(desk)), environment_of(Path(user))), encoding="utf-8"
            )


if __name__ == "__main__":
    main()
