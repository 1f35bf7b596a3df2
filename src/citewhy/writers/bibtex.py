"""Papers as BibTeX, for classic styles and biblatex alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from citewhy.base.publication_types import GENRES, type_in
from citewhy.base.records import Name, Paper, Publication
from citewhy.text.accents import SYMBOLS, to_latex
from citewhy.text.dates import MONTHS_SHORT
from citewhy.text.person import NOBODY, can_invert, parts
from citewhy.text.tidy import in_one_direction, tidy
from citewhy.writers.described import IN_BOOKS, PERIODICAL, date_parts, publication_of, source_text
from citewhy.writers.marked import pieces

FORMAT = "BibTeX"
"""Its name in the registry of formats."""

_NOT_IN_KEYS = re.compile(r"[^\w.:/+*!?=&-]+")
_HEAD = re.compile(
    r"(\s*@\s*\w+\s*[{(]\s*+)((?!(?:year|month|day|volume|number|issue)\s*=)"
    r"(?:[^\s,{}\"]++(?:\s++[^\s,{}\"]++)*+)?)(\s*,)"
)
"""The beginning of an entry, with its key."""
_EXTENDED = re.compile(r"\b(?:family|given)\s*=")
_HTML = re.compile(r"</?(?:i|b|em|strong|sub|sup|sc|scp|inf|span)\b[^<>{}]*>|&(?:amp|lt|gt);", re.IGNORECASE)
_ENTITY = re.compile(r"&(amp|lt|gt);")
_TAG = re.compile(r"<(i|em|b|strong|sub|inf|sup)>([^<>{}]*)</\1>", re.IGNORECASE)
_OTHER_TAGS = re.compile(r"</?(?:i|b|em|strong|sub|sup|sc|scp|inf|span)\b[^<>{}]*>", re.IGNORECASE)
_OF_TAGS = {
    **dict.fromkeys(("i", "em"), "emph"),
    **dict.fromkeys(("b", "strong"), "textbf"),
    **dict.fromkeys(("sub", "inf"), "textsubscript"),
    "sup": "textsuperscript",
}
_PRINTED = frozenset(
    """title subtitle shorttitle booktitle booksubtitle maintitle journal journaltitle series publisher
    institution school organization author editor note howpublished""".split()  # noqa: SIM905
)
"""Fields that styles print."""
_ON_ITS_LINE = re.compile(r"\|[^\S\n]*\n|\n[^\S\n]*\|")
"""A line end on one side of the comma before a field."""
_FIELD_NAME = re.compile(r"[A-Za-z][\w:.+-]*")
_BETWEEN_WORDS = re.compile(r"(\W+)")
_NOT_IN_ADDRESSES = re.compile(r"[{}\\\"\s]")
_AND = re.compile(r"(?:^|\s)and(?:\s|$)", re.IGNORECASE)
_COMMANDS = {"i": "emph", "b": "textbf", "sup": "textsuperscript", "sub": "textsubscript", "sc": "textsc"}
_IN_MATHEMATICS = {
    symbol: f"\\{command}"
    for command, symbol in SYMBOLS.items()
    if ("\u0370" <= symbol <= "\u03ff" or "\u2190" <= symbol <= "\u22ff" or symbol == "ℓ")
    and len(symbol) == 1
}
"""Greek letters, arrows and signs, of which pdflatex prints none as they are, and their commands."""
_UNPRINTED = re.compile(
    f"(?<![\u0370-\u03ff\u1f00-\u1fff])[{''.join(_IN_MATHEMATICS)}]{{1,2}}(?![\u0370-\u03ff\u1f00-\u1fff])"
)
"""One or two of them; more Greek letters in a row are a word of Greek."""
_RAISED_OR_LOWERED = re.compile(
    "(?P<sub>[\u2080-\u208e\u2090-\u209c]+)|(?P<sup>[\u2070\u2071\u2074-\u207f]+)"
)
SPELLED = {"−": "{$-$}", "∗": "*", "′": "'", "ʼ": "'", "ʾ": "'", "ʿ": "`", "ʻ": "`", "\u200b": ""}
"""Other characters that pdflatex does not know, and what is written for them."""
_SPELLED = str.maketrans(SPELLED)


def entries(papers: Iterable[Paper]) -> str:
    """A whole .bib file; the papers' ids become their keys. Each field begins on a line of its own: entries
    of sources that have several on one line are laid out. Their values are as they are, but for names in
    biblatex's extended format, which BibTeX cannot read."""
    written = ((paper, entry(paper, paper.id)) for paper in papers)
    return "\n".join(
        _laid_out(_with_values(text, _plain_names(paper)) if _EXTENDED.search(text) else text)
        for paper, text in written
    )


