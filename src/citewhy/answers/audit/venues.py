"""Whether two names mean one venue: a table of the usual ones, and a rule for all others."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from citewhy.text.names import latin, venue_key
from citewhy.text.tokens import STOP_WORDS

__all__ = ["Relation", "is_journal", "relation", "series", "share_a_word"]

Relation = Literal["same", "other", "unclear"]

_SERIES = {
    "neurips": r"neurips|nips|neural inf\w* process\w*( sys\w*)?",
    "icml": r"icml|int\w* conf\w* (on )?mach\w* learn\w*(?! and)",
    "iclr": r"iclr|int\w* conf\w* (on )?learn\w* repr\w*|learning representations",
    "aaai": r"aaai|aaai conf\w*( (on )?artif\w* intell\w*)?|nat\w* conf\w* (on )?artif\w* intell\w*",
    "ijcai": r"ijcai|int\w* joint conf\w*( on)? artif\w* intell\w*",
    "cvpr": r"cvpr|(conf\w* (on )?)?comp\w* vis\w* (and )?pattern recog\w*(?! workshops?)|"
    r"computer vision and pattern recognition",
    "iccv": r"iccv|int\w* conf\w* (on )?comp\w* vis\w*(?! theory)",
    "eccv": r"eccv|europ\w* conf\w* (on )?comp\w* vis\w*",
    "wacv": r"wacv|(winter conf\w* (on )?)?applications of computer vision",
    "bmvc": r"bmvc|british machine vision( conference)?",
    "accv": r"accv|asian conf\w* (on )?comp\w* vis\w*",
    "miccai": r"miccai|medical image computing and computer[- ]assisted intervention",
    "aacl": r"aacl\b.*|asia[- ]pacific chapter of the association for comp\w* ling\w*.*",
    "naacl": r"(hlt[- /]?)?naacl([- /]?hlt)?|"
    r".*north american chapter of the (acl|association for comp\w* ling\w*).*|"
    r"(north american )?human language technolog\w*( conference)?.*",
    "eacl": r"eacl|.*european chapter of the (acl|association for comp\w* ling\w*).*",
    "acl": r"acl(-ijcnlp)?|acl/ijcnlp|"
    r"(annual meeting (of|on) (the )?)?assoc\w* (for )?comp\w* ling\w*(?! on).*|"
    r".*annual meeting of the association for comp\w* ling\w*.*",
    "tacl": r"tacl|trans\w* (of the )?(assoc\w* (for )?comp\w* ling\w*|acl)",
    "cl": r"comp\w* ling\w*(?! and)|cl",
    "emnlp": r"emnlp(-ijcnlp|-conll)?|.*empirical methods (in|for) natural language processing.*",
    "conll": r"conll|.*(computational )?natural language learning.*",
    "coling": r"coling( 20\d\d)?|(.*\b)?(int\w* )?conf\w* on comp\w* ling\w*(?! and intelligent).*",
    "lrec": r"lrec(-coling)?|.*conf\w* .*language resources and evaluation.*|"
    r"language resources and evaluation conf.*",
    "ijcnlp": r"ijcnlp|.*int\w* joint conf\w* (on )?natural language processing.*",
    "interspeech": r"interspeech|.*international speech communication association.*|eurospeech|icslp",
    "icassp": r"icassp|.*acoustics,? speech,?( and)? signal processing(?! transactions)",
    "kdd": r"(sig)?kdd|acm sigkdd.*|.*knowledge discovery (and|&) data mining(?! in databases)",
    "www": r"www|the web conf\w*|web conference|world[- ]wide web( conf\w*)?|thewebconf",
    "sigir": r"sigir|.*research and development in information retrieval",
    "cikm": r"cikm|.*information and knowledge management",
    "wsdm": r"wsdm|.*web search and (web )?data mining",
    "recsys": r"recsys|.*recommender systems",
    "icdm": r"icdm|.*int\w* conf\w* (on )?data mining",
    "sdm": r"sdm|siam int\w* conf\w* (on )?data mining",
    "ecml": r"ecml([- /]?pkdd)?|(joint )?europ\w* conf\w* (on )?mach\w* learn\w*.*|"
    r"machine learning and (principles|knowledge).*",
    "colt": r"colt|.*(conf\w*|workshop) (on )?(computational )?learning theory",
    "aistats": r"aistats|.*artif\w* intell\w* and statistics",
    "uai": r"uai|.*uncertainty in artif\w* intell\w*",
    "icra": r"icra|.*int\w* conf\w* (on )?robotics and automation",
    "iros": r"iros|.*intelligent robots and systems",
    "rss": r"rss|robotics:? science and systems",
    "corl": r"corl|.*conf\w* (on )?robot learning",
    "chi": r"chi|.*human factors in computing systems",
    "sigmod": r"sigmod|.*management of data",
    "vldb": r"p?vldb|.*very large (data ?bases?)|vldb endow\w*",
    "icde": r"icde|.*int\w* conf\w* (on )?data engineering",
    "stoc": r"stoc|.*theory of computing",
    "focs": r"focs|.*foundations of computer science",
    "soda": r"soda|.*discrete algorithms",
    "siggraph": r"siggraph( asia)?",
    "tog": r"tog|acm trans\w* (on )?graph\w*",
    "jmlr": r"jmlr|j\w* (of )?mach\w* learn\w* res\w*",
    "tmlr": r"tmlr|trans\w* (on )?mach\w* learn\w* res\w*",
    "ml": r"mach\w* learn\w*",
    "jair": r"jair|j\w* (of )?artif\w* intell\w* res\w*",
    "pami": r"t?pami|.*pattern anal\w* (and )?mach\w* intell\w*",
    "ijcv": r"ijcv|int\w* j\w* (of )?comp\w* vis\w*",
    "tip": r"tip|ieee trans\w* (on )?image proc\w*",
    "neco": r"neural comput\w*",
    "jasa": r"jasa|j\w* (of the )?am\w* stat\w* assoc\w*",
    "jrssb": r"j\w* (of the )?r\w* stat\w* soc\w*,?:? (ser\w* )?(b\b|stat\w* meth).*",
    "pnas": r"pnas|(proc\w* (of the )?)?nat\w* acad\w* (of )?sci\w*.*",
    "prl": r"prl|phys\w* rev\w* lett\w*",
    "cacm": r"cacm|comm\w* (of the )?acm",
    "jacm": r"jacm|j\w* (of the )?acm",
    "iwslt": r"iwslt|.*workshop (on )?spoken language translation",
    "wmt": r"wmt|.*(workshop|conference) (on )?(statistical )?machine translation",
    "semeval": r"semeval|.*semantic evaluation",
}
"""The usual venues: names, abbreviations and acronyms of each, as `_bare` writes them."""

_TABLE = {name: re.compile(rf"(?:{pattern})") for name, pattern in _SERIES.items()}

_JOURNALS = frozenset(
    "tacl cl tog jmlr tmlr ml jair pami ijcv tip neco jasa jrssb pnas prl cacm jacm".split()  # noqa: SIM905
)

_NOT_OF_NAMES = re.compile(
    r"""\b(?:proc(?:eedings|s)?\b\.?|in\ proceedings|(?:the\ )?(?:\d+\s?(?:st|nd|rd|th)|first|second|third|
    fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|
    \w+teenth|\w+tieth(?:[- ]\w+)?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]\w+)\b|
    (?:19|20)\d\d(?!\w)|annual\ (?=conf|int|acm|ieee)|’\d\d|'\d\d|acm[-/ ]siam|
    acm(?:/ieee)?(?=\ (?:conf|int|symp|sig|workshop))|
    ieee(?:/cvf|/acm|/rsj|\ computer\ society)?(?=\ (?:conf|int|symp|winter|workshop|comp)))\b""",
    re.VERBOSE,
)
"""What stands around the name of a venue, and tells its volumes apart."""

_BEFORE = re.compile(
    r"^(?:annual |the |ieee(?:/\w+)? |acm |conf\w* (?:and workshops? )?on |meeting on |in )+"
)
_PIECES = re.compile(r"[,:;–]\s|\s[-–/]\s")
_BESIDE = re.compile(r"\b(?:held |co-?located )?(?:in conjunction )?with (?:the )?\d.*", re.IGNORECASE)
"""Another meeting that a meeting was held with."""
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
_SERIES_LETTER = re.compile(r"\(\s*((?:Series )?[A-D])\s*\)")
_ACRONYM = re.compile(r"[(\[]\s*([A-Z][A-Za-z&/-]{1,12})\W{0,2}(?:(?:19|20)?\d\d)?\s*[)\]]")
_WORD = re.compile(r"[a-z]+")
_NO_VENUE = re.compile(
    r"(?:lecture notes (?:in|on) |lncs|lnai|ceur|curran|springer|elsevier|acm(?: press)?$|ieee(?: press)?$|"
    r"pmlr$|openreview|mit press|jmlr\.?org|morgan|association for computing machinery|"
    r"advances in intelligent systems|"
    r"(?:vol|volume|ser|series)\b|aaai press|proceedings of machine learning research|jmlr proceedings|"
    r"jmlr workshop|communications in computer|ifip|corr$|citeseer|university|acl anthology|"
    r"usenix association)"
)
"""Publishers and series, which stand where a venue should, and say nothing of it."""

_CUT = re.compile(r"(?:\\[lc]?dots|…|\.\.\.)\s*$")
"""The end of a name that was cut."""
_MEETINGS = re.compile(
    r"(?<!\s)\s*+(?:/|\band\b)\s(?=(?:\w{1,20}\s)?(?:conf|meeting|joint|symp))", re.IGNORECASE
)
"""What stands between the names of two meetings."""
_MEETING = re.compile(r"\b(?:conf|symp|journal|trans|workshop|meeting|congress|review|letters)")
"""The name of a meeting or a journal has one of these."""

_EMPTY = frozenset(
    """annual meeting conference conf international int intl national symposium symp workshop workshops
    journal j transactions trans proceedings proc ieee acm cvf siam european advances adv letters lett
    review rev reviews series new first joint""".split()  # noqa: SIM905
)
"""Words that many venues share."""


@lru_cache(maxsize=8192)
def _bare(venue: str) -> str:
    """The name of a venue without what tells its volumes apart."""
    text = (
        latin(_BRACKETS.sub(" ", _SERIES_LETTER.sub(r" \1 ", _BESIDE.sub("", venue))))
        .replace("&", " and ")
        .replace(".", " ")
    )
    text = _NOT_OF_NAMES.sub(" ", " ".join(text.split()))
    text = re.sub(r"^(?:[\W_]|of |the |on |in )+|[\W_]+$", "", " ".join(text.split()))
    return re.sub(r" ?(?<![,:;–-])[,:;–-]++ (?:volume|vol|part|long|short|main|track|papers?)\b.*", "", text)


@lru_cache(maxsize=8192)
def series(venue: str) -> str:
    """The usual venue that a name means; empty for others. What stands in brackets may be its acronym.

    >>> series("Advances in Neural Information Processing Systems 33"), series("Proc. of CVPR 2020")
    ('neurips', 'cvpr')
    """
    bare = _bare(venue)
    if re.search(r"\bworkshops?\b|\bcompanion\b|\bfindings\b|\bdemonstrations?\b", bare):
        bare = bare if re.search(r"machine translation|spoken|learning theory", bare) else ""
    for piece in dict.fromkeys((bare, *map(str.strip, _PIECES.split(bare)))):
        whole = re.sub(r"^adv\w* in ", "", piece)
        shorter = _BEFORE.sub("", whole)
        for name, pattern in _TABLE.items():
            if whole and (pattern.fullmatch(whole) or (name not in _JOURNALS and pattern.fullmatch(shorter))):
                return name
    acronym = _ACRONYM.search(venue)
    if acronym and bare and acronym[1].lower() in _TABLE:
        return acronym[1].lower()
    first = re.match(r"([A-Za-z]+)[\s'’-]*(?:(?:19|20)?\d\d)\b", venue.strip())
    if first and first[1].lower() in _TABLE:
        return first[1].lower()
    return ""


def is_journal(venue: str) -> bool:
    """Whether a venue is surely a journal.

    >>> is_journal("J. Mach. Learn. Res."), is_journal("ICML")
    (True, False)
    """
    known = series(venue)
    if known:
        return known in _JOURNALS
    words = _bare(venue).split()
    return any(
        re.match(r"journal|j$|trans|letters|lett|review|rev$|annals|ann$|bulletin|magazine", w) for w in words
    )


def is_beside(venue: str) -> bool:
    """Whether it is a track beside the papers of a meeting, where their authors show the same work.

    >>> is_beside("Proceedings of ACL 2016: Demonstrations")
    True
    """
    return re.search(r"\b(?:demonstrations?|demos?|companion|abstracts)\b", venue.lower()) is not None


@lru_cache(maxsize=8192)
def relation(one: str, other: str) -> Relation:
    """Whether two names mean one venue. Acronyms, abbreviated words and parts of names are that venue; names
    that share no word that tells are two; of all others, nothing is said.

    >>> relation("NIPS", "Advances in Neural Information Processing Systems")
    'same'
    >>> relation("ICML", "International Conference on Learning Representations")
    'other'
    >>> relation("Trans. Sig. Proc.", "Transactions on Signal Processing")
    'same'
    """
    first, second = _bare(one), _bare(other)
    if _CUT.search(one) or _CUT.search(other):
        return "unclear"
    if not first or not second or _NO_VENUE.match(first) or _NO_VENUE.match(second):
        return "unclear"
    ours, theirs = series(one), series(other)
    if ours and theirs:
        together = {ours, theirs} in _TOGETHER or ours in _joint(other) or theirs in _joint(one)
        return "same" if ours == theirs or together else "other"
    if venue_key(one) == venue_key(other) or first == second:
        return "same"
    mine, yours = _telling(first), _telling(second)
    if ours or theirs:
        return (
            _with_usual(ours, first, second, mine, yours)
            if ours
            else _with_usual(theirs, second, first, yours, mine)
        )
    if _abbreviates(mine, yours) or _abbreviates(yours, mine):
        return "same"
    return "same" if _is_acronym(one, second) or _is_acronym(other, first) else "unclear"


def _joint(venue: str) -> set[str]:
    """The usual venues among meetings that met as one: “… Conference and Conference on …”."""
    return {series(meeting) for meeting in _MEETINGS.split(venue)}


def _with_usual(usual: str, name: str, other: str, its: tuple[str, ...], others: tuple[str, ...]) -> Relation:
    """Whether a name that is in no table means the `usual` venue, of which the table knows the `name`: it
    does if each of its words stands for one of that, and does not if it names another meeting or journal."""
    if name.startswith(other) or other.startswith(name):
        return "unclear"  # a series of it
    if re.search(rf"\b{usual}\b", other) or (usual not in _JOURNALS and name in other):
        return "unclear"  # a workshop of the venue, or a part of it
    if len(its) == len(others) and (_abbreviates(its, others) or _abbreviates(others, its)):
        return "same"
    return "other" if others and _MEETING.search(other) else "unclear"


def share_a_word(one: str, other: str) -> bool:
    """Whether two names have a word that tells in common, whole or abbreviated, or one may be an acronym or
    a publisher, or has no such word: whether they may be one venue.

    >>> share_a_word("Phys. Rev. B", "Physical Chemistry"), share_a_word("Ecology", "Physica D")
    (True, False)
    """
    first, second = _bare(one), _bare(other)
    mine, yours = _telling(first), _telling(second)
    if not mine or not yours or _NO_VENUE.match(first) or _NO_VENUE.match(second):
        return True
    if any(_initials_in(name, beside) for name, beside in ((mine, yours), (yours, mine))):
        return True
    return any(_alike(word, that) for word in mine for that in yours)


def _initials_in(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether a name of one short word begins as another does, so that it may be its acronym."""
    return len(short) == 1 and len(short[0]) <= 6 and short[0][0] == long[0][0]


