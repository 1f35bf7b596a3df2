"""The server for assistants, as the official client meets it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tuning_draft import DRAFT, tuning_draft

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from citewhy.doors.mcp.server import create
from citewhy.doors.mcp.short import NOTHING_FITS, UNKNOWN
from citewhy.session.session import Session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tuning_draft(tmp_path / "work")


@pytest.fixture
def session(folder: Path, tmp_path: Path) -> Iterator[Session]:
    with Session(tmp_path / "library", create=True) as session:
        session.add([folder / "refs.bib"])
        yield session


def talk(session: Session, folder: Path, conversation: Callable[[Client], Awaitable[Any]]) -> Any:
    """Runs a conversation of the client with the server."""

    async def run() -> Any:
        async with Client(create(session, [folder])) as client:
            return await conversation(client)

    return asyncio.run(run())


def call(session: Session, folder: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of one tool, which is short."""

    async def conversation(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    result = talk(session, folder, conversation)
    assert not result.is_error, result.content
    assert len(json.dumps(result.structured_content)) <= 4096
    answer: dict[str, Any] = result.structured_content
    inside: dict[str, Any] = answer.get("result", answer)
    return inside


def error(session: Session, folder: Path, tool: str, **arguments: Any) -> str:
    async def conversation(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    result = talk(session, folder, conversation)
    assert result.is_error
    return str(result.content)


def test_the_tools_are_few_and_say_when_to_use_them(session: Session, folder: Path) -> None:
    async def conversation(client: Client) -> Any:
        return await client.list_tools()

    tools = talk(session, folder, conversation).tools
    names = {tool.name for tool in tools}
    assert names == {"suggest", "find", "paper", "passages", "review", "audit", "add", "edit"}
    assert sum(len(tool.model_dump_json()) for tool in tools) <= 10_000
    assert all(tool.description and "context" not in tool.input_schema["properties"] for tool in tools)


def test_a_sentence_gets_papers_with_ids_that_other_tools_take(session: Session, folder: Path) -> None:
    found = call(session, folder, "suggest", text="Weights are tuned by minimum error rate training.", k=2)
    first = found["suggestions"][0]
    assert (first["id"], first["year"]) == ("och03", 2003)
    assert first["why"]
    assert call(session, folder, "paper", name=first["id"])["title"].startswith("Minimum error rate")


def test_what_the_library_lacks_is_said(session: Session, folder: Path) -> None:
    assert call(session, folder, "find", text="Zyxwvut 1873 quantum basket weaving")["note"] == UNKNOWN
    assert "no paper" in error(session, folder, "paper", name="nobody1800").lower()
    nothing = call(session, folder, "suggest", text="xyzzy plugh frobnicate")
    assert nothing.get("note") == NOTHING_FITS or nothing["suggestions"]


def test_a_reference_is_found_by_what_is_remembered_of_it(session: Session, folder: Path) -> None:
    found = call(session, folder, "find", text="Papineni 2002")
    assert found["papers"][0]["id"] == "papineni02"
    assert found["certain"]


@pytest.mark.parametrize("text", ["Papineni 2003", "Papineni", "Papinen 2002", "translation"])
def test_what_may_be_another_paper_is_not_certain(session: Session, folder: Path, text: str) -> None:
    """Another year, a surname alone, another spelling, a topic."""
    assert not call(session, folder, "find", text=text)["certain"]


def test_references_are_audited(session: Session, folder: Path) -> None:
    """The worst come first, those that are known are counted, and long lists are continued."""
    text = (folder / "refs.bib").read_text(encoding="utf-8")
    wrong = text.replace("year = {2002}", "year = {1962}").replace("och03", "other03").replace("papin", "x")
    unknown = [f"@misc{{u{n}, author={{Nobody, N.}}, title={{Invented matters {n}}}}}\n" for n in range(60)]
    (folder / "mine.bib").write_text(wrong + "".join(unknown), encoding="utf-8")
    found = call(session, folder, "audit", path="mine.bib")
    assert found["counts"] == {"impossible": 0, "mixed": 0, "differs": 1, "unknown": 60, "known": 1}
    first = found["entries"][0]
    assert (first["key"], first["verdict"], first["paper"]) == ("xeni02", "differs", "papineni02")
    assert first["certain"]
    assert "1962" in first["says"][0]
    later = call(session, folder, "audit", path="mine.bib", first=found["go_on_with_first"])
    assert later["entries"][0]["key"] not in {one["key"] for one in found["entries"]}
    cited = call(session, folder, "audit", path="paper.tex")
    assert "undefined_keys" not in cited
    assert "no such file" in error(session, folder, "audit", path="nothing.bib")


def test_passages_of_a_paper(session: Session, folder: Path) -> None:
    found = call(session, folder, "passages", name="papineni02", claim="It correlates with human judgements.")
    assert "human judgements" in found["passages"][0]["text"]


def test_a_draft_is_answered_and_written_only_when_it_is_asked_for(session: Session, folder: Path) -> None:
    async def conversation(client: Client) -> Any:
        places = (await client.call_tool("suggest", {"draft": "paper.tex"})).structured_content["places"]
        chosen = {places[0]["place"]: [places[0]["suggestions"][0]["key"]]}
        asked = {"draft": "paper.tex", "choices": chosen}
        shown = (await client.call_tool("edit", asked)).structured_content
        before = (folder / "paper.tex").read_text(encoding="utf-8")
        written = (await client.call_tool("edit", {**asked, "do": "apply"})).structured_content
        after = (folder / "paper.tex").read_text(encoding="utf-8")
        await client.call_tool("edit", {"draft": "paper.tex", "do": "undo"})
        return shown, before, written, after

    shown, before, written, after = talk(session, folder, conversation)
    assert before == DRAFT
    assert r"+We tune the weights by minimum error rate training \cite{och03}." in shown["diff"]
    assert written["applied"]
    assert after == DRAFT.replace(r"\cite{}", r"\cite{och03}")
    assert (folder / "paper.tex").read_text(encoding="utf-8") == DRAFT


def test_files_elsewhere_are_not_read(session: Session, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text(DRAFT, encoding="utf-8")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    for name in ("../secret.tex", str(tmp_path / "secret.tex"), "link.tex", "/etc/passwd"):
        assert "outside" in error(session, folder, "suggest", draft=name)
        assert "outside" in error(session, folder, "add", paths=[name])


def test_a_review_and_an_addition(session: Session, folder: Path) -> None:
    text = "Earlier studies have shown that translation quality depends on the size of the corpus.\n\n"
    (folder / "paper.tex").write_text(DRAFT.replace("We tune", f"{text}We tune"), encoding="utf-8")
    assert "Earlier studies" in call(session, folder, "review", draft="paper.tex")["claims"][0]["sentence"]
    report = call(session, folder, "review", draft="paper.tex", part="all")
    assert "Earlier studies" in next(one["sentence"] for one in report["remarks"] if one["part"] == "uncited")
    assert report["found"]["uncited"] == 1
    missing = call(session, folder, "review", draft="paper.tex", part="missing")
    assert len(missing["missing"]) == report["found"]["missing"]
    (folder / "more.bib").write_text(
        "@book{eco, title={How to write a thesis}, author={Eco, Umberto}, year={1977}}"
    )
    assert call(session, folder, "add", paths=["more.bib"])["papers"] == 3


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("suggest", {}),
        ("suggest", {"text": "word", "k": 0}),
        ("suggest", {"draft": "none.tex"}),
        ("find", {"text": ""}),
        ("find", {}),
        ("passages", {"name": "och03", "claim": ""}),
        ("edit", {"draft": "paper.tex", "choices": {"nowhere": ["och03"]}}),
        ("edit", {"draft": "paper.tex", "do": "destroy"}),
        ("add", {"paths": []}),
        ("review", {"draft": "refs.bib"}),
    ],
)
def test_wrong_arguments_are_sentences(
    session: Session, folder: Path, tool: str, arguments: dict[str, Any]
) -> None:
    said = error(session, folder, tool, **arguments)
    assert "Traceback" not in said
    assert len(said) > 20


def test_over_the_standard_streams_with_roots_and_a_cancelled_call(folder: Path, tmp_path: Path) -> None:
    """As a client starts it; nothing that is printed disturbs the messages."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "citewhy", "mcp", "--library", str(tmp_path / "library"), "--folder", str(folder)],
        cwd=str(folder),
    )

    async def run() -> Any:
        async with Client(parameters) as client:
            await client.call_tool("add", {"paths": ["refs.bib"]})
            waiting = asyncio.ensure_future(client.call_tool("review", {"draft": "paper.tex"}))
            await asyncio.sleep(0.01)
            waiting.cancel()
            found = await client.call_tool("find", {"text": "Och 2003"})
            library = await client.read_resource("citewhy://library")
            return found, library

    found, library = asyncio.run(run())
    assert found.structured_content["papers"][0]["id"] == "och03"
    assert "papers: 2" in library.contents[0].text
