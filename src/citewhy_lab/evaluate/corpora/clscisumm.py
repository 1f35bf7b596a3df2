"""Papers and clusters of CL-SciSumm.

A paper is ``<PAPER>`` of numbered sentences, ``<S sid="7" ssid="2">``, in sections. The files were made in
various ways: encodings change within a file, entities are missing or escaped twice, ``<`` occurs unescaped,
tags are not closed. XML parsers reject them. So only the four tags are searched for, and everything between
them is text; there are no document types that could be attacked.

A cluster is a folder that contains ``annotation``: a cited paper, the papers that cite it, and which of its
sentences they refer to. The rest depends on the release: the cited paper is in ``Reference_XML``, in a folder
with its own name, or (2014) only available as ``Documents_TXT/ID.txt``."""

from __future__ import annotations

import csv
import io
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise, repeat
from pathlib import Path
from typing import NamedTuple

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citance, FullText, Header, Paper, Sentence
from citewhy.papers.formats.fields import id_of_file
from citewhy.papers.formats.recognise import xml_root
from citewhy.papers.formats.registry import Format
from citewhy.text.repair import decode_lines, repair
from citewhy.text.sentences import split
from citewhy.text.source import FilePath, read_bytes, read_text
from citewhy.text.tidy import shorten, tidy
from citewhy.text.tokens import fold

MAX_PAPER = 16 << 20
"""Bytes of a paper; the longest ones have about 300 kB."""

_PAPER_TAG = re.compile(
    r'<(?P<close>/?)(?P<name>PAPER|ABSTRACT|SECTION|S)\b(?P<rest>(?:"[^"\n]{0,2000}"|[^<>"])*)>'
)
_SID = re.compile(r"""\bsid\s*+=\s*+["']?\s*+(\d{1,9})\b""")
_TITLE = re.compile(r'\btitle\s*=\s*"(.*?)"\s*(?:number\b|/?$)', re.DOTALL)


def read(path: FilePath, report: ImportReport) -> Iterator[Header | FullText]:
    """Yields the paper, under the name of its file: its sentences, and their title and abstract."""
    sentences = read_sentences(path, report)
    identifier = id_of_file(path)
    title = " ".join(sentence.text for sentence in sentences if sentence.section == "title")
    abstract = " ".join(sentence.text for sentence in sentences if sentence.section == "abstract")
    if title:
        yield Header(Paper(identifier, title, abstract))
    yield FullText(identifier, sentences)


def read_sentences(path: FilePath, report: ImportReport) -> tuple[Sentence, ...]:
    """Returns the sentences, by number.

    An unusable one is skipped with a note in `report`. `section` is ``title`` for text before all sections,
    ``abstract``, or the heading. Raises InputError for a file without a sentence.
    """
    text = decode_lines(read_bytes(path, MAX_PAPER))
    line_of = LineOf(text)
    sentences: dict[int, Sentence] = {}
    end = None
    for piece in _pieces(text):
        end = piece.end
        line = line_of(piece.start)
        if piece.sid is None:
            report.skip(path, line, "a sentence has no number")
        elif not piece.text:
            report.skip(path, line, f"sentence {piece.sid} has no text")
        elif piece.sid in sentences:
            report.skip(path, line, f"sentence {piece.sid} occurs twice; the first one is used")
        elif piece.end is None:
            report.skip(path, line, f"the file is truncated in sentence {piece.sid}")
        else:
            sentences[piece.sid] = Sentence(piece.sid, piece.section, piece.text)
    if not sentences:
        raise InputError("no sentence <S sid=…> is in the file", path=path, hint="expected CL-SciSumm XML")
    if end is not None and "</PAPER" not in text[end:]:
        report.warn(path, line_of(end), f"the paper has no end: sentence {max(sentences)} is the last one")
    return tuple(sentences[sid] for sid in sorted(sentences))


