"""The page follows the files of a draft."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hash_encoder import Gated
from small_library import make_toy, unsynced
from toy_session import asked_sentences
from web_client import DRAFT, Client, serving

from citewhy.doors.web import streams
from citewhy.session.session import Session

pytest_plugins = ("web_server",)


def until(events: Iterator[tuple[str, Any]], name: str) -> list[tuple[str, Any]]:
    """The events up to the next one of a kind."""
    seen = []
    for event in events:
        seen.append(event)
        if event[0] == name:
            break
    return seen


def saved(path: Path, text: str) -> None:
    """Saves a file as editors do: another one takes its place."""
    aside = path.with_suffix(".new")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def test_a_saved_change_is_told(client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state comes at once, then the answers, and after a change the new ones; only what changed is
    asked."""
    draft = client.open("draft.md")
    asked = asked_sentences(monkeypatch)
    with client.events(draft["id"]) as events:
        first = until(events, "done")
        assert first[0] == ("state", {**client.api("GET", f"/drafts/{draft['id']}").json, "claims": None})
        assert [document["id"] for name, document in first if name == "answer"] == [
            place["id"] for place in draft["places"]
        ]
        assert first[-1] == ("done", {"revision": 1})
        asked.clear()
        saved(folder / "draft.md", DRAFT.replace("Frames are", "Frames of verbs are"))
        second = until(events, "done")
    state = second[0][1]
    assert (second[0][0], state["revision"]) == ("state", 2)
    assert "Frames of verbs" in state["files"][0]["text"]
    answers = [document for name, document in second if name == "answer"]
    assert {one["id"] for one in answers} == {place["id"] for place in state["places"]}
    assert all(one["current"] and one["revision"] == 2 for one in answers)
    assert asked == ["Frames of verbs are semantic."]
    assert [place["id"] for place in state["places"]][:2] == [place["id"] for place in draft["places"]][:2]


def test_new_evidence_is_told_in_two_steps(client: Client, folder: Path) -> None:
    """Kept answers come at once, and are followed by those from the new evidence."""
    draft = client.open("draft.md")
    with client.events(draft["id"]) as events:
        until(events, "done")
        saved(folder / "refs.bib", "@misc{known, title = {Known}}\n@misc{more, title={More}, author={A B}}\n")
        answers = [document["current"] for name, document in until(events, "done") if name == "answer"]
    assert answers == [False] * 3 + [True] * 3


def test_preliminary_answers_are_replaced(
    toy: Path, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answers to a draft with new entries come from words alone, the others when these are
    encoded."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    encoder = Gated()
    encoder.gate.set()
    with unsynced(), make_toy(tmp_path / "library", toy):
        pass
    with Session(tmp_path / "library", encoder=encoder) as session, serving(session, folder) as client:
        session.suggest("Weights are tuned.", 1)
        encoder.gate.clear()
        draft = client.open("draft.md")
        with client.events(draft["id"]) as events:
            seen = [next(events) for _ in range(4)]
            assert [name for name, _ in seen] == ["state", "answer", "answer", "answer"]
            first = [document for name, document in seen if name == "answer"]
            assert all(one["preliminary"] and not one["current"] for one in first)
            encoder.gate.set()
            later = [document for name, document in until(events, "done") if name == "answer"][-3:]
        assert [one["id"] for one in later] == [one["id"] for one in first]
        assert all(one["current"] and not one["preliminary"] for one in later)
        assert later[0]["suggestions"][0]["probability"] is not None


def test_a_file_that_cannot_be_read(client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told once, the last state stays, and the page goes on when it is there again."""
    monkeypatch.setattr(streams, "_PATIENCE_SECONDS", 0.0)
    draft = client.open("draft.md")
    with client.events(draft["id"]) as events:
        until(events, "done")
        (folder / "draft.md").unlink()
        (problem,) = until(events, "problem")
        assert problem[1]["status"] == 422
        saved(folder / "draft.md", DRAFT + "\nMore.\n")
        assert until(events, "done")[0][1]["revision"] == 2


def test_an_accepted_paper_is_followed_like_any_change(client: Client) -> None:
    """What the page writes itself comes back as a new state, and its undo as another."""
    draft = client.open("draft.md")
    place = draft["places"][0]["id"]
    with client.events(draft["id"]) as events:
        answers = {document["id"]: document for name, document in until(events, "done") if name == "answer"}
        paper = answers[place]["suggestions"][0]["id"]
        client.api("POST", f"/drafts/{draft['id']}/choose", {"place": place, "papers": [paper]})
        client.api("POST", f"/drafts/{draft['id']}/edit")
        written = until(events, "done")[0][1]
        assert [one["id"] for one in written["places"]] == [one["id"] for one in draft["places"]][1:]
        assert written["undoable"]
        client.api("DELETE", f"/drafts/{draft['id']}/edit")
        undone = until(events, "done")[0][1]
    assert undone["places"][0]["chosen"] == [paper]
    assert undone["files"] == draft["files"]


def test_a_restart_keeps_what_was_decided(web_session: Session, folder: Path) -> None:
    """The same path has the same id, and its places theirs, with what was chosen, rejected and settled."""
    with serving(web_session, folder) as client:
        before = client.open("draft.md")
        first, second, third = (place["id"] for place in before["places"])
        address = f"/drafts/{before['id']}"
        shown = client.api("POST", f"{address}/suggest", {"place": first}).json["suggestions"]
        client.api("POST", f"{address}/choose", {"place": first, "papers": [shown[0]["id"]]})
        client.api("POST", f"{address}/reject", {"place": second, "paper": shown[1]["id"]})
        client.api("POST", f"{address}/choose", {"place": third, "settled": True})
    with serving(web_session, folder) as client:
        after = client.open("draft.md")
        assert after["id"] == before["id"]
        places = {place["id"]: place for place in after["places"]}
        assert places[first]["chosen"] == [shown[0]["id"]]
        assert places[second]["rejected"] == [shown[1]["id"]]
        assert places[third]["settled"]
        asked = {"place": second, "k": 10}
        again = client.api("POST", f"/drafts/{after['id']}/suggest", asked).json["suggestions"]
        assert shown[1]["id"] not in [one["id"] for one in again]
        body = {"place": second, "paper": shown[1]["id"]}
        assert client.api("DELETE", f"/drafts/{after['id']}/reject", body).status == 204
    assert os.listdir(folder / ".citewhy" / "decisions") == ["draft.md.json"]  # noqa: PTH208
