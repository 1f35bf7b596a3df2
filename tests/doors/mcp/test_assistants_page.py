"""The page for assistants says what the tools answer."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp.client.client import Client

from citewhy.doors.mcp.server import create
from citewhy.session.session import Session

PAGE = (Path(__file__).parents[3] / "docs" / "assistants.md").read_text(encoding="utf-8")
_ANSWERED = re.compile(r"^`(\w+)` with `(\{.*?\})` answers:\n\n```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TOOL = re.compile(r"^\| `(\w+)` \| (.*?) \|", re.MULTILINE)


def test_what_the_page_shows_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the starter library, and of the entry that the page has."""
    monkeypatch.setenv("CITEWHY_LIBRARY", str(tmp_path / "none"))
    for entry in re.findall(r"^```bibtex\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / "remembered.bib").write_text(entry, encoding="utf-8")
    shown = [(tool, json.loads(given), json.loads(answer)) for tool, given, answer in _ANSWERED.findall(PAGE)]

    async def ask() -> list[Any]:
        with Session(create=True) as session:
            async with Client(create(session, [tmp_path])) as client:
                return [(await client.call_tool(tool, given)).structured_content for tool, given, _ in shown]

    assert asyncio.run(ask()) == [answer for _, _, answer in shown]
    assert [tool for tool, _, _ in shown] == ["find", "passages", "audit"]


def test_the_page_has_every_tool_and_its_arguments(tmp_path: Path) -> None:
    async def listed() -> Any:
        with Session(create=True) as session:
            async with Client(create(session, [tmp_path])) as client:
                return (await client.list_tools()).tools

    tools = {tool.name: set(tool.input_schema["properties"]) - {"first"} for tool in asyncio.run(listed())}
    shown = {name: set(re.findall(r"`(\w+)`", about)) for name, about in _TOOL.findall(PAGE)}
    assert shown.pop("edit") - {"preview", "apply", "undo"} == tools.pop("edit")
    assert shown == tools


def test_settings_are_json() -> None:
    """What is pasted into the settings of a client can be read there."""
    blocks = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert [next(iter(json.loads(block))) for block in blocks][:2] == ["mcpServers", "servers"]