class LineOf:
    """The line (from 1) of an offset in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [newline.start() for newline in re.finditer("\n", text)]

    def __call__(self, place: int) -> int:
        return bisect_right(self._ends, place - 1) + 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """The text between two tags, the first of which opened a sentence."""

    start: int
    end: int | None
    """None if no tag follows."""
    sid: int | None
    section: str
    text: str


def _pieces(text: str) -> Iterator[_Piece]:
    section = "title"
    opened: tuple[re.Match[str], str] | None = None
    for tag in _PAPER_TAG.finditer(text):
        if opened is not None:  # any tag ends the sentence, even if </S> is missing
            yield _piece(text, *opened, tag.start())
        opened = None
        if tag["name"] == "S":
            opened = None if tag["close"] else (tag, section)
        elif tag["close"]:
            section = ""
        elif tag["name"] == "ABSTRACT":
            section = "abstract"
        elif tag["name"] == "SECTION":
            title = _TITLE.search(tag["rest"])
            section = tidy(repair(title[1])) if title else ""
    if opened is not None:
        yield _piece(text, *opened, None)


def _piece(text: str, tag: re.Match[str], section: str, end: int | None) -> _Piece:
    sid = _SID.search(tag["rest"])
    content = tidy(repair(text[tag.end() : end]))
    return _Piece(tag.start(), end, int(sid[1]) if sid else None, section, content)


def recognise(head: str) -> bool:
    """Says whether the root element is that of a paper of CL-SciSumm."""
    return xml_root(head) == "PAPER"


FORMAT = Format(
    "CL-SciSumm XML", read, "sentences <S sid=…>", "full texts", named_by_file=True, recognise=recognise
)


# Clusters -----------------------------------------------------------------------------------------------

MAX_ANNOTATION = 16 << 20
"""Bytes of the annotations of a cited paper."""

_TOPIC, _NUMBER = "Topic ID", "Citance Number"
_FIELDS = (
    _TOPIC,
    _NUMBER,
    "Reference Article",
    "Citing Article",
    "Citation Marker Offset",
    "Citation Marker",
    "Citation Offset",
    "Citation Text",
    "Citation Text Clean",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
    "Annotator",
)
"""A record starts with one of the first three."""

_COLUMNS = ("Citing Article", "Citation Text", "Reference Offset")
"""Columns that a table of annotations must have."""

_LABEL = re.compile(rf"(?:^|\|)[^\S\n]*({'|'.join(_FIELDS)})[^\S\n]*:", re.MULTILINE)
_FACET = re.compile(r"\b([A-Za-z]+)_(?:Citation|Facet)\b")
_ONE_NAME = {"result": "results"}
_QUOTED = re.compile(r"<S\b[^<>]*>(.*?)(?=</?S\b[^<>]*>|$)", re.DOTALL)
_CLUSTER_TAG = re.compile(r"</?S\b[^<>]*>")
_RANGE = re.compile(r"\d\s*-\s*\d")
_NOTHING = frozenset({"", "NA", "N/A", "nan", "None", "[]"})


@dataclass(frozen=True, slots=True)
class Annotation:
    """A record of a file. Texts are repaired; names of files have no suffix."""

    line: int
    number: str
    """Empty if the file does not number its records."""
    reference: str
    citing: str
    text: str
    """The text of all citing sentences, in order."""
    sids: tuple[int, ...] | None
    """Numbers of the target sentences; None if the file has none: targets are then quoted, or given as
    character offsets in a text that is not available."""
    quoted: tuple[str, ...]
    """The target sentences, or parts of them."""
    facets: tuple[str, ...]


def read_annotations(path: FilePath, report: ImportReport) -> list[Annotation]:
    """Returns all records of a file in either layout, including incomplete ones.

    A truncated table is noted in `report`. Raises InputError for a file in neither layout.
    """
    text = decode_lines(read_bytes(path, MAX_ANNOTATION))
    if _LABEL.search(text):
        rows = _labelled(text)
    elif all(name in text.partition("\n")[0] for name in _COLUMNS):
        rows = _table(path, text, report)
    else:
        raise InputError(
            "neither fields such as 'Citance Number:' nor a table of them",
            path=path,
            hint="expected annotations of CL-SciSumm",
        )
    return [_annotation(line, row) for line, row in rows]


def _labelled(text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Records, which need not start or end at line ends and may lack any field.

    Texts can contain bars, so fields are found by their names; a name that occurs again starts the next
    record.
    """
    line_of = LineOf(text)
    labels = list(_LABEL.finditer(text))
    record: dict[str, str] = {}
    start = 0
    for label, following in pairwise([*labels, None]):
        assert label is not None
        if label[1] in record or (label[1] == _NUMBER and record.keys() - {_TOPIC}):
            yield line_of(start), record
            record = {}
        if not record:
            start = label.start(1)
        value = text[label.end() : None if following is None else following.start()]
        record[label[1]] = value.strip().removesuffix("|").strip()
    if record:
        yield line_of(start), record