def entry(paper: Paper, key: str) -> str:
    """One entry, ending with a line feed.

    A paper that was read from BibTeX has the entry of its source, verbatim but for the key, and for HTML in
    what is printed, which LaTeX cannot read. Of others,
    characters that are not allowed in a key become hyphens. Protected words are in braces, and so are those
    with capitals inside, because styles convert the rest of a title to lower case. Accents, and signs that
    pdflatex does not know, are written as LaTeX, other characters as UTF-8.
    """
    given = source_text(paper, FORMAT)
    if _HTML.search(given):
        given = _with_values(given, _without_html)
    if head := _HEAD.match(given):
        if head[2] == key:
            return given.rstrip() + "\n"
        return f"{head[1]}{clean_key(key)}{head[3]}{given[head.end() :].rstrip()}\n"
    publication = publication_of(paper)
    lines = [f"  {name:<9} = {value}" for name, value in _fields(paper, publication).items() if value != "{}"]
    head_line = f"@{_type(publication)}{{{clean_key(key)},\n"
    return in_one_direction(head_line + ",\n".join(lines) + "\n}\n")


def _taken_apart(text: str) -> tuple[re.Match[str], list[str]] | None:
    """The head of an entry, and its fields with the space around them; None if a value is not closed."""
    head = _HEAD.match(text)
    if head is None:
        return None
    fields: list[str] = []
    depth, quoted, start = 0, False, head.end()
    end = len(text.rstrip()) - 1
    for position in range(start, end):
        character = text[position]
        if character in "{}":
            depth += 1 if character == "{" else -1
        elif character == '"' and depth == 0:
            quoted = not quoted
        elif character == "," and depth == 0 and not quoted:
            fields.append(text[start:position])
            start = position + 1
    fields.append(text[start:end])
    pairs = [field.partition("=") for field in fields if field.strip()]
    named = all(_FIELD_NAME.fullmatch(name.strip()) and value.strip() for name, _, value in pairs)
    return None if depth or quoted or not named else (head, fields)


def _laid_out(text: str) -> str:
    """The entry with a line for each of its fields, if two of them share one; as it is, if none do, or if a
    value is not closed."""
    parts = _taken_apart(text)
    if parts is None:
        return text
    head, fields = parts
    before = zip([head[3].removesuffix(","), *fields], fields, strict=False)
    if all(_ON_ITS_LINE.search(f"{last}|{field}") for last, field in before if field.strip()):
        return text
    pairs = [field.partition("=") for field in fields if field.strip()]
    lines = [f"  {name.strip():<9} = {value.strip()}" for name, _, value in pairs]
    return f"{head[0].rstrip()}\n" + ",\n".join(lines) + f"\n{text.rstrip()[-1]}\n"


def _with_values(text: str, change: Callable[[str, str], str]) -> str:
    """The entry with the values that `change` gives for the lower-case name and the value of each field."""
    parts = _taken_apart(text)
    if parts is None:
        return text
    head, fields = parts
    changed = []
    for field in fields:
        name, sign, value = field.partition("=")
        inside = value.strip()
        new = change(name.strip().lower(), inside) if inside else inside
        changed.append(field if new == inside else f"{name}{sign}{value.replace(inside, new, 1)}")
    return head[0] + ",".join(changed) + text[len(text.rstrip()) - 1 :]


def _without_html(name: str, value: str) -> str:
    """A value that is printed, with LaTeX for tags and escaped characters of HTML, which some services write
    into BibTeX."""
    if name not in _PRINTED or not _HTML.search(value):
        return value
    value = _ENTITY.sub(lambda match: {"amp": "&", "lt": "<", "gt": ">"}.get(match[1], match[0]), value)
    value = _TAG.sub(lambda tag: f"\\{_OF_TAGS[tag[1].lower()]}{{{tag[2]}}}", value)
    return re.sub(r"(?<!\\)&(?!\w+;)", r"\\&", _OTHER_TAGS.sub("", value))


