"""The services that can be asked: how a question to each is written. Their answers are read by `formats`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

import orjson

from citewhy.base.errors import QueryError
from citewhy.base.records import Paper
from citewhy.session.enrich.client import Request
from citewhy.text.identifiers import arxiv_number
from citewhy.text.names import surname

_NOT_A_WORD = re.compile(r"[^\w\s]|_")
_ARXIV_DOI = "10.48550/arxiv."


@dataclass(frozen=True, slots=True)
class Service:
    """A service. `by_id` writes one request for several identifiers (`identifier`), `by_title` one for a
    paper without any."""

    name: str
    host: str
    """People are told this; the address begins with it."""
    address: str
    format: str
    """The name of the answers' format in `formats.registry`."""
    pause: float
    """Seconds between two requests."""
    batch: int
    """Maximum number of identifiers of a request."""
    gives: frozenset[str]
    """Which of ``abstract``, ``doi``, ``references`` it has."""
    by_id: Callable[[str, Sequence[str], str], Request]
    by_title: Callable[[str, Paper, str], Request] | None = None
    connects_by_id: bool = False
    """Whether its references name papers by the service's own ids: they connect only papers that it was
    asked for."""
    kinds: frozenset[str] = field(default_factory=lambda: frozenset({"doi", "arXiv"}))
    """Kinds of identifiers that it understands."""
    results: tuple[str, ...] | None = ()
    """The keys that lead to the list of results in an answer; None: it is not JSON."""
    results_by_title: tuple[str, ...] = ()
    one_each: bool = False
    """Whether that list has a result for each identifier, null for an unknown one."""
    unknown_title: int = 0
    """The HTTP status by which it says that it does not know a title; 0: there are just no results."""


def identifier(paper: Paper, kinds: frozenset[str]) -> str:
    """How a service knows a paper: ``doi:10.…`` or ``arXiv:1810.04805``; empty if it has neither."""
    number = arxiv_number(paper.id) or arxiv_number(paper.url)
    if paper.doi.startswith(_ARXIV_DOI):
        number = number or arxiv_number(paper.doi.removeprefix(_ARXIV_DOI))
    if paper.doi and "doi" in kinds and not ("arXiv" in kinds and paper.doi.startswith(_ARXIV_DOI)):
        return f"doi:{paper.doi}"
    if number and "arXiv" in kinds:
        return f"arXiv:{number}"
    return f"doi:{_ARXIV_DOI}{number}" if number and "doi" in kinds else ""


def _query(address: str, path: str, values: Mapping[str, str], email: str) -> Request:
    mail = {"mailto": email} if email else {}
    return Request(f"{address}{path}?{urlencode({**values, **mail}, quote_via=quote)}")


def _words(paper: Paper) -> str:
    return " ".join(_NOT_A_WORD.sub(" ", paper.title).split())


_OPENALEX_FIELDS = (
    "id,doi,title,display_name,publication_year,authorships,primary_location,ids,abstract_inverted_index,"
    "referenced_works"
)


def _openalex(address: str, asked: Sequence[str], email: str) -> Request:
    dois = "|".join(key.partition(":")[2] for key in asked)
    values = {"filter": f"doi:{dois}", "per-page": str(len(asked)), "select": _OPENALEX_FIELDS}
    return _query(address, "/works", values, email)


def _openalex_title(address: str, paper: Paper, email: str) -> Request:
    values = {"filter": f"title.search:{_words(paper)}", "per-page": "5", "select": _OPENALEX_FIELDS}
    return _query(address, "/works", values, email)


def _crossref(address: str, asked: Sequence[str], email: str) -> Request:
    return _query(address, "/works", {"filter": ",".join(asked), "rows": str(len(asked))}, email)


def _crossref_title(address: str, paper: Paper, email: str) -> Request:
    first = surname(paper.authors[0]) if paper.authors else ""
    values = {"query.bibliographic": f"{_words(paper)} {first}".strip(), "rows": "3"}
    return _query(address, "/works", values, email)


_SCHOLAR_FIELDS = "title,abstract,year,authors,venue,externalIds,references.paperId"


def _scholar(address: str, asked: Sequence[str], email: str) -> Request:
    ids = [key.replace("doi:", "DOI:", 1).replace("arXiv:", "ARXIV:", 1) for key in asked]
    return Request(f"{address}/graph/v1/paper/batch?fields={_SCHOLAR_FIELDS}", orjson.dumps({"ids": ids}))


def _scholar_title(address: str, paper: Paper, email: str) -> Request:
    values = {"query": _words(paper), "fields": _SCHOLAR_FIELDS}
    return _query(address, "/graph/v1/paper/search/match", values, "")


def _arxiv(address: str, asked: Sequence[str], email: str) -> Request:
    numbers = ",".join(key.partition(":")[2] for key in asked)
    return Request(f"{address}/api/query?id_list={quote(numbers, safe=',')}&max_results={len(asked)}")


_ALL = frozenset({"abstract", "doi", "references"})

SERVICES = {
    "openalex": Service(
        name="openalex",
        host="api.openalex.org",
        address="https://api.openalex.org",
        format="OpenAlex",
        pause=0.2,
        batch=50,
        gives=_ALL,
        by_id=_openalex,
        by_title=_openalex_title,
        connects_by_id=True,
        kinds=frozenset({"doi"}),
        results=("results",),
        results_by_title=("results",),
    ),
    "crossref": Service(
        name="crossref",
        host="api.crossref.org",
        address="https://api.crossref.org",
        format="Crossref",
        pause=1.0,
        batch=20,
        gives=_ALL,
        by_id=_crossref,
        by_title=_crossref_title,
        kinds=frozenset({"doi"}),
        results=("message", "items"),
        results_by_title=("message", "items"),
    ),
    "semantic-scholar": Service(
        name="semantic-scholar",
        host="api.semanticscholar.org",
        address="https://api.semanticscholar.org",
        format="Semantic Scholar",
        pause=1.5,
        batch=100,
        gives=_ALL,
        by_id=_scholar,
        by_title=_scholar_title,
        connects_by_id=True,
        results_by_title=("data",),
        one_each=True,
        unknown_title=404,
    ),
    "arxiv": Service(
        name="arxiv",
        host="export.arxiv.org",
        address="https://export.arxiv.org",
        format="arXiv Atom",
        pause=3.0,
        batch=50,
        gives=frozenset({"abstract", "doi"}),
        by_id=_arxiv,
        kinds=frozenset({"arXiv"}),
        results=None,
    ),
}


def service(name: str) -> Service:
    """Raises QueryError for an unknown name."""
    if name not in SERVICES:
        raise QueryError(f"there is no service {name!r}", hint=f"choose from: {', '.join(SERVICES)}")
    return SERVICES[name]