def _table(path: FilePath, text: str, report: ImportReport) -> Iterator[tuple[int, Mapping[str, str]]]:
    rows = csv.reader(io.StringIO(text.replace("\0", ""), newline=""))
    columns = [tidy(name) for name in next(rows)]
    line = rows.line_num + 1
    try:
        for row in rows:
            if any(row):
                yield line, dict(zip(columns, row, strict=False))
            line = rows.line_num + 1
    except csv.Error as error:  # after an unclosed quote the rest of the file is one field
        report.skip(path, line, f"the table is truncated: {error}")


def _annotation(line: int, row: Mapping[str, str]) -> Annotation:
    values = {name: "" if (value := row.get(name, "").strip()) in _NOTHING else value for name in _FIELDS}
    offsets = values["Reference Offset"]
    counted = bool(offsets) and _RANGE.search(offsets) is None
    return Annotation(
        line=line,
        number=tidy(values["Citance Number"]),
        reference=_stem(values["Reference Article"]),
        citing=_stem(values["Citing Article"]),
        text=" ".join(_quotes(values["Citation Text Clean"] or values["Citation Text"])),
        sids=tuple(sorted({int(sid) for sid in re.findall(r"\d{1,9}", offsets)})) if counted else None,
        quoted=_quotes(values["Reference Text"]),
        facets=_facets(values["Discourse Facet"]),
    )


def _stem(article: str) -> str:
    return re.sub(r"\.(?:txt|xml)$", "", tidy(article), flags=re.IGNORECASE)


def _quotes(field: str) -> tuple[str, ...]:
    """Returns the sentences of a field, one for each tag; the whole field if it has no tags."""
    pieces = _QUOTED.findall(field) if _CLUSTER_TAG.search(field) else re.split(r"\s\.\.\.\s", field)
    return tuple(quote for piece in pieces if (quote := tidy(repair(_CLUSTER_TAG.sub(" ", piece)))))


def _facets(field: str) -> tuple[str, ...]:
    """``['Method_Citation','Result_Citation']`` as ``method``, ``results``."""
    names = [name.lower() for name in _FACET.findall(field)]
    return tuple(dict.fromkeys(_ONE_NAME.get(name, name) for name in names))


