"""Whether a text is English, as the stemmer, the stop words and the built-in encoder expect.

It is told by function words and scripts, which costs little and needs no model; which other language a text
has is not said.
"""

from __future__ import annotations

import re

from citewhy.text.ordinary_words import is_ordinary

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_LETTER = re.compile(r"[^\W\d_]")
_MOST = 20_000
"""Characters of a text that are looked at."""

_ENGLISH_WORDS = """
    the of and to are were that this these those with from by it its be been has had not but or which than we
    our they their can may would there between such both however what how when where into using used
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
"""Function words that the languages below have not."""
_OTHER_WORDS = """
    der das und ist nicht mit ein eine einer eines einem einen dem des auf für von im zu zur zum sind wird
    werden wurde wurden dass oder auch bei durch sich nach wie aus über als kann können
    le la les des du une un et est dans pour que qui sur par avec sont plus aux ce cette ces ou ne pas nous
    el los las una y es por con del lo su sus más como este esta estos entre sin fue han
    os um uma em não com da dos das na nas nos ao são foi mais pelo pela seu sua
    il gli di della delle dei degli che per è sono nel nella alla dal dalla si non anche più come questo
    de het een van dat niet zijn wordt met voor op aan door ook deze er naar
    och att det är som på av för inte med till har ikke og til af
    w z się nie jest są oraz przez dla od że az és hogy nem egy ve bir bu ile için olarak je ja ei
"""
_OTHERS = frozenset(_OTHER_WORDS.split())
"""Function words of other languages in Latin letters."""
_NAME = re.compile(r"\b(?:van|von|de|di|da|del|du|dos|la|le|el) (?:(?:der|den|la|los) )?(?=[A-Z])")
"""Particles before a family name."""


def is_english(text: str) -> bool:
    """Whether a text may be English. One of a few words, names and formulas may be: only what clearly is in
    another language is not.

    >>> is_english("Aufmerksamkeit ersetzt Rekurrenz in der maschinellen Übersetzung.")
    False
    >>> is_english("Attention replaces recurrence (van der Berg, de la Cruz, 2018).")
    True
    """
    text = text[:_MOST]
    letters = len(_LETTER.findall(text))
    if letters > 2 * len(_LATIN.findall(text)):
        return letters < 6
    words = _WORD.findall(_NAME.sub("", text))
    small = [word for word in words if word.islower()]
    english = sum(word in _ENGLISH for word in small)
    others = sum(word in _OTHERS for word in small)
    contents = [word for word in small if len(word) > 3 and word not in _OTHERS]
    known = sum(is_ordinary(word) for word in contents)
    return len(words) < 6 or others <= english or others * 20 < len(words) or 2 * known > len(contents)
