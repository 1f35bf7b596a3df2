"""Placeholders that authors write where a citation is still missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citewhy.text.tokens import fold

_KEY = re.compile(r"\?*|(?:TODO|FIXME|XXX|TBD)(?![a-z]).*|(?:todo|fixme|xxx+|tbd)(?![a-z]).*", re.DOTALL)
_KEY_WORD = re.compile(r"(?:cite|citation|citation[-_ ]?needed|ref|missing)\?*", re.IGNORECASE)

_COMMAND = re.compile(
    r"(?:cite|citation)s?(?:needed|need|missing|todo|here|me)|"
    r"(?:need|needs|needed|todo|missing|add|to|tbd|find)(?:s|a)?(?:cite|citation)s?",
    re.IGNORECASE,
)

_NOTE = r"[^\[\]{}\\$%\n]{0,200}"
_CITATION = r"(?:cite|citation|ref|reference)s?"
_SOURCE = r"sources?(?!\s+(?:codes?|files?|of|terms?|nodes?)\b)"
REQUEST = (
    rf"(?:add|needs?|insert|find|missing)\s+(?:an?\s+|the\s+|more\s+)?(?:{_CITATION}|{_SOURCE})\b{_NOTE}"
)
_REMARK = rf"(?:TODO|FIXME)\b{_NOTE}\b{_CITATION}\b{_NOTE}"

_NOT_A_NAME = (
    r"(?!(?i:fig|tab|sec|chap|eq|app|part|page|note|step|line|box|"
    r"jan|feb|mar(?:ch)?\b|apr|may\b|june?\b|july?\b|aug|sep|oct|nov|dec)\w*\b)"
)
_NAME = rf"{_NOT_A_NAME}[^\W\d_a-z][\w'’-]+"
_NAMES = rf"(?-i:{_NAME}(?:\s*(?:,|&|\\&|and|und|et|y|e)\s*{_NAME}){{0,3}}(?:,?\s+et\s+al\.?)?)"
_CENTURY = r"(?:1[89]|20)"
_DOUBTED = (
    rf"{_NAMES},?\s+\(?"
    rf"(?:{_CENTURY}\d\d[a-z]?\)?\s*\?{{1,3}}|{_CENTURY}?(?-i:\?\?|XX){{1,2}}\)?|year\s*\?)"
)
"""A name and a year that the author is not sure of, or has still to look up: "Smith 2020?", "Smith, 19??"."""

_DATED = (
    r"(?!(?:about|around|circa|before|after|since|until|from|between|born|died|dated|early|late|mid|spring|summer|"
    r"autumn|fall|winter|years?|published|printed|written|built|founded|edition|vol|pages?|seit|nach|etwa|gegen|"
    r"jahr|vers|avant|depuis|entre|printemps|hacia|antes|desde|verso|prima|dopo)\b)"
)
"""Words before a year that is doubted itself: "[circa 1640?]"."""
_SMALL_DOUBTED = (
    rf"(?-i:{_DATED}[a-zß-öø-ÿ][\wß-öø-ÿ'’-]{{2,30}}(?:\s+(?:and|&|und|et|y)\s+{_DATED}[a-z][\w'’-]{{2,30}}|"
    rf"\s+et\s+al\.?)?,?\s+{_CENTURY}\d\d[a-z]?\s*\?{{1,3}})"
)
"""The same of a surname in small letters, as typed in haste: "kuhn 1962?"."""

_ASKED = (
    rf"(?:{_CITATION}|sources?|Quellen?(?:angabe|nachweis)?|Belege?|Nachweise?|Literatur|Fonte|Fuente|Cita|"
    rf"réf(?:érence)?s?\.?|ref\.|Lit\.)"
)
_WANTING = (
    r"(?:needed|missing|required|fehlt|fehlen|nachtragen|ergänzen|einfügen|nötig|nécessaires?|manquantes?|"
    r"à\s+(?:compléter|trouver|ajouter|vérifier)|requerida|necesaria|necessaria|necessária)"
)
LACKING = (
    rf"(?:(?:Anm|NB|Note?|Hinweis)\b\.?:?\s*)?{_ASKED}\s*(?:\?{{1,3}}|!{{1,3}}|\s{_WANTING}\s*\??)|"
    rf"se\s+requiere\s+cita|carece\s+de\s+fontes|senza\s+fonte|{_DOUBTED}|{_SMALL_DOUBTED}"
)
"""What is lacking: "ref?", "source needed", "réf. nécessaire", "Anm.: Quelle?", "Smith 2020?"; `REQUEST` are
requests: "add a citation"."""

OPEN_BRACKET = re.compile(
    rf"\[\s*(?:\?{{1,3}}|{_CITATION}(?:\s+(?:needed|missing|here))?\s*\??|"
    rf"(?:CITE|CITATION)\b{_NOTE}|{REQUEST}|{_REMARK}|{LACKING})\s*\]|"
    r"(?<![^\s~])\[(?-i:XX|XXX)\](?!\w)",
    re.IGNORECASE,
)
"""``[CITE]``, ``[?]``, ``[citation needed]``, ``[Smith 2020?]``, ``[TODO: cite Smith]`` in running text."""

_IN_ROUND = r"[^()\[\]{}\\$%\n]{0,200}"
OPEN_ROUND = re.compile(
    rf"\(\s*(?:(?:CITE|CITATION)\b{_IN_ROUND}|cite\s{_IN_ROUND}|"
    rf"(?i:citations?\s+(?:needed|missing|here)|{LACKING}|"
    rf"{REQUEST.replace(_NOTE, '[^()]{0,200}')}|{_REMARK.replace(_NOTE, '[^()]{0,200}')}))\s*\)"
)
"""The same in round brackets, which have many other uses: ``(CITE)``, ``(cite Smith)``, ``(source?)``."""

_OPEN_WORD = re.compile(
    r"(?:(?<![^\s~*_>=\[{])\((?P<word>(?i:refs?|cite|citations?))|\((?P<doubt>\?{1,3}))\)(?=[^\w(]|\Z)"
)
"""``(ref)`` and ``(?)``, which are marks of running text only."""
_CLAUSE_END = re.compile(r"[*_”\"'’)]*\s*(?:[.,;:!]|\Z|\n[ \t]*\n)")
_WORDS = r"[^\W\d_A-Z][^\W\d_]*(?:-[^\W\d_A-Z][^\W\d_]*)*"
_DETERMINER = (
    r"(?:[Tt]he|th[ei]se?|its|their|an?|d(?:er|ie|as|es|em|en)|eine?[rsmn]?|l[ea]s?|du|un[ae]?|el|los|il|gli)"
)
_AFTER_CLAIM = re.compile(
    rf"""(?:
    (?:(?:\A|[.!?)]\s+)[^\W\d_][^\W\d_A-Z-]*|(?<![\w-])(?:\d+-)?{_WORDS}),?
    |(?<![\w-])(?![IVXLCM]+\b)(?=\w*[A-Z]\w*[A-Z])[\w+/-]+  # an acronym
    |(?:(?:\b(?!(?:[Ff]ig|[Ee]q|[Ss]ec|[Tt]ab|[Cc]hap|[Vv]ol|[Pp]age)s?\b)[^\W\d_]{{4,}}|\bal)[)\]}}*_”"'’]*[.;:])
    |\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]\n]*\])*\{{[^{{}}\n]*(?P<cited>\}})
    )[)\]}}*_”"'’]*[\s~]*\Z""",
    re.VERBOSE,
)
"""The end of a text whose last word is no name."""
_AFTER_DEFINITE = re.compile(
    rf"(?:\A|(?<![^\s(])[^\W\d_A-Z][\w’'-]*[,;:]?\s+|[.,;:]\s+|"
    rf"\s(?=d(?:es|em|en|as|ie)\s)){_DETERMINER}\s+(?:{_WORDS}(?<=[aeiou][lnrsmcd])\s+)?"
    r"[A-ZÄÖÜÉ][\w’'-]*(?:\s+(?:of\s+(?:the\s+)?)?[A-ZÄÖÜÉ][\w’'-]*){0,3}[\s~]*\Z"
)
"""The end of a text that ends with a name which is no person's: "the French Revolution"."""
_ATTACHED = re.compile(r"(?<![^\W\d_])[^\W\d_A-Z]{4,}\Z")
_DEFINED = re.compile(r"\b(?:ref|cit)\w*[\s~]*\Z", re.IGNORECASE)
_LONGEST_WORDS = 100


