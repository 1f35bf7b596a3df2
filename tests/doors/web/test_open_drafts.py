"""Drafts on the page: opened, answered, chosen, written and undone, all over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from web_client import DRAFT, Client

pytest_plugins = ("web_server",)


def test_a_draft_is_opened_by_its_path(client: Client) -> None:
    """Its state has its files with their outlines, and its places in characters of the text."""
    state = client.open("draft.md")
    (file,) = state["files"]
    assert (file["name"], file["text"]) == ("draft.md", DRAFT)
    assert [(one["title"], one["level"], one["line"]) for one in file["outline"]] == [
        ("Tuning", 1, 5),
        ("Frames", 2, 10),
    ]
    assert [place["kind"] for place in state["places"]] == ["open", "undefined", "open"]
    assert [DRAFT[place["start"] : place["end"]] for place in state["places"]] == [
        "[@]",
        "[@lin2004]",
        "[CITE]",
    ]
    assert [remark["line"] for remark in state["remarks"]] == [8]
    assert client.api("GET", f"/drafts/{state['id']}").json == state
    assert client.open("./draft.md")["id"] == state["id"]


def test_all_places_are_streamed(client: Client) -> None:
    """An answer is a line, in the order of the draft; one place alone is a document."""
    state = client.open("draft.md")
    asked = f"/drafts/{state['id']}/suggest"
    lines = client.api("POST", asked, {"k": 2}, Accept="application/x-ndjson").lines
    assert [line["id"] for line in lines] == [place["id"] for place in state["places"]]
    one = client.api("POST", asked, {"k": 2, "place": lines[0]["id"]}).json
    assert one == lines[0]
    assert client.api("POST", asked, {"k": 2, "at": {"file": "draft.md", "line": 7}}).json == lines[0]
    other = client.api("POST", asked, {"k": 2, "place": lines[0]["id"], "text": "Frames are semantic."}).json
    assert other["suggestions"][0]["id"] == lines[2]["suggestions"][0]["id"]


def test_any_sentence_is_asked(client: Client, folder: Path) -> None:
    """A sentence without an open citation is asked at its position, with the draft as evidence."""
    (folder / "draft.md").write_text(
        DRAFT.replace("Frames are semantic [CITE]", "Frames are semantic"), encoding="utf-8"
    )
    asked = f"/drafts/{client.open('draft.md')['id']}/suggest"
    answer = client.api("POST", asked, {"at": {"file": "draft.md", "line": 12}}).json
    assert (answer["sentence"], answer["open"]) == ("Frames are semantic.", True)
    assert answer["suggestions"]
    assert client.api("POST", asked, {"at": {"file": "draft.md", "line": 11}}).status == 404
    assert client.api("POST", asked, {"at": {"file": "other.md", "line": 1}}).status == 422


def chosen(client: Client) -> tuple[Any, str]:
    """A draft of which the first place has a paper that is to be written."""
    state = client.open("draft.md")
    place = state["places"][0]["id"]
    answer = client.api("POST", f"/drafts/{state['id']}/suggest", {"place": place}).json
    paper = answer["suggestions"][0]["id"]
    assert (
        client.api("POST", f"/drafts/{state['id']}/choose", {"place": place, "papers": [paper]}).status == 204
    )
    return state, paper


def test_an_edit_is_shown_written_and_undone(client: Client, folder: Path) -> None:
    """Nothing is written by the preview; the undo restores the files byte for byte, and what was chosen."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    state, paper = chosen(client)
    edit = f"/drafts/{state['id']}/edit"
    shown = client.api("GET", edit).json
    assert [one["file"] for one in shown["files"]] == ["draft.md", "refs.bib"]
    assert (folder / "draft.md").read_text(encoding="utf-8") == DRAFT
    written = client.api("POST", edit, {"revision": shown["revision"]})
    assert (written.status, written.json["places"]) == (200, [state["places"][0]["id"]])
    assert "[@]" not in (folder / "draft.md").read_text(encoding="utf-8")
    after = client.api("GET", f"/drafts/{state['id']}").json
    assert (len(after["places"]), after["undoable"]) == (2, True)
    assert client.api("DELETE", edit).json["restored"] == ["draft.md", "refs.bib"]
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    again = client.api("GET", f"/drafts/{state['id']}").json
    assert (again["places"][0]["chosen"], again["undoable"]) == ([paper], False)


def test_a_changed_draft_is_not_written(client: Client, folder: Path) -> None:
    """An edit that was shown for another state of the draft is refused with a sentence."""
    state, _ = chosen(client)
    shown = client.api("GET", f"/drafts/{state['id']}/edit").json
    (folder / "draft.md").write_text(DRAFT + "\nMore.\n", encoding="utf-8")
    refused = client.api("POST", f"/drafts/{state['id']}/edit", {"revision": shown["revision"]})
    assert refused.status == 409
    assert "has changed" in refused.json["detail"]
    assert (folder / "draft.md").read_text(encoding="utf-8") == DRAFT + "\nMore.\n"


def test_drafts_are_listed(client: Client, folder: Path) -> None:
    """Files of drafts under the folder, in pages; hidden ones, and links to folders, are none."""
    (folder / "parts").mkdir()
    for name in ("parts/a.tex", ".hidden.md", "_part.qmd", "parts/notes.txt", "b.typ"):
        (folder / name).write_text("Text.", encoding="utf-8")
    (folder / "loop").symlink_to(folder)
    whole = client.api("GET", "/drafts").json
    assert [one["path"] for one in whole["drafts"]] == ["b.typ", "draft.md", "parts/a.tex", "parts/notes.txt"]
    assert [one["format"] for one in whole["drafts"]] == ["typst", "markdown", "latex", "plain"]
    assert not whole["more"]
    page = client.api("GET", "/drafts?limit=2&offset=1").json
    assert (page["drafts"], page["more"]) == (whole["drafts"][1:3], True)


def test_chosen_papers_are_exported(client: Client) -> None:
    """In three forms, under the keys of the draft; or others, by their ids with commas between them."""
    state, paper = chosen(client)
    address = f"/drafts/{state['id']}/export"
    for form, sign in (("bibtex", b"@"), ("ris", b"TY  -"), ("csl", b"[")):
        reply = client.api("GET", f"{address}?format={form}")
        assert (reply.status, reply.body.lstrip()[: len(sign)]) == (200, sign)
        assert client.api("GET", f"{address}?format={form}&papers={paper}").body == reply.body
    two = client.api("GET", f"{address}?format=csl&papers=P02-1040,W04-1013").json
    assert [one["title"][:4] for one in two] == ["Bleu", "ROUG"]
    assert client.api("GET", f"{address}?format=csl&papers=P02-1040&papers=W04-1013").json == two
    assert client.api("GET", f"{address}?format=csl&papers=P02-1040%2CW04-1013").status == 422
    assert client.api("GET", f"{address}?format=pdf").status == 422


def test_a_settled_place_keeps_its_papers(client: Client) -> None:
    """What is not said of a place stays as it is; an empty list takes the papers back."""
    state, paper = chosen(client)
    place, address = state["places"][0]["id"], f"/drafts/{state['id']}"
    for sent, expected in (
        ({"settled": True}, ([paper], True)),
        ({"papers": [paper]}, ([paper], False)),
        ({"papers": []}, ([], False)),
    ):
        assert client.api("POST", f"{address}/choose", {"place": place, **sent}).status == 204
        now = client.api("GET", address).json["places"][0]
        assert (now["chosen"], now["settled"]) == expected