_ROLE = re.compile(r"[_-](?:train|test|dev)$", re.IGNORECASE)
_VERSION = re.compile(r"annv?_?v?([0-9]{1,9})", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_ENOUGH_WORDS = 4
"""Sentences with fewer words can occur in a longer text by chance."""
_SAME = 0.5
"""Share of common words above which a quotation is taken to be of a sentence."""


class LinkedPaper(NamedTuple):
    """A cited paper, the citances that refer to its sentences, and its release."""

    text: FullText
    citances: tuple[Citance, ...]
    release: str


def read_clusters(folder: str | os.PathLike[str], report: ImportReport) -> Iterator[LinkedPaper]:
    """Yields the clusters in a folder and its subfolders, by path; `folder` itself may be a cluster.

    Skipped with a note in `report`: a cluster whose cited paper is missing or unreadable, that links nothing,
    or that occurred in an earlier release; a citance without text, of another cited paper, or without a
    target. Warned about: a target that the cited paper does not have, or that differs from the sentence
    quoted beside its number. Raises InputError if the folder contains no cluster.
    """
    clusters = sorted({path.parent for path in _below(Path(folder)) if path.name.lower() == "annotation"})
    if not clusters:
        raise InputError(
            "no cluster of CL-SciSumm is in the folder",
            path=folder,
            hint="a cluster has a folder `annotation`",
        )
    seen: dict[str, Path] = {}
    for cluster in clusters:
        if (first := seen.setdefault(_name(cluster).lower(), cluster)) != cluster:
            report.skip(cluster, None, f"cluster {_name(cluster)} is in {first} already; the first counts")
            continue
        try:
            linked = _read_cluster(cluster, report)
        except InputError as error:
            report.skip(error.path or cluster, error.line, error.problem)
            continue
        report.read["clusters"] += 1
        report.read["citances"] += len(linked.citances)
        yield linked


def _read_cluster(cluster: Path, report: ImportReport) -> LinkedPaper:
    text = _cited_paper(cluster, report)
    citances = _citances(cluster, text, report)
    if not citances:
        raise InputError(f"no citance is linked to a sentence of {text.paper_id}", path=cluster)
    return LinkedPaper(text, tuple(citances), cluster.resolve().parent.name)


def _below(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise InputError("there is no such folder", path=folder, hint="check the path")
    yield from (path for path in folder.rglob("*") if path.is_dir())


def _name(cluster: Path) -> str:
    """Returns the id of the cited paper: the folder's name without its suffix."""
    return _ROLE.sub("", cluster.resolve().name)


# The cited paper ------------------------------------------------------------------------------------------


def _cited_paper(cluster: Path, report: ImportReport) -> FullText:
    identifier = _name(cluster)
    for path in _where_it_may_be(cluster, identifier):
        if path.is_file():
            if path.suffix.lower() == ".txt":
                return FullText(identifier, _plain_sentences(path))
            return FullText(identifier, read_sentences(path, report))
    raise InputError(f"the cited paper {identifier} is missing", path=cluster)


def _where_it_may_be(cluster: Path, identifier: str) -> Iterator[Path]:
    yield cluster / "Reference_XML" / f"{identifier}.xml"
    yield from sorted((cluster / "Reference_XML").glob("*.xml"))
    yield from sorted(cluster.glob(f"*/{identifier}.xml"))
    yield from sorted(cluster.glob(f"*/{identifier}.txt"))


def _plain_sentences(path: Path) -> tuple[Sentence, ...]:
    """Returns the sentences of a text without tags, numbered from 0; the first line is the title."""
    title, _, body = read_text(path).strip().partition("\n")
    sentences = [tidy(title), *(tidy(sentence) for sentence in split(body))]
    return tuple(Sentence(sid, "" if sid else "title", text) for sid, text in enumerate(sentences) if text)


# Its citances ---------------------------------------------------------------------------------------------


def _citances(cluster: Path, cited: FullText, report: ImportReport) -> list[Citance]:
    """Returns the citances in the latest annotation files. Annotations of a citance by several people are
    merged."""
    citances: dict[str, Citance] = {}
    targets = _Targets(cited)
    for path in _newest(cluster):
        for place, annotation in enumerate(read_annotations(path, report), start=1):
            citance = _citance(annotation, place, targets, path, report)
            if citance is not None:
                _put(citances, citance)
    return list(citances.values())


def _newest(cluster: Path) -> list[Path]:
    """Returns the files of the highest version: ``annv3`` before ``annv2`` before ``ann``."""
    folder = next(path for path in sorted(cluster.iterdir()) if path.name.lower() == "annotation")
    versions: dict[int, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in (".txt", ".csv") and not path.name.startswith("."):
            version = _VERSION.search(path.name)
            versions.setdefault(int(version[1]) if version else 1, []).append(path)
    if not versions:
        raise InputError("the folder has no annotations", path=folder, hint="expected .txt or .csv files")
    return versions[max(versions)]


def _citance(
    annotation: Annotation, place: int, targets: _Targets, path: Path, report: ImportReport
) -> Citance | None:
    """Returns None for a record that links nothing, which is noted in the report."""
    cited = targets.paper_id
    identifier = f"{cited}_{annotation.number or place}"
    if not annotation.text:
        report.skip(path, annotation.line, f"citance {identifier} has no text")
        return None
    if not annotation.citing:
        report.skip(path, annotation.line, f"citance {identifier} has no citing article")
        return None
    if annotation.reference and annotation.reference.lower() != cited.lower():
        report.skip(
            path,
            annotation.line,
            f"citance {identifier} is about {shorten(annotation.reference)}, not {cited}",
        )
        return None
    sids = targets.of(
        annotation, lambda why: report.warn(path, annotation.line, f"citance {identifier}: {why}")
    )
    if not sids:
        report.skip(path, annotation.line, f"citance {identifier} has no target in {cited}")
        return None
    return Citance(identifier, annotation.citing, cited, annotation.text, sids, annotation.facets)


def _put(citances: dict[str, Citance], citance: Citance) -> None:
    """Adds a citance, or its targets to the same citance. A different one gets a new number."""
    name, copy = citance.id, 1
    while (known := citances.get(name)) and (known.citing_id, known.text) != (
        citance.citing_id,
        citance.text,
    ):
        copy += 1
        name = f"{citance.id}.{copy}"
    if known is None:
        citances[name] = replace(citance, id=name)
        return
    citances[name] = replace(
        known,
        target_sids=tuple(sorted({*known.target_sids, *citance.target_sids})),
        facets=tuple(dict.fromkeys((*known.facets, *citance.facets))),
    )


class _Targets:
    """Sentences of the cited paper that annotations refer to."""

    def __init__(self, cited: FullText) -> None:
        self.paper_id = cited.paper_id
        self._words: Mapping[int, str] = {sentence.sid: _words(sentence.text) for sentence in cited.sentences}

    def of(self, annotation: Annotation, warn: Callable[[str], None]) -> tuple[int, ...]:
        """Finds sentences by number, or by quotation if the file has no numbers."""
        if annotation.sids is None:
            return tuple(sorted({sid for quote in annotation.quoted for sid in self._quoted(quote)}))
        there = tuple(sid for sid in annotation.sids if sid in self._words)
        for sid in sorted(set(annotation.sids) - set(there)):
            warn(f"{self.paper_id} has no sentence {sid}")
        quotes = [set(_words(quote).split()) for quote in annotation.quoted]
        for sid in there:
            if quotes and max(map(_share, quotes, repeat(set(self._words[sid].split())))) < _SAME:
                warn(f"sentence {sid} of {self.paper_id} differs from the quotation; the number is used")
        return there

    def _quoted(self, quote: str) -> Iterable[int]:
        """Returns the sentences that equal the quotation, or else contain it or are contained in it."""
        asked = _words(quote)
        same = [sid for sid, words in self._words.items() if words == asked]
        if same or asked.count(" ") + 1 < _ENOUGH_WORDS:
            return same
        return [
            sid
            for sid, words in self._words.items()
            if f" {asked} " in f" {words} "
            or (words.count(" ") + 1 >= _ENOUGH_WORDS and f" {words} " in f" {asked} ")
        ]


def _share(quote: set[str], sentence: set[str]) -> float:
    """Share of common words in the shorter one: quotations may be cut or corrected."""
    return len(quote & sentence) / (min(len(quote), len(sentence)) or 1)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))