def _is_abbreviation(word: str, before: str) -> bool:
    """Whether a word in brackets is short for what is `before` it: "the reference (ref)", "Research
    Excellence Framework (REF)"."""
    initials = "".join(part[0] for part in before.split()[-len(word) :])
    return _DEFINED.search(before) is not None or initials.casefold() == word.casefold()


def _is_of_claim(before: str, after: str) -> bool:
    """Whether a question mark in brackets between two texts asks for a source of what is said, and does not
    doubt a name, a number, or how a word is read ("frumentum(?) et")."""
    claim, ends = _AFTER_CLAIM.search(before), _CLAUSE_END.match(after) is not None
    if before and not before.endswith(tuple(" \t\r\n~*_>=[{")):
        return bool(claim and claim["cited"]) or (ends and _ATTACHED.search(before) is not None)
    return claim is not None or (ends and _AFTER_DEFINITE.search(before) is not None)


def open_mark(
    text: str, position: int, end: int | None = None, *, in_table: bool = False
) -> re.Match[str] | None:
    """Matches the mark of an open citation in square or round brackets at `position` of a draft's text.

    ``(ref)`` in a table is the group that others are compared with, "the reference (ref)" explains an
    abbreviation, and "in 1823 (?)" or "Jan van Eyck (?)" doubts what is said ("the French Revolution (?)."
    does not).
    """
    last = len(text) if end is None else end
    if text[position] == "[":
        return OPEN_BRACKET.match(text, position, last)
    if whole := OPEN_ROUND.match(text, position, last):
        return whole
    word = None if in_table else _OPEN_WORD.match(text, position, last)
    if word is None:
        return None
    before = text[max(position - _LONGEST_WORDS, 0) : position]
    if word["doubt"]:
        return word if _is_of_claim(before, text[word.end() : word.end() + _LONGEST_WORDS]) else None
    return None if _is_abbreviation(word["word"], before) else word


