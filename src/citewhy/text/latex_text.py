"""Converts the LaTeX of bibliography fields to plain Unicode text.

Fields contain little LaTeX: accents, protected capitals, emphasis, a formula. Unknown commands are dropped
and their arguments kept; formulas keep their letters (``$O(n^2)$`` becomes ``O(n^2)``).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from citewhy.text.accents import ACCENTS, SYMBOLS

MAX_NESTING = 200
"""Maximum nesting of braces; the parser is recursive."""

_LONGEST = 100_000
_MOST_SPECIAL = 4000
"""Maximum number of special characters, and of commands and dollar signs, in a field that is parsed as LaTeX;
from one with more only the braces are removed."""

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

_FAR_REACHING = re.compile(r"\\(?:begin|end|verb|lstinline)\b|\\[()\[\]]|\$\$")
"""Matches what may start something that extends over many words."""

_ACCENTED = re.compile(
    r"(?<!\\)\\(?:(?P<sign>[`'^\"~=.])[ ]?|(?P<name>[uvHcdbkr])(?:[ ]|(?=\{)))"
    r"(?:\{\\?(?P<braced>[A-Za-z])\}|\\(?P<dotless>[ij])(?![A-Za-z])[ ]?|(?P<bare>[A-Za-z]))"
)
_LONGEST_COMMAND = 30
_COMMAND_BEFORE = re.compile(r"\\[A-Za-z]+\Z")
_SPECIAL_WORD = re.compile(r"(?<![^\s\\${}])[^\s\\${}]*[\\${}]")
_TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.|\Z)|[{}$]|\s+|[^\s\\${}]+", re.DOTALL)

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
_WITHOUT_TEXT = _FONTS | frozenset(
    ("left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "textstyle", "limits",
     "boldsymbol", "bm", "text", "mbox", "operatorname", "ensuremath", "textrm", "textit", "textbf")
)  # fmt: skip
"""Commands in formulas that say only how their arguments look."""
_FRACTIONS = ("frac", "dfrac", "tfrac", "sfrac", "nicefrac")
_LINES = {"overline": "\u0305", "underline": "\u0332"}
_MORE_SYMBOLS = {"slash": "/", "degree": "°"}
_LAST_COUNTS = ("href", "textcolor", "texorpdfstring")
"""Commands of two arguments, the second of which is the text."""
_DROPPED = ("noopsort", "label", "vspace", "hspace", "vphantom", "hphantom", "phantom", "footnote", "color")
"""Commands whose argument is not part of the visible text."""


def nesting(text: str) -> int:
    """The maximum nesting of braces."""
    depth = deepest = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        deepest = max(deepest, depth)
    return deepest


def plain(latex: str) -> str:
    """A field's LaTeX as text in NFC; never raises. If it cannot be parsed, only the braces are removed.

    >>> plain(r"{\\\"U}ber {BLEU} --- 50% of {\\v{S}}najder's $\\alpha$")
    "Über BLEU — 50% of Šnajder's α"
    """
    if "\\" not in latex and "$" not in latex:
        return _nfc(_without_braces(_typeset(latex)))
    special = latex.count("\\") + latex.count("$")
    if len(latex) > _LONGEST or special > _MOST_SPECIAL or nesting(latex) > MAX_NESTING:
        return _nfc(_BRACE.sub("", latex))
    if "$" not in latex:
        latex = _ACCENTED.sub(_composed, latex)
        if "\\" not in latex:
            return _nfc(_without_braces(_typeset(latex)))
    source = _UNESCAPED_PERCENT.sub(r"\1\\%", latex)  # in BibTeX a percent sign does not start a comment
    if len(_DOLLAR.findall(source)) % 2:
        source = _DOLLAR.sub(r"\\$", source)  # a price, not a formula
    try:
        return _nfc("".join(_parsed(piece) if special else piece for special, piece in _pieces(source)))
    except (RecursionError, IndexError, ValueError, AttributeError, TypeError):
        return _nfc(_BRACE.sub("", latex))


def marked_up(latex: str) -> str:
    """The text with CSL's markup for what `plain` leaves out: protected words, italics, bold, small capitals,
    raised and lowered text; formulas stay as they are. Never raises.

    >>> marked_up(r"{BLEU} and \\emph{E.~coli} in $O(n^2)$")
    '<span class="nocase">BLEU</span> and <i>E. coli</i> in $O(n^2)$'
    """
    if not ("{" in latex or "\\" in latex or "$" in latex):
        return plain(latex)
    special = latex.count("\\") + latex.count("$")
    balanced = nesting(latex) <= MAX_NESTING and latex.count("{") == latex.count("}")
    if len(latex) > _LONGEST or special > _MOST_SPECIAL or not balanced:
        return plain(latex)
    source = _SPECIAL_CHARACTER.sub(lambda accent: _ACCENTED.sub(_composed, accent[0][1:-1]), latex)
    if "\\" not in source and "$" not in source:
        return _nfc(_typeset(_marked_braces(source)))
    source = _UNESCAPED_PERCENT.sub(r"\1\\%", source)
    if len(_DOLLAR.findall(source)) % 2:
        source = _DOLLAR.sub(r"\\$", source)
    try:
        return _nfc("".join(_marked_piece(piece) if special else piece for special, piece in _pieces(source)))
    except (RecursionError, IndexError, ValueError, AttributeError, TypeError):
        return plain(latex)


_NOCASE = '<span class="nocase">'
_SPECIAL_CHARACTER = re.compile(r"\{" + _ACCENTED.pattern + r"\}")
"""An accented letter in braces, which protect nothing."""
_TAGS = {
    **dict.fromkeys(("emph", "textit", "textsl", "em", "it", "sl", "itshape"), ("<i>", "</i>")),
    **dict.fromkeys(("textbf", "bf", "bfseries"), ("<b>", "</b>")),
    **dict.fromkeys(("textsc", "sc", "scshape"), ('<span style="font-variant: small-caps;">', "</span>")),
    **{"textsuperscript": ("<sup>", "</sup>"), "textsubscript": ("<sub>", "</sub>")},
}


def _marked_braces(text: str) -> str:
    """Marks what stands in outer braces as protected; `text` has no other LaTeX."""
    pieces: list[str] = []
    depth = place = 0
    for brace in _BRACE.finditer(text):
        pieces.append(text[place : brace.start()])
        place = brace.end()
        opens = brace[0] == "{"
        if depth == (0 if opens else 1):
            pieces.append(_NOCASE if opens else "</span>")
        depth += 1 if opens else -1
        if depth < 0:
            return _BRACE.sub("", text)
    return "".join((*pieces, text[place:]))


@functools.lru_cache(maxsize=1024)
def _marked_piece(source: str) -> str:
    if "\\" not in source and "$" not in source:
        return _typeset(_marked_braces(source))
    return _marked(_nodes(source), False)


def _marked(nodes: Iterable[Any], protected: bool) -> str:
    from pylatexenc import latexwalker as kinds

    written: list[str] = []
    tags = ("", "")
    for node in nodes:
        if node is None:
            continue
        if node.isNodeType(kinds.LatexMacroNode) and node.macroname in _TAGS:
            tags = _TAGS[node.macroname]
        elif node.isNodeType(kinds.LatexGroupNode) and node.nodelist:
            first = node.nodelist[0]
            macro = first.macroname if first is not None and first.isNodeType(kinds.LatexMacroNode) else ""
            if tags[0]:
                written.append(f"{tags[0]}{_marked(node.nodelist, protected)}{tags[1]}")
                tags = ("", "")
            elif macro in _TAGS:
                inside = _marked(node.nodelist[1:], protected).lstrip()
                written.append(f"{_TAGS[macro][0]}{inside}{_TAGS[macro][1]}")
            elif protected or (macro and len(node.nodelist) == 1):  # a special character
                written.append(_marked(node.nodelist, True))
            else:
                written.append(f"{_NOCASE}{_marked(node.nodelist, True)}</span>")
        elif node.isNodeType(kinds.LatexMathNode):
            begin, end = (re.escape(mark) for mark in node.delimiters)
            formula = re.sub(rf"^{begin}\s*|\s*{end}$", "", node.latex_verbatim())
            written.append(f"${formula}$" if formula else "")
        else:
            written.append(_text([node]))
    return "".join(written)


def _pieces(source: str) -> Iterator[tuple[bool, str]]:
    """The words that contain LaTeX, with all that belongs to them, and the text in between.

    The parser takes microseconds a character, and a long abstract may have a single accent.
    """
    if _FAR_REACHING.search(source) or source.count("{") != source.count("}"):
        yield True, source
        return
    place = 0
    while word := _SPECIAL_WORD.search(source, place):
        yield False, _typeset(source[place : word.start()])
        place = _end_of_piece(source, word.start())
        yield True, source[word.start() : place]
    yield False, _typeset(source[place:])


def _end_of_piece(source: str, start: int) -> int:
    """The end of the LaTeX that starts at `start`: a space outside of braces and formulas where no command is
    waiting for its argument."""
    depth, formula, waiting = 0, False, False
    for token in _TOKEN.finditer(source, start):
        text = token[0]
        if text.isspace():
            goes_on = depth > 0 or formula or waiting or source.startswith(("{", "["), token.end())
            if not goes_on:
                return token.start()
        elif text in "{}":
            depth += 1 if text == "{" else -1
            waiting = False
        elif text == "$":
            formula = not formula
        else:
            waiting = text[0] == "\\" and (text[1:].isalpha() or text[1:] in ACCENTS)
    return len(source)


@functools.lru_cache(maxsize=4096)
def _parsed(source: str) -> str:
    """A piece of LaTeX as text, by pylatexenc. Raises ValueError if it cannot be parsed."""
    if "\\" not in source and "$" not in source:
        return _BRACE.sub("", _typeset(source))
    return _text(_nodes(source))


@functools.lru_cache(maxsize=64)  # of a title the text is asked for, and then its markup
def _nodes(source: str) -> Any:
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerError

    try:
        nodes, _, _ = LatexWalker(source, latex_context=_commands(), tolerant_parsing=True).get_latex_nodes()
    except LatexWalkerError as error:
        raise ValueError(str(error)) from error
    return nodes


def _composed(accent: re.Match[str]) -> str:
    """The letter with its accent: by far the most frequent LaTeX in bibliographies."""
    if _COMMAND_BEFORE.search(accent.string, max(0, accent.start() - _LONGEST_COMMAND), accent.start()):
        return accent[0]  # the letter would become a part of the command's name
    sign = accent["sign"] or accent["name"]
    return _accented(accent["braced"] or accent["dotless"] or accent["bare"], ACCENTS[sign])


def _without_braces(text: str) -> str:
    return _BRACE.sub("", text) if "{" in text or "}" in text else text


def _typeset(text: str) -> str:
    if not ("--" in text or "~" in text or "`" in text or "''" in text):
        return text  # true of most values, and fast
    return _LIGATURES.sub(lambda ligature: _TYPOGRAPHY[ligature[0]], text)


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@functools.lru_cache(maxsize=1)
def _commands() -> Any:
    """The commands that take arguments. The arguments of other commands stay in the text."""
    from pylatexenc.macrospec import LatexContextDb, MacroSpec, std_specials

    known = LatexContextDb()
    known.add_context_category(
        "bibliographies",
        macros=[
            *(MacroSpec(name, "{") for name in (*_MARKS, *_DROPPED)),
            *(MacroSpec(name, "{{") for name in (*_LAST_COUNTS, *_FRACTIONS)),
            *(MacroSpec(name, "{") for name in _LINES),
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
    if name in _FRACTIONS:
        return "/".join(_text([argument], in_math) for argument in arguments)
    if name in _LINES:
        line = _LINES[name] if in_math else ""
        return "".join(character + line for character in _text(arguments[-1:], in_math))
    if (symbol := SYMBOLS.get(name)) is not None:
        return symbol
    return _unusual(name) if in_math and name not in _WITHOUT_TEXT else ""


@functools.lru_cache(maxsize=1024)
def _unusual(name: str) -> str:
    """Tells what is printed for a rarer command of formulas, or else its name."""
    from pylatexenc.latex2text import get_default_latex_context_db

    spec = get_default_latex_context_db().get_macro_spec(name)
    printed = _MORE_SYMBOLS.get(name) or (spec.simplify_repl if spec else "")
    is_symbol = isinstance(printed, str) and printed and "%" not in printed and not printed.isascii()
    return printed if is_symbol or name in _MORE_SYMBOLS else f"{name} "


def _accented(base: str, mark: str) -> str:
    """The accent is put on the first letter; a dotless i or j is replaced by i or j, which can be
    composed."""
    letter = base[:1].replace("ı", "i").replace("ȷ", "j")
    if not letter.strip():  # some write `\~{}` for the character itself
        return {"\u0303": "~", "\u0302": "^"}.get(mark, "") + base
    return letter + mark + base[1:]
