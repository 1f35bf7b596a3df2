"""Embeddings of a benchmark's papers: made by an encoder, or read from the files that benchmarks exchange.

A file has a line for each paper: ``{"paper_id": "…", "embedding": [0.1, …]}``; SciRepEval says ``doc_id``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.records import Paper
from citewhy.search.encode import Encoder, paper_text
from citewhy.search.encode.encoder import Vectors
from citewhy.text.source import open_raw_lines, read_bytes
from citewhy_lab.evaluate.datasets.lines import Line, parsed_object

__all__ = [
    "Embed",
    "Texts",
    "by_encoder",
    "from_files",
    "json_lines",
    "paper_of",
    "read_json",
    "write_embeddings",
]

IDS = ("paper_id", "doc_id", "corpus_id", "id")
"""Fields of an id, the first that there is."""

_MOST = 4 << 30
"""Bytes of a JSON file."""

_AT_A_TIME = 512

Texts = Mapping[str, str]
"""Text by id: title and abstract of a paper, or a query of words."""

Embed = Callable[[Texts, bool], Mapping[str, Vectors]]
"""Vectors [d] of texts by id; the second argument tells whether they are queries of words. Papers without a
vector are left out."""


def by_encoder(encoder: Encoder, progress: Callable[[str, float | None], None]) -> Embed:
    """Encodes the texts, each once."""
    known: dict[tuple[str, bool], Vectors] = {}

    def embed(texts: Texts, words: bool) -> Mapping[str, Vectors]:
        new = [each for each in texts if (each, words) not in known]
        for start in range(0, len(new), _AT_A_TIME):
            block = new[start : start + _AT_A_TIME]
            found = encoder.encode([texts[each] for each in block], "query" if words else "paper")
            known.update(zip(((each, words) for each in block), found, strict=True))
            progress("encoding papers", (start + len(block)) / len(new))
        return {each: known[each, words] for each in texts}

    return embed


def from_files(files: Iterable[Path]) -> Embed:
    """Vectors from files, later ones before earlier ones. Raises InputError for a line without a vector, and
    for vectors of different lengths."""
    found: dict[str, Vectors] = {}
    size = 0
    for file in files:
        for line in json_lines(file):
            values = line.fields.get("embedding")
            if not isinstance(values, list) or not values:
                raise line.error("'embedding' is missing", hint="a line has paper_id and embedding")
            found[_id(line)] = np.array(values, dtype=np.float32)
            if size and len(values) != size:
                raise line.error(f"a vector of {len(values)} numbers, after one of {size}")
            size = len(values)
    return lambda texts, _words: {each: found[each] for each in texts if each in found}


def write_embeddings(path: Path, vectors: Mapping[str, Vectors]) -> None:
    """A line for each paper. Raises StorageError."""
    rows = ({"paper_id": each, "embedding": vector.tolist()} for each, vector in vectors.items())
    replace_file(path, b"".join(orjson.dumps(row) + b"\n" for row in rows))


def json_lines(path: Path) -> Iterable[Line]:
    """The objects of a file, which may be compressed. Raises InputError."""
    for number, raw in open_raw_lines(path):
        if raw.strip():
            yield Line(path, number, parsed_object(raw, path, number))


def read_json(path: Path) -> dict[str, Any]:
    """A file with one JSON object. Raises InputError."""
    return parsed_object(read_bytes(path, _MOST), path)


def paper_of(line: Line) -> tuple[str, str]:
    """Id, and text of title and abstract; the abstract may be null, or a list of sentences."""
    abstract = line.fields.get("abstract") or ""
    text = " ".join(map(str, abstract)) if isinstance(abstract, list) else str(abstract)
    return _id(line), paper_text(Paper("", str(line.fields.get("title") or ""), text))


def _id(line: Line) -> str:
    found = next((line.fields[name] for name in IDS if line.fields.get(name) not in (None, "")), None)
    if not isinstance(found, str | int):
        raise line.error(f"there is no id, expected {', '.join(cast(Sequence[str], IDS))}")
    return str(found)
