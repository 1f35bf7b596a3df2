"""LaTeX's spelling of non-ASCII letters: tables, and text to LaTeX (LaTeX to text needs a parser)."""

from __future__ import annotations

import re
import unicodedata

from citewhy.text.tidy import tidy

ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
"""From a macro to the combining character that it adds to its argument: ``\\'e`` is e and U+0301."""

LETTERS = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "aa": "å",
    "AA": "Å",
    "dh": "ð",
    "DH": "Ð",
    "th": "þ",
    "TH": "Þ",
    "dj": "đ",
    "DJ": "Đ",
    "ng": "ŋ",
    "NG": "Ŋ",
    "i": "ı",
    "j": "ȷ",
}
"""From a macro to the letter that it stands for."""

_GREEK = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ"},
    **{"eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ"},
    **{
        "pi": "π",
        "rho": "ρ",
        "sigma": "σ",
        "tau": "τ",
        "upsilon": "υ",
        "phi": "ϕ",
        "varphi": "φ",
        "chi": "χ",
    },
    **{
        "psi": "ψ",
        "omega": "ω",
        "Gamma": "Γ",
        "Delta": "Δ",
        "Theta": "Θ",
        "Lambda": "Λ",
        "Xi": "Ξ",
        "Pi": "Π",
    },
    **{"Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω"},
}
_SIGNS = {
    **{character: character for character in "{}$&%#_ "},
    **{"\\": " ", ",": " ", ";": " ", ":": " ", "quad": " ", "qquad": " ", "-": "", "/": ""},
    **{"textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~"},
    **{"textasciicircum": "^", "textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_"},
    **{"textendash": "–", "textemdash": "—", "textquotedblleft": "“", "textquotedblright": "”"},
    **{"textquoteleft": "‘", "textquoteright": "’", "textquotesingle": "'", "textquotedbl": '"'},
    **{"textregistered": "®", "texttrademark": "™", "textdegree": "°", "textperiodcentered": "·"},
    **{"textmu": "µ", "copyright": "©", "textcopyright": "©", "pounds": "£", "texteuro": "€", "euro": "€"},
    **{"S": "§", "dag": "†", "dots": "…", "ldots": "…", "textellipsis": "…", "cdots": "⋯"},
    **{"LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX"},
    **{"times": "×", "cdot": "·", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠"},
    **{"neq": "≠", "approx": "≈", "sim": "∼", "infty": "∞", "in": "∈", "to": "→", "rightarrow": "→"},
    **{"leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "sum": "∑", "partial": "∂", "circ": "∘"},
    **{"nabla": "∇", "forall": "∀", "exists": "∃", "cup": "∪", "cap": "∩", "subset": "⊂", "subseteq": "⊆"},
    **{"wedge": "∧", "vee": "∨", "equiv": "≡", "propto": "∝", "notin": "∉", "ll": "≪", "gg": "≫"},
    **{"oplus": "⊕", "otimes": "⊗", "perp": "⊥", "simeq": "≃", "cong": "≅", "mapsto": "↦"},
    **{"Leftrightarrow": "⇔", "uparrow": "↑", "downarrow": "↓"},
    **{"star": "⋆", "ell": "ℓ", "prime": "′", "backslash": "\\", "lbrace": "{", "rbrace": "}"},
}
SYMBOLS = {**LETTERS, **_GREEK, **_SIGNS}
"""From a command without arguments to what is printed for it."""

_ACCENT_OF = {mark: macro for macro, mark in ACCENTS.items()}
_LETTER_OF = {letter: f"{{\\{macro}}}" for macro, letter in LETTERS.items()}

_SPECIAL = {
    # Not `\{`: BibTeX counts braces without regard to backslashes, and an unbalanced one ends the entry.
    "{": "{\\textbraceleft}",
    "}": "{\\textbraceright}",
    "\\": "{\\textbackslash}",
    "~": "{\\textasciitilde}",
    "^": "{\\textasciicircum}",
    "$": "\\$",
    "&": "\\&",
    "%": "\\%",
    "#": "\\#",
    "_": "\\_",
}
_TO_WRITE = re.compile(r"[{}\\~^$&%#_]|[^\x00-\x7f]|-(?=-)|`(?=`)|'(?=')|[?!](?=`)")
"""Special characters, accents, and pairs that LaTeX joins: ``--`` is a dash, two quotes are one."""


def to_latex(text: str) -> str:
    """Text as the value of a .bib field: special characters escaped, accented letters as macros in braces.

    The macros are for BibTeX's classic styles, which cut and sort labels byte by byte; other characters stay
    as they are (UTF-8). The result has balanced braces and single spaces.

    >>> to_latex("Müller & Šnajder: 100% {x}")
    'M{\\\\"u}ller \\\\& {\\\\v{S}}najder: 100\\\\% {\\\\textbraceleft}x{\\\\textbraceright}'
    """
    return _TO_WRITE.sub(_write, unicodedata.normalize("NFC", tidy(text)))


def _write(match: re.Match[str]) -> str:
    character = match[0]
    if (special := _SPECIAL.get(character)) is not None:
        return special
    if character.isascii():
        return f"{character}{{}}"
    # Before the accents: å has a macro of its own, and so have letters that are not composed.
    if (letter := _LETTER_OF.get(character)) is not None:
        return letter
    base, mark = (*unicodedata.normalize("NFD", character), "", "")[:2]
    whole = unicodedata.normalize("NFC", base + mark) == character
    if whole and base.isascii() and base.isalpha() and (macro := _ACCENT_OF.get(mark)) is not None:
        return f"{{\\{macro}{{{base}}}}}" if macro.isalpha() else f"{{\\{macro}{base}}}"
    return character
