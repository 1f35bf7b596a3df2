"""`citewhy enrich` asks servers that answer anything at all: a report or an error of one line, in time, and
nothing is noted as asked that was not answered."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from bad_servers import MODES, bad_server
from harness import cases

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.session.enrich import client
from citewhy.session.enrich.enriching import Enrichment

PAPERS = (
    Paper("lee", "Parsing with Trees", authors=("Ann Lee",), year=2001, doi="10.1000/parsing"),
    Paper("ek", "Tagging by Rules", authors=("Bo Ek",), url="https://arxiv.org/abs/0001.00002"),
    Paper("fox", "Speech Without Words", authors=("Cy Fox",), year=2003),
)
SERVICES = ("openalex", "crossref", "semantic-scholar", "arxiv")

ANSWERS = ("a length of", "a header without a name", "a body of wrong types", "status 404")
"""Modes in which the body is an answer that may be read, or the status says that a title is unknown."""


def test_bad_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each kind of server, asked as each service."""
    monkeypatch.setattr(client, "TIMEOUT", 0.3)
    monkeypatch.setattr(client, "DEADLINE", 0.5)
    every = [(name, service) for name in MODES for service in SERVICES]
    random.Random(1).shuffle(every)
    folder = tmp_path / "library"
    with Library.open(folder, create=True) as library:
        library.add(PAPERS)
    for case in cases(len(every), "bad servers"):
        name, service = every[case]
        with bad_server(MODES[name]) as address:
            run = Enrichment(folder, service, address=address, sleep=lambda _: None)
            with contextlib.suppress(CiteWhyError):  # of one line, as every one is
                run.run(vectors=False)
        with Library.open(folder) as library:
            assert library.papers(library.ids()).keys() == {"lee", "ek", "fox"}, name
            library.verify()
        if not name.startswith(ANSWERS):
            assert not (folder / "enriched.jsonl").exists(), name
        (folder / "enriched.jsonl").unlink(missing_ok=True)
