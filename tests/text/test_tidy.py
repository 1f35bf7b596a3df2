"""Foreign text on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.text.tidy import shorten, tidy


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("as it is", "as it is"),
        (" two\r\n lines\t", "two lines"),
        ("a\x00b\x1b[31mc\x85d", "a b [31mc d"),
        ("no\u00a0break", "no break"),
        ("soft\u00adhyphen 中文 🙂", "soft\u00adhyphen 中文 🙂"),
        (" ", ""),
    ],
)
def test_text_gets_one_line(text: str, line: str) -> None:
    """White space and control characters become single spaces; everything else stays."""
    assert tidy(text) == line


@given(st.text())
def test_tidy_text_stays_tidy(text: str) -> None:
    """Twice is as good as once."""
    assert tidy(tidy(text)) == tidy(text)


def test_values_in_messages_are_short_and_harmless() -> None:
    """A megabyte of escape sequences in a bad file does not reach the terminal."""
    assert shorten("year") == "year"
    shown = shorten("\x1b[31m" * 200_000)
    assert len(shown) <= 60
    assert shown.isprintable()
