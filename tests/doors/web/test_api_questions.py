"""What the API answers without an open draft: the library, papers, texts, and drafts as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from web_client import DRAFT, Client, serving

from citewhy.base.config import VERSION
from citewhy.doors.present import as_json
from citewhy.session.session import Session

pytest_plugins = ("web_server",)

FILES = {"draft.md": DRAFT, "refs.bib": "@misc{known, title = {Known}}\n"}


def as_sent(document: Any) -> Any:
    return orjson.loads(orjson.dumps(document))


def test_health(client: Client, web_session: Session) -> None:
    """It needs no token, and names the library only to the user."""
    assert client.api("GET", "/health").json == {
        "status": "ok",
        "version": VERSION,
        "library": str(web_session.folder),
    }
    assert client.api("GET", "/health", Authorization=None).json["library"] is None


def test_the_library(client: Client, web_session: Session) -> None:
    """Its information is the document of `citewhy info --json`; its shape adds up."""
    assert client.api("GET", "/library").json == as_sent(as_json.info_document(web_session.info()))
    shape = client.api("GET", "/library/shape").json
    assert shape["papers"] == web_session.info().papers
    assert sum(shape["years"].values()) <= shape["papers"]
    assert 0 < shape["with_contexts"] <= shape["papers"]
    assert shape["with_vectors"] == 0  # this session ranks by words alone


def test_figures(client: Client) -> None:
    """Requests are counted by route and status, in Prometheus' text form."""
    client.api("GET", "/health")
    client.api("GET", "/papers/nothing")
    reply = client.api("GET", "/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = reply.body.decode().splitlines()
    assert 'citewhy_requests_total{route="/health",status="200"} 1' in lines
    assert 'citewhy_requests_total{route="/papers/{paper:path}",status="404"} 1' in lines
    assert all(line.startswith(("#", "citewhy_")) for line in lines)


def test_find_is_paged(client: Client) -> None:
    """The pages together are what one search finds, and the last says so."""
    whole = client.api("GET", "/find?q=translation&k=6").json
    first = client.api("GET", "/find?q=translation&k=2").json
    second = client.api("GET", "/find?q=translation&k=2&offset=2").json
    assert first["next"] == 2
    assert first["papers"] + second["papers"] == whole["papers"][:4]
    assert client.api("GET", "/find?q=translation&k=100").json["next"] is None


def test_papers(client: Client) -> None:
    """A paper comes with its abstract, by its id or an alias; an unknown one is not found."""
    paper = client.api("GET", "/papers/P02-1040").json
    assert paper["id"] == "P02-1040"
    assert paper["abstract"]
    missing = client.api("GET", "/papers/nothing")
    assert (missing.status, missing.headers["content-type"]) == (404, "application/problem+json")
    assert set(missing.json) >= {"type", "title", "status", "detail"}


def test_passages(client: Client, web_session: Session) -> None:
    """They are the document of `citewhy passages --json`."""
    asked = {"paper": "P02-1040", "text": "BLEU compares n-grams with references."}
    found = web_session.passages("P02-1040", asked["text"])
    expected = as_json.passages_document(found, str(web_session.folder))
    assert client.api("POST", "/passages", asked).json == as_sent(expected)


def test_a_sentence(client: Client, web_session: Session) -> None:
    """Suggestions are the document of `citewhy suggest --text --json`."""
    text = "Weights are tuned on a development set."
    expected = as_json.text_document(web_session.suggest(text, 2))
    assert client.api("POST", "/suggest", {"text": text, "k": 2}).json == as_sent(expected)


def test_files_in_memory(client: Client, web_session: Session) -> None:
    """A draft that is sent is answered as the draft on disk, at once or in lines."""
    expected = as_sent(as_json.draft_document(web_session.advise(FILES, 2, root="draft.md")))
    whole = client.api("POST", "/suggest", {"files": FILES, "root": "draft.md", "k": 2}).json
    assert whole == expected
    assert client.api("POST", "/suggest", {"path": "draft.md", "k": 2}).json["places"] == expected["places"]
    asked = {"files": FILES, "root": "draft.md", "k": 2}
    assert client.api("POST", "/suggest", asked, Accept="application/x-ndjson").lines == expected["places"]


def test_one_of_three(client: Client) -> None:
    """A question is about a text, or files, or a path."""
    assert client.api("POST", "/suggest", {"text": "A text.", "path": "draft.md"}).status == 422
    assert client.api("POST", "/suggest", {}).status == 422
    assert client.api("POST", "/review", {}).status == 422


def test_review(client: Client) -> None:
    """The uncited claims of an open draft, of its path, and of its files are the same."""
    claim = "Earlier work has shown that neural systems translate many languages better than phrases do."
    text = f"{DRAFT}\n{claim}\n"
    asked = {"files": {**FILES, "draft.md": text}, "root": "draft.md"}
    remarks = client.api("POST", "/review", asked).json["remarks"]
    assert [remark["sentence"] for remark in remarks] == [claim]
    assert remarks[0]["file"] == "draft.md"


def test_what_a_draft_misses_and_the_report(client: Client) -> None:
    """Missing works alone, or with the audit and the uncited claims: the same document."""
    asked = {"files": FILES, "root": "draft.md"}
    missing = client.api("POST", "/review", {**asked, "part": "missing"}).json
    assert (missing["audit"], missing["uncited"]) == (None, None)
    assert client.api("POST", "/review", {**asked, "part": "missing", "year": 1990}).json["year"] == 1990
    report = client.api("POST", "/review", {**asked, "part": "all", "budget": 3}).json
    shown = len(report["audit"]) + len(report["missing"]) + len(report["uncited"])
    assert shown == min(3, sum(report["found"].values()))
    assert report.keys() == missing.keys()
    assert client.api("POST", "/review", {**asked, "part": "none"}).status == 422


def test_classify(client: Client) -> None:
    """The built-in classifier labels why a sentence cites."""
    labelled = client.api("POST", "/classify", {"sentences": ["We use the toolkit of Koehn (2007)."]}).json
    assert labelled["sentences"][0]["label"] == "method"
    assert set(labelled["labels"]) == {"background", "method", "result"}


def test_edit_of_files(client: Client) -> None:
    """Papers are written into files in memory, whose new texts come back with a diff."""
    choices = [{"at": {"file": "draft.md", "line": 7}, "papers": ["P03-1021"]}]
    edited = client.api("POST", "/edit", {"files": FILES, "root": "draft.md", "choices": choices}).json
    assert "[@" in edited["texts"]["draft.md"].splitlines()[6]
    assert "[@]" not in edited["texts"]["draft.md"]
    assert {one["file"] for one in edited["files"]} == {"draft.md", "refs.bib"}
    nowhere = [{"at": {"file": "draft.md", "line": 1}, "papers": ["P03-1021"]}]
    asked = {"files": FILES, "root": "draft.md", "choices": nowhere}
    assert client.api("POST", "/edit", asked).status == 422


def test_files_are_added_with_progress(tmp_path: Path) -> None:
    """Progress comes while they are read, and a report at the end; paths are those under the folder."""
    (tmp_path / "new.bib").write_text(
        "@article{oaks, title={A study of oaks}, author={Ann Oaks}, year={2001}}\n", encoding="utf-8"
    )
    with (
        Session(tmp_path / "library", create=True, pipeline="bm25") as session,
        serving(session, tmp_path) as client,
    ):
        reply = client.api("POST", "/library/add", {"paths": ["new.bib"]})
        names = [line[7:] for line in reply.body.decode().splitlines() if line.startswith("event: ")]
        assert names[-1] == "report"
        assert set(names[:-1]) == {"progress"}
        assert client.api("GET", "/papers/oaks").json["title"] == "A study of oaks"
        assert client.api("POST", "/library/add", {"paths": ["../elsewhere.bib"]}).status == 403
        missing = client.api("POST", "/library/add", {"paths": ["missing.bib"]})
        assert b"event: problem" in missing.body
