"""Sentence splitting for scholarly text, with character offsets.

`nupunkt` decides at each full stop. It was trained on legal text, so its abbreviations are replaced by those
of papers, and rules that need more context than the next word follow: "et al. (2003)", "Fig. 3", brackets.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterator
from typing import Any

from citewhy.text.languages import language_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEADING = _words(
    """e.g eg i.e ie cf vs viz w.r.t wrt s.t a.k.a aka incl esp mr mrs ms dr prof messrs rev gen gov sen st
    figs eqs eqns secs sects tabs thms lems defs props cors algs chs refs exs nos vols appx approx proc"""
)
"""Abbreviations that something always follows: no sentence ends with one."""

_NUMBERED = _words(
    """fig figs eq eqs eqn eqns sec secs sect sects tab tabs thm thms lem lems def defs prop props cor cors
    alg algs ch chs chap app appx no nos nr p pp vol vols ex exs ref refs art pt l ll col fn jan feb mar
    apr jun jul aug sep sept oct nov dec"""
)
"""Abbreviations that belong to the number after them; some are also words ("no.", "app.")."""

_OTHER = _words(
    """al etc resp ca conf trans univ dept inst intl assoc comput linguist ed eds jr sr inc ltd corp co
    bros ph.d i.i.d iid fig eq eqn sec sect tab thm lem alg chap jan feb apr jun jul aug sep sept oct
    nov dec sg pl masc fem nom acc dat sing plur adj adv prep conj lit orig hon lt col capt sgt min max
    avg std dev temp cont op.cit"""
)
"""Abbreviations that may end a sentence, depending on the next word."""

_STARTERS = _words(
    """a an the this that these those it its he she they we i you our their his her my there here in on at
    by for from to with as of if when while where although though since because given once after before
    during despite unlike however moreover furthermore thus hence therefore then also additionally
    finally first second third next last similarly instead consequently nevertheless nonetheless
    otherwise meanwhile recently and but or so yet not no each every some many most several both all
    such one two three another other what which who how why let see note using following based according
    compared under over between among through within without"""
)
"""Words that, capitalised after an abbreviation, begin a sentence."""

_FOLLOWED = {
    "de": "vgl bzw sog ggf evtl inkl insb bspw mind hrsg zit ebd z.b d.h u.a o.ä i.d.r lat griech dt engl vs",
    "fr": "mme mlle p.ex env éd dir trad",
    "es": "sr sra dra ud uds p.ej ej ee vid trad ed",
    "pt": "sr sra dra ex p.ex trad",
    "it": "cfr dott sig prof es ad.es trad ecc",
    "nl": "bijv dhr mevr m.b.t d.w.z o.a vgl",
    "sv": "t.ex bl.a jfr s.k dvs",
    "da": "f.eks bl.a jf s.k dvs",
    "pl": "np zob por tzw tj m.in ks św im red",
    "ru": "см т.е напр т.н ср проф им",
}
"""Abbreviations that go on, by language; where a text is in it, no sentence ends with one."""
_BEFORE_NUMBERS = {
    "de": "abb kap abschn bd nr s tab rn rz anm aufl jg art bsp seite",
    "fr": "chap art éd t fig vol",
    "es": "pág págs pp cap núm art fig vol",
    "pt": "pág págs cap núm art fig vol",
    "it": "pag pagg cap sez art fig sec vol",
    "nl": "blz pag hfst afb art nr",
    "pl": "rys tab rozdz str s art nr",
    "ru": "рис табл гл с стр т",
}
"""Abbreviations before a number, by language."""
_ORDINALS = frozenset({"de", "da", "cs", "pl", "hu"})
"""Languages that write the third as "3."."""
_ABROAD = frozenset(
    word for listed in (*_FOLLOWED.values(), *_BEFORE_NUMBERS.values()) for word in listed.split()
)
_AND_OTHERS = re.compile(r"(?:\b[ue]\.\s?a|\bi in|\by cols?|\bet coll|\bи др)\.$")
_ORDINAL_BEFORE = re.compile(r"(?:^|[\s(–-])\d{1,2}\.$")
_ORDINAL_NEXT = re.compile(
    r"(?:[a-zà-ž]|Jahrhundert|Jh|Jahr|Kapitel|Auflage|Band|Januar|Februar|März|April|Mai|Juni|Juli|August|"
    r"September|Oktober|November|Dezember)"
)
_QUOTED_WHOLE = re.compile(
    r"(?:„[^„“”\n]{1,400}[.!?…][“”]|»[^»«\n]{1,400}[.!?…]«)(?=\s+[„»(]?[^\W\d_a-zß-ÿ])"
)
"""A sentence in the quotation marks of German and its neighbours, whose closing one opens in English."""
_IDEOGRAPHIC_END = re.compile("[。！？][」』”’）]*(?=[^\\s」』”’）])")

_DOTTED = re.compile(r"[a-z](?:\.[a-z])+")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_END_MARK = re.compile("[.!?…。！？]")
_LONG_RUN = re.compile(r"\S{400,}")
_WORD_BEFORE = re.compile(r"([A-Za-z\u00c0-\u024f\u0400-\u04ff][\w.’'-]*?)\.[\"'”’)\]]*$")
_NUMBER_NEXT = re.compile(r"[(\[#~]?(?:\d|(?!(?:A|I|a)\s)(?:[IVXL]+|[A-Za-z])\b|MATH\b)")
_AFTER_ET_AL = re.compile(r"[(\[\d;,:&’']|(?:and|in|on|for|with|have|has|who|used?|propose)\b")
_GLUED_BRACKET = re.compile(
    r"(?:\[[^\[\]\s]{1,40}\]|\[[\d,;–\- ]{1,60}\]|\([^()]{2,200}\b\d{4}[a-z]?\))(?=\s|$)"
)
_FOOTNOTE = re.compile(r"(?<=[a-z)\]”]{2})\.[1-9]\d?(?=\s+[A-Z][a-z])")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]{1,2}")
_ENUMERATOR_LAST = re.compile(r"[:;] \(?\d{1,2}[.)]$")
_NAME_WITH_MARK = re.compile(r"\b(?:Yahoo|Jeopardy|Kahoot)!$")
_INITIAL_BEFORE = re.compile(r"(?:^|[\s.-])[A-Z]\.$")
_INITIAL_NEXT = re.compile(r"[A-Z]\.")
_OPEN = {"(": ")", "[": "]"}
_BRACKET = re.compile(r"[()\[\]]")
_SHORT = 5
_PARENTHESIS_REACH = 300
"""Number of characters within which a bracket must close to keep its sentence together."""


_TOKENIZER_LOCK = threading.Lock()
"""The tokenizer caches its decisions and is not thread-safe."""


@functools.lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from nupunkt.core.constants import ORTHO_MID_LC
    from nupunkt.models import load_default_model

    tokenizer = load_default_model()  # a new instance: changing it affects nobody else
    learned = tokenizer.parameters
    learned.abbrev_types = {word for word in learned.abbrev_types if _DOTTED.fullmatch(word)}
    learned.abbrev_types |= _LEADING | _OTHER | {"..."}
    learned.sent_starters = set(_STARTERS)
    # "in λ. When …": a single letter counts as an initial unless the next word also occurs in lower case.
    learned.ortho_context = dict.fromkeys(_STARTERS, ORTHO_MID_LC)
    learned.collocations = set()
    tokenizer.EXCL_QUEST_LOWERCASE_CONTINUES = True
    tokenizer.clear_decision_cache()
    return tokenizer


def spans(text: str) -> list[tuple[int, int]]:
    """Offsets ``[start, end)`` of the sentences, in order; only white space is between them.

    A blank line ends a sentence. No sentence starts or ends with white space.
    """
    sentence_spans: list[tuple[int, int]] = []
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        sentence_spans += _block(text, start, blank.start())
        start = blank.end()
    return sentence_spans + _block(text, start, len(text))


def split(text: str) -> list[str]:
    """The sentences of a text.

    >>> split("We follow Och et al. (2003). See Fig. 3 for results.")
    ['We follow Och et al. (2003).', 'See Fig. 3 for results.']
    """
    return [text[start:end] for start, end in spans(text)]


def _block(text: str, start: int, end: int) -> list[tuple[int, int]]:
    block = text[start:end]
    # nupunkt looks from every full stop to the next white space: a very long word would take quadratic time.
    shown = _LONG_RUN.sub(lambda run: "x" * len(run[0]), block)
    cuts = [position for position in _candidates(shown) if 0 < position < len(block)]
    pieces: list[tuple[int, int]] = []
    begin = 0
    for cut in cuts:
        if cut > begin and not _continues(block, begin, cut):
            pieces.append((begin, cut))
            begin = cut
    pieces.append((begin, len(block)))
    tight = (_strip(block, *piece) for piece in pieces)
    return [(start + a, start + b) for a, b in tight if a < b]


def _candidates(block: str) -> Iterator[int]:
    """Yields the positions at which a sentence may end, in order: where nupunkt says so, and after the number
    of a footnote."""
    if not _END_MARK.search(block):
        return  # most headings and cells
    with _TOKENIZER_LOCK:
        positions = {end for _, end in _tokenizer().span_tokenize(block)}
    own = {end.end() for marks in (_FOOTNOTE, _QUOTED_WHOLE) for end in marks.finditer(block)}
    ideographic = {end.end() for end in _IDEOGRAPHIC_END.finditer(block)}
    for position in sorted(positions | own | ideographic):
        if position in ideographic:
            yield position
            continue
        if position < len(block) and not block[position].isspace():
            bracket = _GLUED_BRACKET.match(block, position)
            if bracket:
                yield bracket.end()
        else:
            yield position


def _continues(block: str, begin: int, cut: int) -> bool:
    """Whether the sentence that starts at `begin` continues after `cut`."""
    before = block[max(begin, cut - 60) : cut]
    after = block[cut : cut + 60].lstrip()
    if not after or not any(c.isalnum() for c in before):
        return True
    if after[0] in ",;:)]}%" or (_NAME_WITH_MARK.search(before) and not _starts(after)):
        return True
    if before.endswith(" .") and after[0].isdigit():
        return True
    if _INITIAL_BEFORE.search(before) and _INITIAL_NEXT.match(after):
        return True
    if _ENUMERATOR.fullmatch(block[begin:cut].strip()) or _ENUMERATOR_LAST.search(before):
        return True
    if _after_abbreviation(before, after) or _inside_bracket(block, begin, cut):
        return True
    return _goes_on_abroad(block, before, after)


@functools.lru_cache(maxsize=4)
def _language(block: str) -> str:
    """The language of a block, told once for all its full stops."""
    return language_of(block)


def _goes_on_abroad(block: str, before: str, after: str) -> bool:
    """Whether a full stop is one of an abbreviation or an ordinal number of the text's language, if that is
    not English."""
    if _AND_OTHERS.search(before) and after[0] in "([":
        return True  # "Roe u. a. (2010)"
    abbreviation = _WORD_BEFORE.search(before)
    word = abbreviation[1].lower() if abbreviation else ""
    ordinal = _ORDINAL_BEFORE.search(before) is not None and _ORDINAL_NEXT.match(after) is not None
    if not ordinal and word not in _ABROAD:
        return False
    language = _language(block)
    if word in _FOLLOWED.get(language, "").split():
        return True
    if word in _BEFORE_NUMBERS.get(language, "").split() and _NUMBER_NEXT.match(after):
        return True
    return ordinal and language in _ORDINALS


def _after_abbreviation(before: str, after: str) -> bool:
    abbreviation = _WORD_BEFORE.search(before)
    if abbreviation is None:
        return False
    word = abbreviation[1].lower()
    if word == "al":
        return _AFTER_ET_AL.match(after) is not None
    if word in _NUMBERED and _NUMBER_NEXT.match(after):
        return True
    if word in _LEADING:
        return not before.endswith((")", "]")) and not _starts(after)
    if after[0].islower() and abbreviation[1][0].isupper() and len(word) <= _SHORT:
        return True  # an abbreviation that is in no list ("Hartford, Conn. was")
    return word == "etc" and after[0] in "(["


def _starts(after: str) -> bool:
    word = re.match(r"[A-Z][a-z]*|I\b", after)
    return word is not None and word[0].lower() in _STARTERS


def _inside_bracket(block: str, begin: int, cut: int) -> bool:
    """Whether `cut` is in a bracket that opened within the sentence (not at its start) and closes soon."""
    window = max(begin, cut - _PARENTHESIS_REACH)
    stack: list[int] = []
    for bracket in _BRACKET.finditer(block, window, cut):
        if bracket[0] in _OPEN:
            stack.append(bracket.start())
        elif stack and _OPEN[block[stack[-1]]] == bracket[0]:
            stack.pop()
    if not stack or not block[begin : stack[0]].strip():
        return False
    opened = stack[-1]
    closing = _BRACKET.search(block, cut, cut + _PARENTHESIS_REACH)
    return closing is not None and closing[0] == _OPEN[block[opened]]


def _strip(block: str, start: int, end: int) -> tuple[int, int]:
    piece = block[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
