"""Titles and abstracts with remains of markup: HTML and JATS tags, escaped characters."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from citewhy.text import latex_text
from citewhy.text.tidy import tidy

__all__ = ["MARKUP", "MATHEMATICS", "abstract_of", "plain", "rich", "titled", "with_mathematics"]

_MATHML = (
    "math|mi|mo|mn|ms|mtext|mrow|msub|msup|msubsup|mfrac|msqrt|mroot|mover|munder|munderover|mspace|mstyle"
    "|mtable|mtr|mtd|mfenced|mpadded|mphantom|mmultiscripts|mprescripts|semantics"
)
MARKUP = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|sc|scp|tt|p|br|jats:[a-z-]+|mml:[a-zA-Z]+|span|italic|bold|inf"
    rf"|inline-formula|{_MATHML})\s*/?>"
    rf"|<(?:p|span|jats:[a-z-]+|mml:[a-zA-Z]+|inline-formula|{_MATHML}) [a-zA-Z][^<>]{{0,2000}}>",
    re.IGNORECASE,
)
"""Formatting tags that titles and abstracts may have; a literal ``<i>`` cannot be distinguished from them."""

_ANNOTATION = re.compile(
    r"<(?:mml:)?annotation\b[^<>]{0,2000}>[^<>]{0,2000}</(?:mml:)?annotation>", re.IGNORECASE
)
"""MathML says itself again in these, in another language."""
_BLOCK = re.compile(r"</?(?:p|br|jats:(?:p|title|sec|list|list-item))\b[^<>]{0,2000}>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_ESCAPED_TWICE = 2


def plain(text: str) -> str:
    """One tidy line without markup; tags that separate paragraphs become a space.

    >>> plain("<jats:p>Q&amp;A with H<sub>2</sub>O</jats:p><jats:p>a &lt; b</jats:p>")
    'Q&A with H2O a < b'
    """
    if "<" not in text and "&" not in text:
        return tidy(text)
    for _ in range(_ESCAPED_TWICE + 1):
        if "<" in text:
            text = MARKUP.sub("", _BLOCK.sub(" ", _ANNOTATION.sub("", text)))
        if "&" not in text or not _ENTITY.search(text):
            break
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return tidy(text)


_HEADING = re.compile(r"(?:\s|<[^<>]*>)*(?i:abstract)(?:\s*[.:]|\s*(?=</)|\s+(?=[^a-z\s]))")
"""The word and what shows that it is none of a sentence: a sign, the end of its element, a capital letter."""


def abstract_of(text: str) -> str:
    """The plain text of an abstract, without the heading that only says that it is one.

    >>> abstract_of("<jats:title>ABSTRACT</jats:title><jats:p>We count.</jats:p>")
    'We count.'
    >>> abstract_of("<jats:p>Abstract interpretation is sound.</jats:p>")
    'Abstract interpretation is sound.'
    """
    heading = _HEADING.match(text)
    return plain(text[heading.end() :] if heading else text)


def titled(titles: Iterable[str], subtitles: Iterable[str] = ()) -> tuple[str, str]:
    """The plain text of the first title and the first subtitle that have text, and both with their markup
    (`rich`); a subtitle that the title says is left out.

    >>> titled(["<p></p>", "<i>Quercus</i>"], ["A survey"])
    ('Quercus: A survey', '<i>Quercus</i>: A survey')
    """
    title, subtitle = (next(filter(plain, some), "") for some in (titles, subtitles))
    if plain(subtitle).casefold() not in plain(title).casefold():
        title = f"{title.rstrip().removesuffix(':')}: {subtitle}" if title else subtitle
    return plain(title), rich(title)


MATHEMATICS = re.compile(
    r"\$(?P<mathematics>(?![\s$])(?:(?=[^$\\]*(?:\\[A-Za-z]|[\^_])[^$])[^$]*+(?<![\s\\])|[^$]++(?<![\s\\])(?=\$(?!\d))))\$"
)
"""Mathematics between dollars, which have no spaces beside them inside. Two prices are none: before a digit,
it has a command, or something raised or lowered."""


def with_mathematics(title: str) -> tuple[str, str]:
    """The plain text of a title, and the title with its markup and the mathematics of LaTeX between dollars,
    as `Publication.title` has it; the latter is empty if it has neither.

    >>> with_mathematics(r"Decay of $\\mu$ in <i>vacuo</i>")
    ('Decay of μ in vacuo', 'Decay of $\\\\mu$ in <i>vacuo</i>')
    """
    if "$" not in title or not MATHEMATICS.search(title):
        shown = plain(title)
        return shown, _rich(title, shown)
    shown = plain(MATHEMATICS.sub(lambda formula: latex_text.plain(formula[0]), title))
    return shown, rich(title) or tidy(title)


_KEPT = {
    **dict.fromkeys(("i", "em", "italic", "jats:italic"), "i"),
    **dict.fromkeys(("b", "strong", "bold", "jats:bold"), "b"),
    **dict.fromkeys(("sub", "inf", "jats:sub"), "sub"),
    **dict.fromkeys(("sup", "jats:sup"), "sup"),
}
_TAG = re.compile(r"<(/?)([a-z][a-z:]*+)([^<>]*)>", re.IGNORECASE)


def rich(text: str) -> str:
    """A title with the markup that `Publication.title` has; empty for one without markup.

    >>> rich("Growth of <em>Quercus ilex</em> &amp; fire"), rich("Fire &amp; ice")
    ('Growth of <i>Quercus ilex</i> & fire', '')
    """
    return _rich(text, plain(text)) if "<" in text or "&lt;" in text else ""


def _rich(text: str, shown: str) -> str:
    """`shown` is the plain text."""
    if "<" not in text and "&lt;" not in text:
        return ""
    if "&" in text:
        for _ in range(_ESCAPED_TWICE):
            text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
        shown = plain(text)
    opened: list[str] = []
    marked = tidy(MARKUP.sub(lambda tag: _kept_tag(tag[0], opened), _ANNOTATION.sub("", text)))
    return marked if not opened and marked != shown else ""


def _kept_tag(tag: str, opened: list[str]) -> str:
    """The tag as CSL writes it, or nothing; `opened` has those that are still to be closed."""
    match = _TAG.match(tag)
    name = match[2].lower() if match else ""
    kept = _KEPT.get(name, "")
    if name == "span":
        kept = "span"
    if match is None or not kept or tag.endswith("/>"):
        return ""
    if match[1]:
        return f"</{kept}>" if opened and opened.pop() == kept else ""
    opened.append(kept)
    return tag if kept == "span" else f"<{kept}>"
