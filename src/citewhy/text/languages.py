"""The language of a text or of a title, told by its script, function words, letters and endings.

This costs little, needs no model, and errs towards English, which is what the word forms and the built-in
encoder expect: a title of names and formulas has no language. A library with models for a hundred languages
takes more English titles for another language (docs/log/languages.md).
"""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from citewhy.text.ordinary_words import is_ordinary
from citewhy.text.tokens import fold

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_LETTER = re.compile(r"[^\W\d_]")
_MOST = 20_000
"""Characters of a text that are looked at."""
_SENTENCE = 6
"""Words from which a text is more than names and a term."""

LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "sv": "Swedish",
    "da": "Danish",
    "pl": "Polish",
    "cs": "Czech",
    "hu": "Hungarian",
    "tr": "Turkish",
    "la": "Latin",
    "ru": "Russian",
    "uk": "Ukrainian",
    "el": "Greek",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "fa": "Persian",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "th": "Thai",
}
"""Name of each language that is told."""

_FUNCTION_WORDS = {
    "en": """the of and to are were that this these those with from by it its be been has had not but or which
        than we our they their can may would there between such both however what how when where into using
        used for is as at in on a or non an i over
        under no die""",
    "de": """der das die und ist nicht mit ein eine einer eines einem einen dem den des auf für von vom im zu
        zur zum sind wird werden wurde wurden dass oder auch bei beim durch sich nach wie aus über als kann
        können unter zwischen gegen seine ihre in fur uber am war es sie wir""",
    "fr": """le la les des du une un et est dans pour que qui sur par avec sont plus aux au ce cette ces ou ne
        pas nous de à en son sa ses leur leurs chez entre sans vers""",
    "es": """el los las una un y es por con del lo la su sus más como este esta estos entre sin fue han en de
        al para que se""",
    "pt": """os um uma em não com da do das dos na no nas nos ao à são foi mais pelo pela seu sua o e de para
        que se por entre sobre""",
    "it": """il i gli di della del delle dei degli che per è sono nel nella alla al dal dalla si non anche più
        come questo la le lo un una e da in tra fra su sul sulla""",
    "nl": """de het een van dat niet zijn wordt met voor op aan door ook deze er naar en in over bij uit te
        tussen onder""",
    "sv": "och att det som är på av för inte med till har i en ett den mellan från om",
    "da": "og at det som er på af for ikke med til har i en et den mellem fra om ved",
    "pl": "w z się nie jest są na i oraz przez do od dla o jako że po za pod ze",
    "cs": "v je se na že s z do pro jako a ve při jsou od po nebo jejich",
    "hu": "az és hogy nem egy a is ban ben mint vagy",
    "tr": "ve bir bu ile için olarak olan ya da göre",
    "la": "et de ad cum ex sive quae quod in pro seu atque ac liber super per ab",
}
_LETTERS = {
    "de": "ßäöü",
    "fr": "éèêëàâîïôùûçœ",
    "es": "ñáéíóú¿¡",
    "pt": "ãõáâàéêíóôúç",
    "it": "àèéìòù",
    "sv": "åäö",
    "da": "åæø",
    "pl": "ąćęłńóśźż",
    "cs": "ěščřžýáíéůúďťň",
    "hu": "őűáéíóöúü",
    "tr": "ğışçöü",
}
_ENDINGS = {
    "de": "ung ungen keit heit schaft lich liche lichen ischen ische isches sches scher ismus tät ierung gen",
    "fr": "ique iques eux euse aire aires ité ités ment ments elle elles isme eur eurs ale ales",
    "es": "ción ciones dad dades ico ica icos icas ismo miento mientos ía",
    "pt": "ção ções dade dades ico ica icos icas ismo mento ência ância ões",
    "it": "zione zioni ità ico ica ici iche ismo mento menti mente ezza",
    "nl": "heid ing ingen lijk lijke ische tie sche",
    "sv": "ning ningar het isk iska",
    "da": "ning ninger hed isk iske",
    "pl": "ość ości ych ów ego ów owych ania enia nych",
    "cs": "ost osti ých ého ní",
    "la": "orum arum ibus ae",
}
_ELIDED = {
    "fr": re.compile(r"(?:[ldnsjcm]|qu)['’]"),
    "it": re.compile(r"(?:l|un|d|dell|all|nell|dall|sull)['’]"),
}
"""Words before an apostrophe; English has none that short."""
_LONG_ENOUGH = 5
"""Letters of a word whose ending says something."""

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff\u3400-\u4dbf]")),
    ("uk", re.compile("[іїєґІЇЄҐ]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("fa", re.compile("[پچژگ]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
"""The languages of other scripts; of two with one script, the one that has letters of its own comes first."""
_NAME = re.compile(
    r"\b(?:(?:El|La) Ni[ñn][oa]\b"
    r"|(?:van|von|de|di|da|del|du|dos|la|le|el) (?:(?:der|den|la|los) )?(?=[A-Z]))"
)
"""Particles before a family name, and the names of a climate."""


def language_of(text: str) -> str:
    """Returns the code of the language of a text (`LANGUAGES`), or "" if a title, a name or a formula does
    not tell it.

    >>> language_of("Zur Theorie des Ferromagnetismus"), language_of("L'évolution des arts plastiques")
    ('de', 'fr')
    >>> language_of("Attention is all you need"), language_of("BERT")
    ('en', '')
    """
    text = text[:_MOST]
    letters = len(_LETTER.findall(text))
    if letters > 2 * len(_LATIN.findall(text)):
        return next((code for code, script in _SCRIPTS if script.search(text)), "")
    scores = _scores(_WORD.findall(_NAME.sub("", text)))
    english = scores.pop("en", 0.0)
    if not scores or max(scores.values()) < max(1.0, english):
        return "en" if english else ""
    return max(scores, key=lambda code: scores[code])


def is_english(text: str) -> bool:
    """Whether a text may be English. One of a few words, names and formulas may be: only what clearly is in
    another language is not.

    >>> is_english("Aufmerksamkeit ersetzt Rekurrenz in der maschinellen Übersetzung.")
    False
    >>> is_english("Attention replaces recurrence (van der Berg, de la Cruz, 2018).")
    True
    """
    told = language_of(text)
    if told in LANGUAGES and told not in _FUNCTION_WORDS:  # of another script
        return len(_LETTER.findall(text[:_MOST])) < _SENTENCE
    return told in ("en", "") or len(_WORD.findall(_NAME.sub("", text[:_MOST]))) < _SENTENCE


def is_function_word(word: str, language: str) -> bool:
    """Whether a word in small letters, with or without its accents, is one of those that say nothing of a
    subject, in a language (its code; "": none is told) or in English.

    >>> is_function_word("fur", "de"), is_function_word("fur", "en"), is_function_word("the", "de")
    (True, False, True)
    """
    return word in _unaccented(language) or word in _unaccented("en")


@functools.cache
def _unaccented(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in _FUNCTION_WORDS.get(language, "").split())


def count_languages(titles: Iterable[str]) -> dict[str, int]:
    """Counts the languages of titles by their codes, the most frequent first; titles that do not tell theirs
    are counted with the most frequent, as their papers are treated."""
    counts = Counter(map(language_of, titles))
    untold = counts.pop("", 0)
    if untold:
        counts[max(counts, key=lambda code: counts[code], default="en")] += untold
    return dict(counts.most_common())


def _scores(words: list[str]) -> dict[str, float]:
    """What speaks for each language: a function word as much as few languages have it, and half as much what
    content words are made of."""
    scores: defaultdict[str, float] = defaultdict(float)
    for word in words:
        small = word.lower()
        for code, elided in _ELIDED.items():
            if elided.match(small):
                scores[code] += 0.6
                small = small[small.index("'" if "'" in small else "’") + 1 :]
                break
        for code, weight in _evidence(small):
            scores[code] += weight
    return dict(scores)


@functools.lru_cache(maxsize=1 << 14)
def _evidence(word: str) -> tuple[tuple[str, float], ...]:
    """What a word in small letters says of languages."""
    owners = _owners().get(word, ())
    if owners:
        return tuple((code, 1 / len(owners)) for code in owners)
    if is_ordinary(word):
        return (("en", 0.5),)
    marks = [code for code, letters in _LETTERS.items() if any(letter in letters for letter in word)]
    ends = [
        code for code, endings in _ended().items() if len(word) >= _LONG_ENOUGH and word.endswith(endings)
    ]
    weights: defaultdict[str, float] = defaultdict(float)
    for codes, weight in ((marks, 1.0), (ends, 0.5)):
        for code in codes:
            weights[code] += weight / len(codes)
    return tuple(weights.items())


@functools.lru_cache(maxsize=1)
def _owners() -> dict[str, tuple[str, ...]]:
    owners: dict[str, tuple[str, ...]] = {}
    for code, listed in _FUNCTION_WORDS.items():
        for word in listed.split():
            owners[word] = (*owners.get(word, ()), code)
    return owners


@functools.lru_cache(maxsize=1)
def _ended() -> dict[str, tuple[str, ...]]:
    return {code: tuple(endings.split()) for code, endings in _ENDINGS.items()}