def _plain_names(paper: Paper) -> Callable[[str, str], str]:
    """Writes lists of names in biblatex's extended format (``family=…, given=…``) as BibTeX reads them."""
    known = publication_of(paper)
    people = {"author": paper.authors, "editor": known.editors, "translator": known.translators}

    def change(name: str, value: str) -> str:
        names = people.get(name)
        return f"{{{_people(names)}}}" if names and _EXTENDED.search(value) else value

    return change


def clean_key(key: str) -> str:
    """The key without characters that have a meaning in BibTeX or LaTeX."""
    return _NOT_IN_KEYS.sub("-", unicodedata.normalize("NFC", key)).strip("-") or "unnamed"


# Fields -------------------------------------------------------------------------------------------------


def _type(publication: Publication) -> str:
    """The type of the entry; the genre tells a master's thesis and a manual. A chapter of which only the
    chapter or the pages are known has the title of its book."""
    name = type_in(publication.type, "bibtex")
    if name == "incollection" and not publication.container and (publication.chapter or publication.pages):
        return "inbook"
    genre = publication.genre.lower()
    if name == "phdthesis" and ("master" in genre or "diplom" in genre):
        return "mastersthesis"
    return "manual" if name == "misc" and publication.genre == GENRES["manual"] else name


def _fields(paper: Paper, known: Publication) -> dict[str, str]:
    """The fields in the order in which they are written, with their delimiters; ``{}`` for an empty one."""
    type_ = _type(known)
    given = {
        "title": _marked(known.title) if known.title else _protected(paper.title),
        "author": _people(paper.authors) if paper.authors != known.editors else "",
        "editor": _people(known.editors),
        "translator": _people(known.translators),
        _container_field(known): _latex(known.container),
        "volume": _latex(known.volume),
        "number": _latex(known.number or known.series_number),
        "pages": _latex(known.pages).replace("-{}-", "-").replace("-", "--"),
        _publisher_field(known, type_): _latex(known.publisher),
        "address": _latex(known.place),
        "edition": _latex(known.edition),
        "series": _latex(known.series),
        "chapter": _latex(known.chapter),
        "type": "" if known.genre in (*GENRES.values(), "") else _latex(known.genre),
        "eventtitle": _latex(known.event),
        "venue": _latex(known.event_place),
        **_date(known.date),
        "origdate": _address(known.original_date),
        "doi": _address(paper.doi),
        "url": _address(paper.url),
        "urldate": _address(known.accessed),
        "eprint": _address(known.arxiv),
        "archiveprefix": "arXiv" if known.arxiv else "",
        "isbn": _latex(known.isbn),
        "issn": _latex(known.issn),
        "pmid": _latex(known.pmid),
        "pmcid": _latex(known.pmcid),
        "shortjournal": _latex(known.container_short),
        "language": _latex(known.language),
        "version": _latex(known.version),
        "note": _latex(known.note),
        "keywords": _latex(", ".join(known.keywords)),
        "abstract": _latex(paper.abstract),
    }
    return {name: value if name == "month" else f"{{{value}}}" for name, value in given.items()}


def _container_field(known: Publication) -> str:
    """The field of what the work appeared in."""
    if known.type in PERIODICAL:
        return "journal"
    if known.type in (*IN_BOOKS, "book", "collection"):
        return "booktitle"
    return "howpublished" if type_in(known.type, "bibtex") == "misc" else "journal"


def _publisher_field(known: Publication, type_: str) -> str:
    """The field of who published the work; for one without a type of its own, how it was published."""
    if type_ == "misc":
        return "publisher" if known.container else "howpublished"
    fields = {
        "phdthesis": "school",
        "mastersthesis": "school",
        "techreport": "institution",
        "manual": "organization",
    }
    return fields.get(type_, "publisher")


def _date(date: str) -> dict[str, str]:
    """The year, month and day; a range or words as the year."""
    dates = date_parts(date)
    if len(dates) != 1 or dates[0][0] <= 0:
        years = [str(one[0]) if one[0] > 0 else f"{1 - one[0]} BC" for one in dates]
        return {"year": "--".join(years) if dates else _latex(date)}
    year, month, day = (*dates[0], 0, 0)[:3]
    fields = {"year": str(year)}
    if 1 <= month <= 12:
        fields |= {"month": MONTHS_SHORT[month - 1]} | ({"day": str(day)} if day else {})
    return fields


