"""Reads the notes at missing citations: ``TODO: cite Och 2003``, ``add citation: BLEU``."""

from __future__ import annotations

import re

from citewhy.text.printed_names import names_before

_OF_NOTES = frozenset(
    """a about add also and at by check cf citation citations cite cited cites e.g eg et al find fixme for
    from get give here i.e in insert look me missing my need needed needs of on or original paper papers
    please put ref reference references refs see someone something somebody tbd that the their this to
    todo up use we which with work xxx source sources réf référence réfs quelle quellen quellenangabe
    beleg belege nachweis nachweise literatur lit fehlt fehlen nachtragen ergänzen einfügen nötig
    nécessaire nécessaires manquante manquantes compléter trouver ajouter vérifier requerida necesaria
    necessaria fonte fuente cita se requiere carece de fontes senza anm nb hinweis""".split()  # noqa: SIM905
)
"""Words of notes that say nothing of the paper."""

_SIGNAL = (
    r"see(?: also)?|compare|cf\.?(?: also)?|cfr\.|vgl\.?(?: auch| dazu)?|vergleiche|siehe(?: auch| dazu)?|"
    r"s\. ?a\.|voir(?: aussi)?|véase|vid\.|ver|vedi|zie|passim|e\.g\.,?|for example|z\. ?B\.|"
    r"quoted (?:in|after)|cited in|zit(?:iert|\.) nach|cité par"
)
_SAME = r"ib(?:id(?:em)?|d)?\b\.?|ebd\b\.?|ebenda\b|eodem\b|idem\b|id\.|loc\. ?cit\.|l\. ?c\.|a\. ?a\. ?O\."
_PAGES = (
    r"\b(?:pp?|S|Seiten?|pages?|fols?|ff?|chap|ch|Kap|vol|Bd)\b\.?\s*\d+[rv]?"
    r"(?:\s*[-–—]+\s*\d+)?(?:\s*ff?\b\.?)?"
)
_NO_CONTENT = re.compile(
    r"(?:\A|(?<=[.;,:(]\s)|(?<=\())\s*(?:(?:but|and|aber|und|mais|et)\s+)?"
    rf"(?:{_SIGNAL}|{_SAME})(?=[\s.,;:)]|\Z)|"
    rf"\b(?:op|loc)\. ?cit\.|\ba\. ?a\. ?O\.|{_PAGES}",
    re.IGNORECASE,
)
"""What a footnote says besides what it is about: "See", "Vgl.", "Ibid.", "op. cit.", "p. 3"."""
_AGAIN = re.compile(
    rf"\W*(?:(?:{_SIGNAL})\W+)?(?:{_SAME})(?:[\s.,:–-]*\b(?:{_PAGES}|\d+\b))*\W*", re.IGNORECASE
)

_NOT_MEANT = re.compile(
    r"(?:^|[,;.(])\s*(?:and |but |or )?(?:not|ask|tell|e-?mail|talk to|check with|discuss with)\b[^,;.)\]]*"
    r"|(?<!\bis )(?<!\bare )\bnot (?:by )?[A-Z][\w'’-]*(?: \d{4})?(?=\s*(?:$|[,;.)\]]))"
    r"|\b(?:rather than|instead of|other than|unlike)\b[^,;.)\]]*"
)
"""What a note says of papers that are not meant ("not Kuhn"), and of people who are to be asked."""
_WORD = re.compile(r"[^\s,;()\[\]{}\"“”]+")
_LONGEST = 200
_MARGIN = ".:!?*~\\"


def read_note(note: str) -> str:
    """Returns what a note says of the paper, without the request to cite it; empty if it says nothing.

    >>> read_note("[TODO: cite Och 2003]"), read_note("citation needed")
    ('Och 2003', '')
    >>> read_note("cite the paper on trams, not Kuhn; ask Bob")
    'trams'
    """
    meant = _NOT_MEANT.sub("", note[:_LONGEST])
    words = (word.strip(_MARGIN) for word in _WORD.findall(meant))
    return " ".join(word for word in words if word and word.casefold() not in _OF_NOTES)


def content_of(text: str) -> str:
    """What a part of a footnote says of its subject; empty if it has no words but "See", "Vgl." and the like.

    >>> content_of("Vgl. auch"), content_of("See, for the trams of Vienna, p. 12.")
    ('', ', for the trams of Vienna, .')
    """
    rest = _NO_CONTENT.sub("", text)
    return rest.strip() if any(map(str.isalpha, rest)) else ""


def is_again(text: str) -> bool:
    """Whether the words before a citation say that it is the one before: "Ibid.", "Vgl. ebd."."""
    return len(text) <= _LONGEST and _AGAIN.fullmatch(text) is not None


def authors_before(text: str) -> tuple[str, ...]:
    """The surnames at the end of a text that are followed by "et al.", or joined by "and"; otherwise none,
    since a single capitalised word may be anything.

    >>> authors_before("As shown by Papineni et al."), authors_before("by Och and Ney")
    (('Papineni',), ('Och', 'Ney'))
    >>> authors_before("as measured by BLEU")
    ()
    """
    end = len(text.rstrip())
    authors = names_before(text, end, max(0, end - _LONGEST))
    if authors is None or not (authors.et_al or len(authors.names) > 1):
        return ()
    return authors.names
