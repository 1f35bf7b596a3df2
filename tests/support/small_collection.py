"""Makes small collections of papers and citing sentences for tests, and ids that are or are not held out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.train.collection import Collection

SHOWN = [name for name in (f"p{number}" for number in range(200)) if not held_out(name)]
"""Ids of papers that training may use."""

HIDDEN = [name for name in (f"p{number}" for number in range(200)) if held_out(name)]
"""Ids of papers that are held out."""


def write(
    folder: Path,
    papers: list[dict[str, Any]],
    citations: Iterable[tuple[str, str]] = (),
    contexts: Iterable[dict[str, Any]] = (),
    aliases: Iterable[tuple[str, str]] = (),
    **others: list[dict[str, Any]],
) -> Path:
    """Writes a collection to `folder`; `others` are rows of paragraphs and triples."""
    (folder / "papers.jsonl").write_bytes(lines(papers))
    (folder / "citations.tsv").write_text(table(("citing_id", "cited_id"), citations))
    (folder / "contexts.jsonl").write_bytes(lines(contexts))
    (folder / "paper_aliases.tsv").write_text(table(("id", "same_as"), aliases))
    for name, rows in others.items():
        (folder / {"paragraphs": "paragraphs.train.jsonl"}.get(name, f"{name}.jsonl")).write_bytes(
            lines(rows)
        )
    return folder


def lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in [columns, *rows])


def paper(paper_id: str, year: int | None = 2000, abstract: str = "") -> dict[str, Any]:
    return {"id": paper_id, "title": f"About {paper_id}", "abstract": abstract, "year": year}


def context(citing: str, cited: list[str], year: int | None, text: str = "") -> dict[str, Any]:
    return {
        "context_id": f"{citing}_{'_'.join(cited)}",
        "citing_id": citing,
        "cited_ids": cited,
        "text": text or f"As TARGETCIT says, {citing} is not {' '.join(cited)}.",
        "citing_year": year,
    }


def collection(folder: Path, *given: Any, **named: Any) -> Collection:
    return Collection(write(folder, *given, **named))
