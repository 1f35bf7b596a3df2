"""`citewhy enrich`, against a service on this machine: what is sent, and what becomes of answers."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from bad_servers import Mode, bad_server
from click.testing import CliRunner
from local_service import WORKS, Service, local_service

from citewhy.base.errors import CiteWhyError, LibraryError, NetworkError, QueryError, StorageError
from citewhy.base.records import Paper
from citewhy.base.reports import EnrichReport
from citewhy.doors.cli import cli
from citewhy.doors.present import enrich_text
from citewhy.papers.library.store import Library
from citewhy.session.enrich import client
from citewhy.session.enrich.enriching import Enrichment
from citewhy.session.enrich.services import SERVICES

PARSING = Paper("lee", "Parsing with trees", authors=("Ann Lee",), year=2001, doi="10.1000/parsing")
TAGGING = Paper("ek", "Tagging by Rules", authors=("B. Ek",), year=2000, doi="10.1000/tagging")
UNKNOWN = Paper("no", "Nobody Knows This", doi="10.1000/unknown")


@pytest.fixture
def service() -> Iterator[Service]:
    with local_service() as running:
        yield running


def shelf(folder: Path, *papers: Paper) -> Path:
    """A library of papers."""
    with Library.open(folder, create=True) as library:
        library.add(papers)
    return folder


class Naps:
    """A clock that is never waited for."""

    def __init__(self, interrupted_after: int = 1_000_000) -> None:
        self.taken: list[float] = []
        self._left = interrupted_after

    def __call__(self, seconds: float) -> None:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        self.taken.append(seconds)


def enrich(
    folder: Path, service: Service, name: str = "openalex", naps: Naps | None = None, most: int | None = None
) -> dict[str, int]:
    run = Enrichment(folder, name, address=service.address, most=most, sleep=naps or Naps())
    return dict(run.run(vectors=False).counts)


def paper(folder: Path, paper_id: str) -> Paper:
    with Library.open(folder) as library:
        return library.paper(paper_id)


def edges(folder: Path) -> list[tuple[str, str]]:
    with Library.open(folder) as library:
        return list(library.edges())


@pytest.mark.parametrize("name", ["openalex", "crossref", "semantic-scholar"])
def test_gaps_are_filled(tmp_path: Path, service: Service, name: str) -> None:
    """Abstracts and references come in; what the library has, such as the title as written, stays."""
    folder = shelf(tmp_path, PARSING, TAGGING, UNKNOWN)
    counts = enrich(folder, service, name)
    assert paper(folder, "lee") == replace(PARSING, abstract="We parse with trees.")
    assert paper(folder, "ek").abstract == "Rules tag words."
    assert paper(folder, "no") == UNKNOWN
    assert edges(folder) == [("lee", "ek")]
    assert (counts["asked"], counts["found"], counts["unknown"], counts["abstract"]) == (3, 2, 1, 2)
    assert len(service.asked) == 1
    assert all(doi in service.asked[0] for doi in ("10.1000/parsing", "10.1000/tagging", "10.1000/unknown"))


def test_arxiv(tmp_path: Path, service: Service) -> None:
    """arXiv is asked for its own papers alone, and knows their DOIs."""
    preprint = Paper("x", "Tagging by rules", url="https://arxiv.org/abs/0001.00002v2")
    folder = shelf(tmp_path, preprint, PARSING)
    counts = enrich(folder, service, "arxiv")
    assert service.asked == ["/api/query?id_list=0001.00002&max_results=1"]
    assert (paper(folder, "x").doi, paper(folder, "x").abstract) == ("10.1000/tagging", "Rules tag words.")
    assert (counts["asked"], counts["doi"]) == (1, 1)


@pytest.mark.parametrize("name", ["openalex", "crossref", "semantic-scholar"])
def test_papers_without_an_identifier(tmp_path: Path, service: Service, name: str) -> None:
    """They are looked for by title; of all that the service finds, only the same paper counts."""
    folder = shelf(tmp_path, replace(PARSING, doi=""), replace(TAGGING, doi="", authors=("Cy Fox",)))
    counts = enrich(folder, service, name)
    assert paper(folder, "lee").doi == "10.1000/parsing"
    assert paper(folder, "ek").doi == ""
    assert (counts["found"], counts["unknown"], counts["doi"]) == (1, 1, 1)


def test_another_paper_under_the_same_doi(tmp_path: Path, service: Service) -> None:
    """A wrong DOI in the library does not bring another paper's abstract."""
    wrong = Paper("w", "Speech Without Words", doi="10.1000/parsing")
    folder = shelf(tmp_path, wrong)
    assert enrich(folder, service)["another paper"] == 1
    assert paper(folder, "w") == wrong


