"""The diff of an edit as it is shown on a terminal."""

from __future__ import annotations

from citewhy.doors.present.diff_text import excerpted

WORDS = " ".join(f"word{n}" for n in range(200))
HEAD = "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n"


def diff(old: str, new: str) -> str:
    return f"{HEAD} {WORDS}\n-{old}\n+{new}\n short\n"


def test_a_paragraph_on_one_line_is_shown_around_its_changes() -> None:
    """Each change whole, with words on both sides, within the width; distant ones one after the other."""
    old = f"{WORDS} first [CITE]. {WORDS} second [CITE], {WORDS}"
    new = f"{WORDS} first [@lee2004moss]. {WORDS} second [@kim1999], {WORDS}"
    lines = excerpted(diff(old, new), 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[:3] == HEAD.splitlines()
    assert lines[3].startswith(" word0 word1")
    assert lines[3].endswith("…")
    assert [line[0] for line in lines[4:]] == ["-", "+", "-", "+", " "]
    assert [
        part in line
        for part, line in zip(
            (
                " first [CITE]. word0",
                " first [@lee2004moss]. word0",
                " second [CITE], word0",
                " second [@kim1999], word0",
            ),
            lines[4:8],
            strict=True,
        )
    ] == [True] * 4
    assert all(line[1] == line[-1] == "…" for line in lines[4:8])


def test_what_changes_is_never_cut() -> None:
    """However long it is; nor are lines that are only added."""
    key = "x" * 100
    shown = excerpted(diff(f"{WORDS} [CITE].", f"{WORDS} [@{key}]."), 80)
    assert f"[@{key}]." in shown
    assert excerpted(f"{HEAD}+{WORDS}\n", 80) == f"{HEAD}+{WORDS}\n"


def test_a_line_without_an_end() -> None:
    """It is shown as any other."""
    note = "\n\\ No newline at end of file\n"
    shown = excerpted(f"{HEAD}-{WORDS} [CITE]{note}+{WORDS} [@lee]{note}", 80).splitlines()
    assert [line[-8:] for line in shown[3:]] == ["9 [CITE]", "9 [@lee]"]


def test_what_fits_is_as_it_was() -> None:
    """A diff of short lines, also one whose last line has no end."""
    short = f"{HEAD}-a [CITE]\n\\ No newline at end of file\n+a [@b]\n\\ No newline at end of file\n"
    assert excerpted(short, 80) == short
