"""Removes the citations of a sentence, and keeps what remains if it still reads as a sentence that cites
nothing.

"Parsers are accurate (Collins, 1999)." remains as "Parsers are accurate."; "as shown by (Collins, 1999)" and
"Collins (1999) shows" do not: a word that is left dangling would tell that a citation was there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from citewhy.text.markers import find

_DANGLING = frozenset(
    """a also among an and are as at based be been being between both but by called cf compare due e.g
    eg eq et etc extending following for from have has had he her his i.e if in inspired into is it like
    namely of on or other per ref refs said sec section see since similar so such than that the their then
    these they this those through to towards under unlike using via was we were when where which while
    who whom whose with within without work works paper papers al""".split()  # noqa: SIM905
)
"""Words after which a citation is a part of its sentence."""

_FAR = 200
"""Characters before a citation in which the word before it is looked for."""

_LAST_WORD = re.compile(r"[\w.]*\w(?=[^\w]*$)")
_TRACES = re.compile(
    r"\bet\.?\s+al\b|\[[\d,;\s–-]*\]|\([,;&\s]*\)|[(\[][^()\[\]]*\b(?:1[89]|20)\d\d[a-e]?\s*[)\]]"
    r"|\bibid\b|TARGETCIT|OTHERCIT|\(\s*(?:see|e\.g\.|cf\.)[,\s]*\)|,\s*[,.;]|\(\s*[,;]|[;,]\s*\)",
    re.IGNORECASE,
)
"""Traces of citations: "et al.", brackets that are empty or hold numbers or a year, commas before a stop."""

_SPACES = re.compile(r"\s+")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++(?=[.,;:!?)\]])")


def without_citations(text: str) -> str | None:
    """The sentence without its printed citations; None if it does not read without them. A sentence without
    citations is returned with single spaces, or None if it has traces of one.

    >>> without_citations("Parsers work well (Collins, 1999; Klein and Manning, 2003), and fast [3].")
    'Parsers work well, and fast.'
    >>> without_citations("As shown by (Collins, 1999), it works.") is None
    True
    """
    pieces: list[str] = []
    done = 0
    for marker in find(text):
        before, bracket = text[done : marker.start], text[marker.start : marker.start + 1]
        if marker.in_text or bracket not in ("(", "[") or not reads_without(text, [marker.start]):
            return None
        pieces.append(before)
        done = marker.end
    whole = _tidy("".join((*pieces, text[done:])))
    return None if _TRACES.search(whole) else whole


def reads_without(text: str, offsets: Iterable[int], *, in_text: bool = False) -> bool:
    """Whether a sentence reads as complete without the citations at these offsets of its text, which may
    contain them or not. `in_text`: they are words of it unless they stand at its end."""
    for offset in offsets:
        before = text[max(0, offset - _FAR) : offset].rstrip(" ([~")
        last = _LAST_WORD.search(before)
        if last is None or before.endswith((".", ";", ":", "—", "–", "-", ",")):
            return False
        if last[0].casefold().rstrip(".") in _DANGLING:
            return False
        if in_text and text[offset:].strip(" .;)"):
            return False
    return not _TRACES.search(text) if in_text else True


def _tidy(text: str) -> str:
    return _BEFORE_STOP.sub("", _SPACES.sub(" ", text)).strip()