def test_two_papers_with_one_doi(tmp_path: Path, service: Service) -> None:
    """Each is compared with what the service says of it."""
    folder = shelf(
        tmp_path, Paper("w", "Speech Without Words", authors=("Cy Fox",), doi=PARSING.doi), PARSING
    )
    counts = enrich(folder, service)
    assert (counts["asked"], counts["found"], counts["another paper"]) == (2, 1, 1)
    assert paper(folder, "lee").abstract == "We parse with trees."
    assert paper(folder, "w").abstract == ""


def test_an_id_of_another_paper(tmp_path: Path, service: Service) -> None:
    """A service's id that is the key of another paper in the library joins nothing, and is counted."""
    other = Paper(WORKS["10.1000/parsing"]["id"] * 20, "Speech Without Words", authors=("Cy Fox",))
    folder = shelf(tmp_path, PARSING, other)
    counts = enrich(folder, service, "semantic-scholar")
    assert (counts["found"], counts["merged"], counts["ids of others"]) == (1, 0, 1)
    assert paper(folder, "lee") == replace(PARSING, abstract="We parse with trees.")
    assert paper(folder, other.id) == other
    assert "1 id left out" in enrich_text.report(EnrichReport("", "", counts))


SPEECH = Paper("s", "Parsing with Trees for Speech", authors=("Cy Fox",), year=2010, doi="10.1000/tagging")
"""Has the DOI of another paper, whose title it does not have."""


@contextmanager
def says(doi: str, **fields: object) -> Iterator[None]:
    """The service says this of a paper."""
    before = WORKS.get(doi)
    WORKS[doi] = {"abstract": "", "year": 2000, **(before or {}), **fields}
    try:
        yield
    finally:
        del WORKS[doi]
        if before is not None:
            WORKS[doi] = before


def test_a_similar_title_of_somebody_else(tmp_path: Path, service: Service) -> None:
    """An answer whose title resembles ours, and whose first author is another one, brings nothing."""
    wrong = replace(SPEECH, doi="10.1000/parsing")
    folder = shelf(tmp_path, wrong)
    assert enrich(folder, service)["another paper"] == 1
    assert paper(folder, "s") == wrong


@pytest.mark.parametrize("name", ["crossref", "semantic-scholar"])
def test_a_doi_of_another_paper(tmp_path: Path, service: Service, name: str) -> None:
    """A service's DOI that another paper of the library has is left out; the abstract comes in."""
    other = replace(SPEECH, doi="10.1000/parsing")
    folder = shelf(tmp_path, replace(PARSING, doi=""), other)
    run = Enrichment(folder, name, address=service.address, sleep=Naps())
    counts = run.run(vectors=False).counts
    assert (counts["merged"], counts["ids of others"], counts["doi"], counts["abstract"]) == (0, 1, 0, 1)
    assert paper(folder, "lee") == replace(PARSING, doi="", abstract="We parse with trees.")
    assert paper(folder, "s") == other


def test_one_wrong_id_for_three_papers(tmp_path: Path, service: Service) -> None:
    """A service that gives three papers one id and one external number joins none of them."""
    third = Paper("t", "Speech Without Words", authors=("Di Roe",), doi="10.1000/unknown")
    folder = shelf(tmp_path, PARSING, TAGGING, third)
    speech = {"id": "W2", "title": third.title, "author": ("Di", "Roe"), "cites": [], "arxiv": "0001.00002"}
    with (
        says("10.1000/parsing", id="W2", arxiv="0001.00002"),
        says("10.1000/tagging", id="W2"),
        says("10.1000/unknown", **speech),
    ):
        counts = enrich(folder, service, "semantic-scholar")
    assert (counts["found"], counts["merged"]) == (3, 0)
    with Library.open(folder) as library:
        assert sorted(library.ids()) == ["ek", "lee", "t"]