def open_marks(text: str, opening: str = "[(", *, in_table: bool = False) -> Iterator[re.Match[str]]:
    """All such marks in a text, in order, that begin with one of the characters `opening`."""
    done = 0
    for bracket in re.finditer(f"[{re.escape(opening)}]", text):
        at = bracket.start()
        if at >= done and (mark := open_mark(text, at, in_table=in_table)):
            yield mark
            done = mark.end()


_OPEN_COMMENT = re.compile(
    rf"(?:<!--+|/\*+|//+)\s*(?:(?:TODO|FIXME|XXX)\b\s*:?\s*)?"
    rf"(?:cite\b[^<>*\n]{{0,200}}?|(?:{_CITATION}\s*)?\?{{1,3}}|(?:{LACKING}|{REQUEST}){_NOTE}?)\s*(?:--+>|\*+/|(?=\r?\n|\Z))",
    re.IGNORECASE,
)


_OPEN_LINE = re.compile(
    rf"%{{1,9}}[ \t]*(?:(?:TODO|FIXME|XXX)\b[ \t]*:?[ \t]*)?cites?:?[ \t]+"
    rf"{_NAMES}(?:,?[ \t]*\(?{_CENTURY}\d\d[a-z]?\)?)?[ \t]*[.?!]*[ \t]*",
    re.IGNORECASE,
)


def is_open_line(comment: str) -> bool:
    """Whether a comment of LaTeX asks for nothing but a work that it names: ``% cite Kripke 1980``."""
    return _OPEN_LINE.fullmatch(comment) is not None


