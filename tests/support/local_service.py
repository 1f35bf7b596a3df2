"""A service on this machine that speaks the layouts of OpenAlex, Crossref, Semantic Scholar and arXiv."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from citewhy.base.records import Paper

WORKS: dict[str, dict[str, Any]] = {
    "10.1000/parsing": {
        "id": "W1",
        "title": "Parsing with Trees",
        "abstract": "We parse with trees.",
        "cites": ["W2", "W9"],
        "year": 2001,
        "author": ("Ann", "Lee"),
        "arxiv": "",
    },
    "10.1000/tagging": {
        "id": "W2",
        "title": "Tagging by Rules",
        "abstract": "Rules tag words.",
        "cites": [],
        "year": 2000,
        "author": ("Bo", "Ek"),
        "arxiv": "0001.00002",
    },
}
"""What the service knows, by DOI."""


@dataclass
class Service:
    """The service as its test sees it."""

    address: str
    asked: list[str] = field(default_factory=list)
    """Paths with queries, unquoted, and bodies behind them."""
    refusals: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Statuses and headers of the next answers; after them, it answers properly."""
    refuses: Callable[[str], int] = lambda path: 0
    """The status for a path; 0: it is answered."""
    garbage: bytes = b""
    """Sent as the answer to everything, unless empty."""


@contextmanager
def local_service() -> Iterator[Service]:
    """Starts the service on a free port of the loopback interface, and ends it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(self.path, None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(self.path, json.loads(body))

        def _answer(self, path: str, body: Any) -> None:
            shown = unquote(path)
            service.asked.append(shown if body is None else f"{shown} {json.dumps(body)}")
            status, headers = service.refusals.pop(0) if service.refusals else (service.refuses(shown), {})
            data = b"no" if status else service.garbage or answer(path, body)
            self.send_response(status or (200 if data else 404))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service = Service(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def service_that_knows(papers: Sequence[Paper]) -> Iterator[Service]:
    """The service knows an abstract of each of the papers, which have DOIs, besides its own works."""
    before = dict(WORKS)
    for paper in papers:
        work = {"id": paper.id, "title": paper.title, "abstract": f"Of {paper.id}.", "cites": []}
        WORKS[paper.doi] = work | {"year": 2001, "author": ("Ann", "Lee"), "arxiv": ""}
    try:
        with local_service() as service:
            yield service
    finally:
        WORKS.clear()
        WORKS.update(before)


def answer(path: str, body: Any) -> bytes:
    """What the service that understands this address answers; empty: not found."""
    parts = urlsplit(path)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if parts.path == "/works" and "select" in query:
        return _json({"meta": {"count": 1}, "results": [_openalex(doi) for doi in _filtered(query)]})
    if parts.path == "/works":
        items = [_crossref(doi) for doi in _filtered(query)]
        return _json({"status": "ok", "message-type": "work-list", "message": {"items": items}})
    if parts.path == "/graph/v1/paper/batch":
        return _json([_scholar(each) for each in body["ids"]])
    if parts.path == "/graph/v1/paper/search/match":
        found = [_scholar(f"DOI:{doi}") for doi in _titled(query["query"])]
        return _json({"data": found}) if found else b""
    return _atom(query["id_list"].split(","))


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _filtered(query: dict[str, str]) -> list[str]:
    if bibliographic := query.get("query.bibliographic"):
        return _titled(bibliographic)
    wanted = query["filter"]
    if wanted.startswith("title.search:"):
        return _titled(wanted.partition(":")[2])
    dois = wanted.replace("doi:", "").replace("|", ",").split(",")
    return [doi for doi in dois if doi in WORKS]


def _titled(words: str) -> list[str]:
    """Services of this kind find a lot."""
    return [
        doi for doi, work in WORKS.items() if set(words.lower().split()) & set(work["title"].lower().split())
    ]


def _openalex(doi: str) -> dict[str, Any]:
    work = WORKS[doi]
    index: dict[str, list[int]] = {}
    for place, word in enumerate(work["abstract"].split()):
        index.setdefault(word, []).append(place)
    return {
        "id": f"https://openalex.org/{work['id']}",
        "doi": f"https://doi.org/{doi}",
        "title": work["title"],
        "display_name": work["title"],
        "publication_year": work["year"],
        "authorships": [{"author": {"display_name": " ".join(work["author"])}}],
        "primary_location": None,
        "ids": {"openalex": f"https://openalex.org/{work['id']}"},
        "abstract_inverted_index": index,
        "referenced_works": [f"https://openalex.org/{each}" for each in work["cites"]],
    }


def _crossref(doi: str) -> dict[str, Any]:
    work = WORKS[doi]
    given, family = work["author"]
    cited = [
        {"key": each, "DOI": other} for each in work["cites"] for other in WORKS if WORKS[other]["id"] == each
    ]
    return {
        "DOI": doi.upper(),
        "title": [work["title"]],
        "author": [{"given": given, "family": family, "sequence": "first"}],
        "issued": {"date-parts": [[work["year"]]]},
        "abstract": f"<jats:p>{work['abstract']}</jats:p>",
        "reference": cited,
    }


def _scholar(identifier: str) -> dict[str, Any] | None:
    kind, _, value = identifier.partition(":")
    doi = next((d for d in WORKS if value == (d if kind == "DOI" else WORKS[d]["arxiv"])), None)
    if doi is None:
        return None
    work = WORKS[doi]
    external = {"DOI": doi} | ({"ArXiv": work["arxiv"]} if work["arxiv"] else {})
    return {
        "paperId": work["id"] * 20,
        "externalIds": external,
        "title": work["title"],
        "abstract": work["abstract"],
        "year": work["year"],
        "venue": "",
        "authors": [{"authorId": "1", "name": " ".join(work["author"])}],
        "references": [{"paperId": each * 20} for each in work["cites"]],
    }


def _atom(numbers: list[str]) -> bytes:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{work['arxiv']}v1</id><title>{work['title']}</title>"
        f"<summary>{work['abstract']}</summary><author><name>{' '.join(work['author'])}</name></author>"
        f"<published>{work['year']}-01-02T00:00:00Z</published>"
        f'<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">{doi}</arxiv:doi></entry>'
        for doi, work in WORKS.items()
        if work["arxiv"] in numbers
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'.encode()
