"""No regular expression of the package takes time that grows with the square of a text, whatever the text."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from growth import LIMIT, TIMES
from harness import cases
from patterns import Used, patterns, spend, texts

import citewhy

MORE = LIMIT / TIMES
"""How many times as long a text may take as its parts, one after the other."""

SOURCE = Path(citewhy.__file__).parent
CORPORA = SOURCE.with_name("citewhy_lab") / "evaluate" / "corpora"
"""Readers of the laboratory, which get files of strangers, too."""

PATTERNS = {used.place: used for root in (SOURCE, CORPORA) for used in patterns(root)}

BOUNDED = {
    "text/doi.py:_RESOLVER": 2000,
    "text/markers.py:_WORD_BEFORE": 30,
    "text/sentences.py:_WORD_BEFORE": 60,
    "text/uncited.py:_LAST_WORD": 200,
}
"""Patterns that are only given texts of so many characters."""

SIZE = 32_000
FLOOR = 0.05
"""CPU seconds below which growth is not measured: a quadratic pattern takes far more for a text of `SIZE`."""

TOO_LONG = 1
"""CPU seconds after which a single text is given up; linear time is hundreds of times less."""


class TooLongError(Exception):
    pass


@contextmanager
def given_up() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, TOO_LONG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def spent(used: Used, text: str, times: int = 1) -> float:
    begun = time.process_time()
    with given_up():
        for _ in range(times):
            spend(used, text)
    return time.process_time() - begun


def grows_too_fast(used: Used, size: int) -> str | None:
    """A description of a text for which the time grows faster than linearly; None if there is none."""
    shorter = dict(texts(used.pattern, size // TIMES))
    for what, text in texts(used.pattern, size):
        try:
            long = spent(used, text)
            if long < FLOOR:
                continue
            for _ in range(5):  # a ratio that is too large may be due to a disturbance
                if long <= MORE * spent(used, shorter[what], TIMES):
                    break
                long = min(long, spent(used, text))
            else:
                return what
        except TooLongError:
            return what
    return None


def test_patterns_are_found() -> None:
    """Hundreds, from all parts of the package."""
    parts = {place.partition("/")[0] for place in PATTERNS}
    assert len(PATTERNS) > 300
    assert parts > {"papers", "drafts", "text", "answers", "doors"}
    assert BOUNDED.keys() <= PATTERNS.keys()


def test_patterns_are_linear() -> None:
    """Long runs of what a pattern is made of, after each beginning of what it matches, with a wrong end."""
    names = random.Random(7).sample(sorted(PATTERNS), len(PATTERNS))
    for case in cases(len(names), "patterns"):
        place, used = names[case], PATTERNS[names[case]]
        worst = grows_too_fast(used, BOUNDED.get(place, SIZE))
        assert worst is None, f"{place}: {used.pattern.pattern!r} takes too long for runs of {worst}"


def test_a_quadratic_pattern_is_noticed() -> None:
    """The method finds known mistakes."""
    for pattern in (r"\s*,", r"(\w+\s?)+$", r"<[^>]*>"):
        used = Used("", re.compile(pattern), frozenset({"search"}))
        assert grows_too_fast(used, SIZE), pattern
    for pattern in (r"(?<!\s)\s*+,", r"<[^<>]*>"):
        used = Used("", re.compile(pattern), frozenset({"search"}))
        assert grows_too_fast(used, SIZE) is None, pattern