_TOGETHER = (
    *({"acl", "ijcnlp"}, {"emnlp", "ijcnlp"}, {"emnlp", "conll"}, {"coling", "acl"}, {"siggraph", "tog"}),
    *({"lrec", "coling"}, {"naacl", "acl"}, {"eacl", "acl"}, {"aacl", "ijcnlp"}),
)
"""Venues that met together, or whose papers are issues of the journal."""


def _telling(bare: str) -> tuple[str, ...]:
    return tuple(word for word in _WORD.findall(bare) if word not in STOP_WORDS and word not in _EMPTY)


def _alike(one: str, other: str) -> bool:
    """Whether two words may be one, one of them abbreviated."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or (len(short) > 3 and short[:4] == long[:4])


def _abbreviates(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether each of the words stands for one of the others, in order."""
    if not short:
        return False
    rest = iter(long)
    return all(any(_stands_for(word, that) for that in rest) for word in short) and (
        len(short) > 1 or len(long) < 3
    )


def _stands_for(short: str, word: str) -> bool:
    """Whether a word is the other, or its beginning, or its letters in order from the first: ``natl``."""
    if word.startswith(short) or short.startswith(word[:4]):
        return True
    letters = iter(word)
    return len(short) > 1 and short[0] == word[0] and all(letter in letters for letter in short)


def _is_acronym(one: str, other: str) -> bool:
    """Whether the first name is, or has in it, the initials of the other, or letters of its words in
    order."""
    found = _ACRONYM.search(one)
    name = found[1] if found else re.sub(r"[\W_]*(?:(?:19|20)?\d\d)?\W*$", "", one.strip())
    if not re.fullmatch(r"[A-Za-z&/-]{2,12}", name) or sum(map(str.isupper, name)) < 2:
        return False
    letters = iter("".join(word[:3] for word in _WORD.findall(other) if word not in STOP_WORDS))
    return all(letter in letters for letter in name.lower() if letter.isalpha())
