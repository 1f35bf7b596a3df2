"""The LaTeX of bibliography fields as plain Unicode text.

A field is little LaTeX: accents, protected capitals, emphasis, a formula. Unknown commands are left out and
their arguments kept; formulas keep their letters (``$O(n^2)$`` becomes ``O(n^2)``).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from citewhy.text.accents import ACCENTS, SYMBOLS

__all__ = ["MAX_NESTING", "nesting", "plain"]

MAX_NESTING = 200
"""Deepest braces that are read; the parser below us recurses."""

_LONGEST = 100_000
"""Characters of a field that are parsed as LaTeX; a longer one only loses its braces."""

_BRACE = re.compile(r"(?<!\\)[{}]")
_UNESCAPED_PERCENT = re.compile(r"(?<!\\)((?:\\\\)*)%")
_DOLLAR = re.compile(r"(?<!\\)\$")
_TYPOGRAPHY = {
    "~": " ",
    "---": "—",
    "--": "–",
    "``": "“",
    "''": "”",
    "!`": "¡",
    "?`": "¿",
    "&": "&",
}
_LIGATURES = re.compile(r"---?|``|''|[!?]`|~")

_ACCENTS_IN_MATH = {
    "acute": "\u0301",
    "grave": "\u0300",
    "hat": "\u0302",
    "tilde": "\u0303",
    "bar": "\u0304",
    "breve": "\u0306",
    "dot": "\u0307",
    "ddot": "\u0308",
    "check": "\u030c",
    "vec": "\u20d7",
}
_MARKS = {**_ACCENTS_IN_MATH, **ACCENTS}
_FONTS = frozenset(f"math{font}" for font in ("rm", "bb", "bf", "it", "sf", "tt", "cal", "scr", "frak"))
_LAST_COUNTS = ("href", "textcolor", "texorpdfstring")
"""Commands of two arguments whose second is the text."""
_DROPPED = ("noopsort", "label", "vspace", "hspace", "vphantom", "hphantom", "phantom", "footnote", "color")
"""Commands whose argument is nothing that a reader sees as part of the text."""


def nesting(text: str) -> int:
    """Depth of the deepest brace."""
    depth = deepest = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        deepest = max(deepest, depth)
    return deepest


def plain(latex: str) -> str:
    """A field's LaTeX as text in NFC; never raises. What cannot be parsed only loses its braces.

    >>> plain(r"{\\\"U}ber {BLEU} --- 50% of {\\v{S}}najder's $\\alpha$")
    "Über BLEU — 50% of Šnajder's α"
    """
    if "\\" not in latex and "$" not in latex:
        text = _LIGATURES.sub(lambda found: _TYPOGRAPHY[found[0]], latex)
        return _nfc(_BRACE.sub("", text))
    if len(latex) > _LONGEST or nesting(latex) > MAX_NESTING:
        return _nfc(_BRACE.sub("", latex))
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerError

    source = _UNESCAPED_PERCENT.sub(r"\1\\%", latex)  # in BibTeX a percent sign does not start a comment
    if len(_DOLLAR.findall(source)) % 2:
        source = _DOLLAR.sub(r"\\$", source)  # a price, not a formula
    try:
        nodes, _, _ = LatexWalker(source, latex_context=_commands(), tolerant_parsing=True).get_latex_nodes()
        return _nfc(_text(nodes))
    except (LatexWalkerError, RecursionError, IndexError, ValueError, AttributeError, TypeError):
        return _nfc(_BRACE.sub("", latex))


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@functools.lru_cache(maxsize=1)
def _commands() -> Any:
    """The commands that take arguments; of all others the arguments stay in the text as they stand."""
    from pylatexenc.macrospec import LatexContextDb, MacroSpec, std_specials

    known = LatexContextDb()
    known.add_context_category(
        "bibliographies",
        macros=[
            *(MacroSpec(name, "{") for name in (*_MARKS, *_DROPPED)),
            *(MacroSpec(name, "{{") for name in _LAST_COUNTS),
            MacroSpec("\\", "*["),
        ],
        specials=[std_specials(special) for special in _TYPOGRAPHY],
    )
    return known


def _text(nodes: Iterable[Any], in_math: bool = False) -> str:
    from pylatexenc import latexwalker as kinds

    written: list[str] = []
    for node in nodes:
        if node is None:
            continue
        if node.isNodeType(kinds.LatexCharsNode):
            written.append(node.chars)
        elif node.isNodeType(kinds.LatexSpecialsNode):
            written.append(_TYPOGRAPHY.get(node.specials_chars, node.specials_chars))
        elif node.isNodeType(kinds.LatexMacroNode):
            written.append(_command(node, in_math))
        elif node.isNodeType(kinds.LatexMathNode):
            written.append(_text(node.nodelist, in_math=True))
        elif node.isNodeType(kinds.LatexCommentNode):
            written.append(f"%{node.comment}")
        elif node.nodelist:  # a group or an environment
            written.append(_text(node.nodelist, in_math))
    return "".join(written)


def _command(node: Any, in_math: bool) -> str:
    name: str = node.macroname
    arguments = [node_ for node_ in (node.nodeargd.argnlist if node.nodeargd else []) or [] if node_]
    if (mark := _MARKS.get(name)) is not None and (in_math or name in ACCENTS):
        return _accented(_text(arguments[-1:], in_math), mark)
    if name in _DROPPED:
        return ""
    if name in _LAST_COUNTS:
        return _text(arguments[-1:], in_math)
    if (symbol := SYMBOLS.get(name)) is not None:
        return symbol
    return f"{name} " if in_math and name not in _FONTS else ""


def _accented(base: str, mark: str) -> str:
    """The mark goes on the first letter; a dotless i or j gets its plain form, which composes."""
    letter = base[:1].replace("ı", "i").replace("ȷ", "j")
    if not letter.strip():  # `\~{}` is how some write the sign itself
        return {"\u0303": "~", "\u0302": "^"}.get(mark, "") + base
    return letter + mark + base[1:]