def open_comment(text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
    """Matches a comment that asks for nothing but a citation: ``<!-- cite Kripke -->``, ``/* ref? */``."""
    return _OPEN_COMMENT.fullmatch(text, start, len(text) if end is None else end)


_REMARKS = re.compile(
    r"(?i:[a-z]{0,8}todo[a-z]{0,8}|fixme|tbd|xxx)|fx(?:note|warning|error|fatal)|note|comment|remark|missing|"
    r"margin(?:par|note)|pdf(?:margin)?comment"
)
"""LaTeX commands for remarks of authors to themselves."""
_HIGHLIGHTS = frozenset("hl highlight textcolor colorbox mark".split())  # noqa: SIM905

_PLAIN_NOTE = r"(?:[^\[\]{}()\\$%\n]|\\[&%$]|\\(?:emph|textbf|textit)\{[^{}]{0,80}\}){0,200}"
_STRICT_NOTE = (
    r"(?:(?:TODO|FIXME|XXX)\b\s*:?\s*)?"
    rf"(?:cite\s{_PLAIN_NOTE}|cite[?!]+|(?-i:CITE|REFS?)|{LACKING}|{REQUEST})"
)
_REMARK_NOTE = rf"{_CITATION}\b{_PLAIN_NOTE}|{_STRICT_NOTE}"
_OPEN_REMARK = re.compile(
    r"\\(?P<command>[A-Za-z@]+)\*?[ \t]*(?:\[[^\[\]]*\])?"
    r"(?:\{(?!ref|cite)[A-Za-z][A-Za-z!0-9]{0,20}\}(?=\{))?"
    rf"\{{(?P<note>\s*(?:[\[(]\s*(?:{_REMARK_NOTE}|(?P<doubt>\?{{1,3}}))\s*[\])]|(?P<any>{_REMARK_NOTE}))\s*)\}}",
    re.IGNORECASE,
)
_OPEN_STRICTLY = re.compile(_STRICT_NOTE, re.IGNORECASE)


def open_remark(text: str, position: int, *, is_own: bool) -> re.Match[str] | None:
    """Matches the LaTeX command at `position` if its argument asks for nothing but a citation:
    ``\\todo{cite Papineni}``, ``\\hl{(ref)}``; the group ``note`` has its text. Of commands that are not for
    remarks, that are those of the draft's own (`is_own`) and those that highlight."""
    remark = _OPEN_REMARK.match(text, position)
    if remark is None or _REMARKS.fullmatch(remark["command"]):
        return remark
    if remark["command"] not in _HIGHLIGHTS and (remark["doubt"] or not is_own):
        return None
    return remark if remark["any"] is None or _OPEN_STRICTLY.fullmatch(remark["any"].strip()) else None


_OPEN_CALL = re.compile(
    r"#(?!foot|end|table)(?:[a-z-]{0,12}(?:todo|note)|highlight|text)(?:\([^()\n]{0,100}\))?"
    rf"\[\s*(?P<note>[\[(]?\s*(?:{_STRICT_NOTE})\s*[\])]?)\s*\]",
    re.IGNORECASE,
)


def open_call(text: str, position: int, end: int) -> re.Match[str] | None:
    """Matches the remark at `position` of a Typst draft that asks for nothing but a citation:
    ``#todo[cite Kripke]``; the group ``note`` has its text."""
    return _OPEN_CALL.match(text, position, end)


def may_be_remark(name: str) -> bool:
    """Whether a LaTeX command of this name may hold a remark that asks for a citation."""
    return name in _HIGHLIGHTS or _REMARKS.fullmatch(name) is not None


_BODY = re.compile(
    rf"(?:TODO\W{{0,3}})?(?:(?-i:CITE|REFS?|ref)|{LACKING}|{_CITATION}\s+needed|{REQUEST})", re.IGNORECASE
)


_LOOKS = re.compile(r"\\(?:color|textcolor|colorbox)\s*\{[^{}]*\}|\\[A-Za-z]+|[{}]|#\d")
"""Colours and sizes."""
_LONGEST_BODY = 200


def is_open_body(body: str) -> bool:
    """Whether a LaTeX macro with this body marks a missing citation: it shows "[REF]", "CITE", "citation
    needed", whatever it looks like.

    >>> is_open_body("{\\\\color{red}[REF]}"), is_open_body("see the references")
    (True, False)
    """
    shown = _LOOKS.sub(" ", body[:_LONGEST_BODY])
    return _BODY.fullmatch(shown.strip(" \t\r\n[]()?!:.")) is not None


def is_placeholder(key: str) -> bool:
    """Whether a key stands for a missing one: empty, ``?``, ``TODO``, ``todo-bleu``, ``TODO:parser``.

    A key that merely starts like one (``todorov2002``) is not.
    """
    return _KEY.fullmatch(key) is not None or _KEY_WORD.fullmatch(key) is not None


OPEN_COMMAND = "citeneeded"
"""A LaTeX command that marks a missing citation (`is_open_command`)."""


def is_open_command(name: str) -> bool:
    """Whether a command marks a missing citation: ``citeneeded``, ``citationneeded``, ``todocite``, …"""
    return _COMMAND.fullmatch(name) is not None


_REQUESTS = """
todo fixme xxx tbd cite cites cited citation citations citationneeded citeneeded ref refs reference references
source sources quelle quellen beleg belege fonte fuente réf référence fehlt year required
add insert find need needs needed missing here me a an the some more please et al and
anm nb note hinweis quellenangabe quellennachweis nachweis nachweise literatur lit fehlen nachtragen erganzen
einfugen notig cita citas necessaire necessaires manquante manquantes completer trouver ajouter verifier
requerida necesaria necessaria se requiere carece de fontes senza
"""
_REQUEST_WORDS = frozenset(_REQUESTS.split())
"""Words with which a note asks for no more than a citation."""
_FURTHER = frozenset("too also another other others else more".split())  # noqa: SIM905
_DOUBTED_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\)?\s*\?|\b(?:1[89]|20)?[?X]{2,4}")
_NOTE_WORD = re.compile(r"\\[A-Za-z]+|[^\W_]+")