# Values -------------------------------------------------------------------------------------------------


def _latex(text: str) -> str:
    """The text as LaTeX that every engine prints, with signs such as α as mathematics."""
    latex = to_latex(text)
    if latex.isascii():
        return latex
    latex = _UNPRINTED.sub(
        lambda match: "".join(f"{{${_IN_MATHEMATICS[sign]}$}}" for sign in match[0]), latex
    )
    return _RAISED_OR_LOWERED.sub(_script, latex).translate(_SPELLED)


def _script(match: re.Match[str]) -> str:
    command = "textsubscript" if match["sub"] else "textsuperscript"
    return f"{{\\{command}{{{unicodedata.normalize('NFKC', match[0])}}}}}"


def _marked(title: str) -> str:
    """A title with markup (`Publication.title`) as LaTeX."""
    written = [""]
    opened: list[str] = []
    for piece in pieces(title):
        if piece.mark == "open":
            opened.append(piece.text)
            written.append("")
        elif piece.mark == "close":
            inside = written.pop()
            written[-1] += _enclosed(opened.pop(), inside)
        elif piece.mark == "mathematics":
            written[-1] += f"{{${piece.text}$}}" if _balanced(piece.text) else to_latex(f"${piece.text}$")
        elif "nocase" in opened:
            written[-1] += _spaced(piece.text, _latex)
        else:
            written[-1] += _spaced(piece.text, _protected)
    return written[0].strip()


def _enclosed(name: str, inside: str) -> str:
    """The content of a tag as LaTeX. Braces that begin with a command protect nothing: they need others."""
    if name == "nocase":
        return f"{{{{{inside}}}}}" if inside.startswith("\\") else f"{{{inside}}}"
    return f"\\{_COMMANDS[name]}{{{inside}}}" if name in _COMMANDS else inside


def _spaced(text: str, write: Callable[[str], str]) -> str:
    """The text as written by `write`, which strips it, with the spaces at its ends."""
    if not text.strip():
        return " "
    return f"{' ' * text[0].isspace()}{write(text)}{' ' * text[-1].isspace()}"


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def _protected(title: str) -> str:
    """The title as LaTeX, with braces around words such as BLEU, WordNet and mT5."""
    return " ".join(
        "".join(_protected_word(piece) for piece in _BETWEEN_WORDS.split(word))
        for word in unicodedata.normalize("NFC", tidy(title)).split()
    )


def _protected_word(word: str) -> str:
    latex = _latex(word)
    return f"{{{latex}}}" if any(character.isupper() for character in word[1:]) else latex


def _people(names: Iterable[str]) -> str:
    return " and ".join(map(_person, names))


def _person(author: str) -> str:
    """ "von Last, Jr., First"; in braces, as one word, if BibTeX would split it incorrectly."""
    name = parts(author)
    if isinstance(author, Name) and can_invert(author):
        return _by_parts(author)
    taken_apart = _AND.search(author) or author.lower() in NOBODY
    if taken_apart or not can_invert(author):
        return f"{{{to_latex(author)}}}"
    last = f"{name.particle} {name.family}".strip()
    return ", ".join(to_latex(part) for part in (last, name.suffix, name.given) if part)


def _by_parts(name: Name) -> str:
    """A name whose parts are known. A family name of several words that stands alone is in braces, as are
    parts with a comma or "and"."""
    family = _part(name.family)
    given = " ".join(filter(None, (_part(name.given), _part(name.dropping))))
    if not given and not name.suffix and " " in name.family and not family.startswith("{"):
        family = f"{{{family}}}"
    last = f"{_part(name.particle)} {family}".strip()
    return ", ".join(part for part in (last, _part(name.suffix), given) if part)


def _part(text: str) -> str:
    latex = to_latex(text)
    return f"{{{latex}}}" if "," in text or _AND.search(text) else latex


def _address(text: str) -> str:
    """A DOI or URL unchanged: styles pass it to a command that accepts all characters except these."""
    return _NOT_IN_ADDRESSES.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)