def test_nothing_is_asked_twice(tmp_path: Path, service: Service) -> None:
    """Neither what was found nor what was not; unless it is wished."""
    folder = shelf(tmp_path, PARSING, UNKNOWN)
    enrich(folder, service)
    assert enrich(folder, service)["asked"] == 0
    assert len(service.asked) == 1
    run = Enrichment(folder, "openalex", address=service.address, again=True, sleep=Naps())
    assert run.plan.identifiers == 2


def test_an_interrupted_run_is_continued(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered before Ctrl-C is kept; the next run asks for the rest."""
    monkeypatch.setitem(SERVICES, "openalex", replace(SERVICES["openalex"], batch=1))
    folder = shelf(tmp_path, PARSING, TAGGING)
    with pytest.raises(KeyboardInterrupt):
        enrich(folder, service, naps=Naps(interrupted_after=1))
    (first,) = service.asked
    assert enrich(folder, service)["asked"] == 1
    assert len(service.asked) == 2
    assert service.asked[1] != first
    assert edges(folder) == [("lee", "ek")]


def test_a_cut_off_note_is_asked_for_again(tmp_path: Path, service: Service) -> None:
    """The file of what was asked may end within a line after a crash."""
    folder = shelf(tmp_path, PARSING)
    enrich(folder, service)
    notes = folder / "enriched.jsonl"
    notes.write_bytes(notes.read_bytes()[:-5])
    assert enrich(folder, service)["asked"] == 1
    assert enrich(folder, service)["asked"] == 0


@pytest.mark.parametrize(("status", "header", "wait"), [(429, "7", 7), (503, None, 2), (429, "soon", 2)])
def test_a_busy_service_is_waited_for(
    tmp_path: Path, service: Service, status: int, header: str | None, wait: float
) -> None:
    """As long as Retry-After asks for; two seconds where it says nothing that can be read."""
    service.refusals = [(status, {} if header is None else {"Retry-After": header})]
    naps = Naps()
    assert enrich(shelf(tmp_path, PARSING), service, naps=naps)["found"] == 1
    assert len(service.asked) == 2
    assert wait - 1 < max(naps.taken) <= wait


def test_requests_keep_their_distance(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two requests there is the pause of the service."""
    monkeypatch.setitem(SERVICES, "crossref", replace(SERVICES["crossref"], batch=1, pause=60.0))
    naps = Naps()
    enrich(shelf(tmp_path, PARSING, TAGGING), service, "crossref", naps)
    assert len([nap for nap in naps.taken if nap > 30]) == 1


@pytest.mark.parametrize(
    ("refusals", "why"),
    [
        ([(503, {})] * 5, "no answer after 5 tries (HTTP status 503)"),
        ([(429, {"Retry-After": "86400"})], "it asks to wait 86,400 seconds"),
        ([(403, {})], "it refuses access (HTTP status 403)"),
    ],
)
def test_a_service_that_does_not_answer(
    tmp_path: Path, service: Service, refusals: Sequence[tuple[int, dict[str, str]]], why: str
) -> None:
    """An error says so, the library is as before, and the next run asks again."""
    folder = shelf(tmp_path, PARSING)
    service.refusals = list(refusals)
    with pytest.raises(NetworkError) as caught:
        enrich(folder, service)
    assert why in str(caught.value)
    assert "run the command again" in str(caught.value)
    assert paper(folder, "lee") == PARSING
    assert enrich(folder, service)["found"] == 1


def test_no_service_at_all(tmp_path: Path, service: Service) -> None:
    """A connection that is refused is an error of the network."""
    run = Enrichment(shelf(tmp_path, PARSING), "openalex", address="http://127.0.0.1:9", sleep=Naps())
    with pytest.raises(NetworkError, match="no answer after 5 tries"):
        run.run(vectors=False)


def test_one_bad_identifier(tmp_path: Path, service: Service) -> None:
    """A request that is refused because of it is divided until the others are answered."""
    service.refuses = lambda path: 400 if "unknown" in path else 0
    folder = shelf(tmp_path, PARSING, UNKNOWN, TAGGING)
    counts = enrich(folder, service)
    assert (counts["asked"], counts["found"], counts["unknown"], counts["refused"]) == (3, 2, 0, 1)
    assert "1 paper refused by it, to be asked for again" in enrich_text.report(EnrichReport("", "", counts))
    service.refuses = lambda path: 0
    assert enrich(folder, service)["asked"] == 1


@pytest.mark.parametrize(
    "garbage",
    [
        b"<html>Sign in</html>",
        b'{"results": [{"id": "W1"',
        b"\xff\xfe",
        b'{"message": "quota"}',
        b'{"results": [[]]}',
        gzip.compress(b'{"results": []}', mtime=0),
    ],
)
def test_an_answer_that_is_none(tmp_path: Path, service: Service, garbage: bytes) -> None:
    """A page of a hotel's network is no answer; nothing is noted as asked."""
    folder = shelf(tmp_path, PARSING)
    service.garbage = garbage
    with pytest.raises(CiteWhyError, match=r"the answer cannot be read|it compresses its answers"):
        enrich(folder, service)
    service.garbage = b""
    assert enrich(folder, service)["found"] == 1


@pytest.mark.parametrize("status", [302, 402, 407, 418, 451, 511, 204])
def test_a_page_in_between(tmp_path: Path, service: Service, status: int) -> None:
    """A page that a network puts before the service is no answer to anything: nothing is noted as asked."""
    folder = shelf(tmp_path, PARSING, replace(TAGGING, doi=""))
    service.refusals = [(status, {"Location": "http://a..b/sign-in"})] * 2
    with pytest.raises(NetworkError) as caught:
        enrich(folder, service)
    assert str(status) in str(caught.value)
    assert len(service.asked) == 1
    service.refusals = []
    assert enrich(folder, service)["found"] == 2


@pytest.mark.parametrize(
    ("target", "is_followed"),
    [
        ("/works?{query}", True),
        ("{address}/works?{query}", True),
        ("http://127.0.0.2:1/works", False),
        ("http://[", False),
        ("file:///etc/passwd", False),
        (f"http://{'a' * 70}.org/", False),
    ],
)
def test_redirects(tmp_path: Path, service: Service, target: str, is_followed: bool) -> None:
    """They are followed within the service."""
    folder = shelf(tmp_path, PARSING)
    query = "filter=doi:10.1000/parsing&select=id"
    location = target.format(address=service.address, query=query)
    service.refusals = [(302, {"Location": location})]
    if is_followed:
        assert enrich(folder, service)["found"] == 1
        assert service.asked[1] == f"/works?{query}"
    else:
        with pytest.raises(NetworkError, match="it sends us to another address"):
            enrich(folder, service)


def test_redirects_in_a_circle(tmp_path: Path, service: Service) -> None:
    """They are not followed for ever."""
    service.refusals = [(302, {"Location": "/again"})] * 100
    with pytest.raises(NetworkError, match="from one address to the next"):
        enrich(shelf(tmp_path, PARSING), service)
    assert len(service.asked) < 10


def test_an_answer_has_a_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte of it may come in time, and the answer never end."""
    monkeypatch.setattr(client, "DEADLINE", 0.2)
    folder = shelf(tmp_path, PARSING)
    for mode in (Mode(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"), Mode(b"HTTP/1.1 200 OK\r\n\r\n", b" ")):
        with bad_server(mode) as address, pytest.raises(NetworkError, match="no answer after 5 tries"):
            Enrichment(folder, address=address, sleep=Naps()).run(vectors=False)


def test_what_was_asked_is_a_regular_file(tmp_path: Path, service: Service) -> None:
    """Neither a named pipe is waited for, nor a link followed; nothing is sent."""
    folder = shelf(tmp_path / "library", PARSING)
    notes = folder / "enriched.jsonl"
    os.mkfifo(notes)
    with pytest.raises(StorageError, match="not a regular file"):
        enrich(folder, service)
    notes.unlink()
    notes.symlink_to(tmp_path / "mine")
    with pytest.raises(StorageError, match=r"enriched\.jsonl"):
        enrich(folder, service)
    assert service.asked == []
    assert not (tmp_path / "mine").exists()


def test_an_answer_that_is_too_large(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not read to its end."""
    monkeypatch.setattr(client, "LARGEST_ANSWER", 10)
    with pytest.raises(NetworkError, match="more than 10 bytes"):
        enrich(shelf(tmp_path, PARSING), service)


def test_bad_questions(tmp_path: Path) -> None:
    """Unknown services and fields are named with those that there are; there must be a library."""
    folder = shelf(tmp_path / "library", PARSING)
    with pytest.raises(QueryError, match="choose from: openalex, crossref"):
        Enrichment(folder, "google")
    with pytest.raises(QueryError, match="choose from: abstract, doi, references"):
        Enrichment(folder, fields=["citations"])
    with pytest.raises(QueryError, match="begins with https"):
        Enrichment(folder, address="file:///etc")
    with pytest.raises(QueryError, match="begins with https"):
        Enrichment(folder, address="http://a..b")
    with pytest.raises(LibraryError):
        Enrichment(tmp_path / "nothing")


# The command ----------------------------------------------------------------------------------------------


def call(folder: Path, service: Service, *options: str, stdin: str = "") -> tuple[int, str]:
    given = ["enrich", "--library", str(folder), "--address", service.address, "--no-vectors", *options]
    done = CliRunner().invoke(cli, given, input=stdin)
    return done.exit_code, done.output


@pytest.mark.parametrize(("options", "stdin"), [(["--dry-run"], ""), ([], "n\n"), ([], "")])
def test_nothing_is_sent_unasked(tmp_path: Path, service: Service, options: list[str], stdin: str) -> None:
    """The command says what it will send and where, and sends it only after a yes."""
    folder = shelf(tmp_path, PARSING, replace(TAGGING, doi=""))
    _, shown = call(folder, service, *options, stdin=stdin)
    assert f"Will be sent to {service.address}, in 2 requests:" in shown
    assert "1 DOI or arXiv number" in shown
    assert "1 title of papers without them" in shown
    assert "Nothing else is sent." in shown
    assert service.asked == []
    titles = shelf(tmp_path / "titles", replace(TAGGING, doi=""))
    assert "  1 title of papers without a DOI or an arXiv number\n" in call(titles, service, "--dry-run")[1]


def test_the_command(tmp_path: Path, service: Service) -> None:
    """It says what was new; as JSON, the plan and the counts."""
    folder = shelf(tmp_path, PARSING, TAGGING)
    code, shown = call(folder, service, "--yes", "--limit", "1", "--email", "me@example.org")
    assert code == 0
    assert "openalex: 1 papers asked for, 1 found, 0 unknown to it" in shown
    assert service.asked[0].endswith("&mailto=me@example.org")
    code, shown = call(folder, service, "--yes", "--json", "--quiet")
    assert json.loads(shown)["answered"]["asked"] == 1
    code, shown = call(folder, service)
    assert (code, "Nothing to ask" in shown) == (0, True)


def test_a_merge_is_told_and_can_be_undone(tmp_path: Path, service: Service) -> None:
    """Two papers that a service knows as one, with titles that resemble each other: the report has both, with
    how many papers there are; once they are split, no later answer joins them."""
    preprint = Paper("arXiv:0001.00002", "Tagging by Rules Quickly", authors=("Bo Ek",), year=1999)
    folder = shelf(tmp_path, replace(TAGGING, authors=("Bo Ek",)), preprint)
    code, shown = call(folder, service, "--yes", "--from", "semantic-scholar", "--json", "--limit", "1")
    document = json.loads(shown[shown.index("{") :])
    (merge,) = document["merges"]
    assert (code, {merge["id"], merge["into"]}) == (0, {"ek", preprint.id})
    assert (document["papers_before"], document["papers_after"]) == (2, 1)
    assert CliRunner().invoke(cli, ["split", merge["id"], "--library", str(folder)]).exit_code == 0
    code, shown = call(folder, service, "--yes", "--from", "semantic-scholar", "--again")
    assert (code, "recognised" in shown) == (0, False)
    assert "id left out" in shown or "ids left out" in shown
    with Library.open(folder) as library:
        assert len(library.ids()) == 2


def test_a_merge_is_shown(tmp_path: Path, service: Service) -> None:
    """On a terminal with titles, the number of papers before and after, and how it is undone."""
    preprint = Paper("arXiv:0001.00002", "Tagging by Rules Quickly", authors=("Bo Ek",), year=1999)
    folder = shelf(tmp_path, replace(TAGGING, authors=("Bo Ek",)), preprint)
    _, shown = call(folder, service, "--yes", "--from", "semantic-scholar")
    assert "1 paper recognised as another one of the library" in shown
    assert "Tagging by Rules Quickly" in shown
    assert "citewhy split ID" in shown
    assert "Papers in the library: 1 (before: 2)" in shown