_NAMED_ALONE = re.compile(
    rf"[\[({{%\s]*+(?:(?:TODO|FIXME|XXX)\b\s*+(?::\s*+)?)?(?:cites?:?\s++)?"
    rf"(?:{_DOUBTED}|{_SMALL_DOUBTED}|{_NAMES},?\s*\(?{_CENTURY}\d\d[a-z]?\)?)[\s\])}}?.!]*",
    re.IGNORECASE,
)


def says_more(note: str, keys: Sequence[str]) -> bool:
    """Whether the note of a placeholder says what the citation of `keys` does not say. The authors and the
    year of one work say nothing more than a key with one of these names and the year.

    >>> says_more("[TODO: cite Foot 1967]", ["foot1967problem"]), says_more("[CITE; ask Maria]", ["foot1967"])
    (False, True)
    >>> says_more("(Latour and Woolgar 1979?)", ["latour1979"]), says_more("[cite Foot 1967]", ["foot2001"])
    (False, True)
    """
    written = _NOTE_WORD.findall(_DOUBTED_YEAR.sub(" ", note))
    words = {fold(word) for word in written if not word.startswith("\\")}
    said = " ".join(map(fold, keys))
    more = {word for word in words - _REQUEST_WORDS if word not in said}
    if more and more != words - _REQUEST_WORDS and _NAMED_ALONE.fullmatch(note):
        more = {word for word in more if word.isdigit()}
    return bool(more)


_PAGE = (
    r"(?:pp?\.|pages?\b|ch(?:ap)?\.|chapters?\b|secs?\.|sections?\b|§{1,2}|figs?\.|figures?\b|tables?\b|vol\.)"
    r"[\s~]{0,3}[\w.]{1,20}(?:[\s~]{0,3}(?:--?|[–—,])[\s~]{0,3}\d[\w.]{0,20})?"
)
_BESIDE = re.compile(
    rf"(?:\\[A-Za-z]+)?(?:\[(?P<before>[^\[\]]*)\]\[(?P<after>[^\[\]]*)\]|\[(?P<page>{_PAGE})\])|"
    rf"[\[(]\s*{_CITATION}\s*[,;:]?\s+(?P<asked>{_PAGE})\s*[\])]",
    re.IGNORECASE,
)


class Notes(NamedTuple):
    """What a placeholder says beside its request: the text before the citation, and the page behind it."""

    before: str
    page: str


def notes_in(written: str) -> Notes | None:
    """The notes of a placeholder that has nothing else to say; None if it has.

    >>> notes_in("\\\\citeneeded[see][p.~3]"), notes_in("(CITE, p. 3)"), notes_in("[TODO: cite Foot 1967]")
    (Notes(before='see', page='p.~3'), Notes(before='', page='p. 3'), None)
    """
    notes = _BESIDE.fullmatch(written.strip())
    if notes is None:
        return None
    page = next(filter(None, notes.group("after", "page", "asked")), "")
    return Notes((notes["before"] or "").strip(), page.strip())


def is_answered(note: str, keys: Sequence[str], between: str) -> bool:
    """Whether a placeholder with a `note` stands where an edit leaves it, directly behind the citation of
    `keys` that answers it. `between` is the text between the two. A note that asks for a further citation is
    not answered."""
    if between != " " or not keys or not says_more(note, keys):
        return False
    return _FURTHER.isdisjoint(map(fold, _NOTE_WORD.findall(note)))


_LEADING_WORDS = frozenset("by of in from to with following than per using".split())  # noqa: SIM905
"""Words after which a citation is a part of the sentence ("as shown by [CITE]")."""

_ENDS = (".", "?", "!")


def reads_as_a_word(before: str, after: str) -> bool:
    """Whether a citation between these parts of a text is a part of its sentence: "[CITE] introduced …", "as
    shown by [CITE]".

    After "et al." it is not: the names would be there twice.

    >>> reads_as_a_word("It works. ", " introduced it."), reads_as_a_word("It works ", " and more.")
    (True, False)
    """
    words = before.rsplit(None, 1)[-1:]
    begins = not words or (words[0].endswith(_ENDS) and words[0] != "al.")
    return (begins and after.lstrip()[:1].islower()) or (bool(words) and words[0].lower() in _LEADING_WORDS)
