"""The language server as an editor meets it: over its standard streams, message by message."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsp_client import Client

BIBLIOGRAPHY = """\
@book{foucault75, author = {Foucault, Michel}, title = {Discipline and Punish: The Birth of the Prison},
  year = {1975}}

@article{papineni02, author = {Papineni, Kishore and Roukos, Salim}, year = {2002},
  title = {BLEU: a method for automatic evaluation of machine translation}, doi = {10.3115/1073083.1073135}}

@article{och03, author = {Och, Franz Josef}, year = {2003},
  title = {Minimum error rate training in statistical machine translation}}
"""

DRAFT = r"""\documentclass{article}
\begin{document}
Quality of translations 😀 is measured automatically \cite{papineni02}.

We tune the weights of machine translation by minimum error rate training \cite{}.

The prison changed \cite{foucolt75}. More is needed [CITE].
\bibliography{refs}
\end{document}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A draft with a bibliography of three entries."""
    folder = tmp_path.resolve() / "my draft + é"
    folder.mkdir()
    (folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (folder / "paper.tex").write_text(DRAFT, encoding="utf-8")
    return folder


TUNING, PRISON = 4, 6
"""Lines of the draft with open citations."""


@pytest.fixture
def editor(folder: Path) -> Iterator[Client]:
    with Client(folder) as client:
        client.open("paper.tex")
        client.wait_for("textDocument/publishDiagnostics")
        yield client


def line(folder: Path, number: int) -> str:
    return (folder / "paper.tex").read_text(encoding="utf-8").split("\n")[number]


def after(folder: Path, number: int, text: str) -> int:
    return line(folder, number).index(text) + len(text)


def test_completion_is_ranked_by_the_sentence(editor: Client, folder: Path) -> None:
    found = editor.complete("paper.tex", TUNING, after(folder, TUNING, r"\cite{"))
    assert found[0]["label"] == "och03"
    assert {item["label"] for item in found} == {"och03", "papineni02", "foucault75"}
    assert [item["sortText"] for item in found] == sorted(item["sortText"] for item in found)
    shown = editor.ask("completionItem/resolve", found[0])["documentation"]["value"]
    assert "Minimum error rate training" in shown
    assert "sure" in shown


def test_letters_of_a_name_complete_an_unsaved_text(editor: Client, folder: Path) -> None:
    begin = {"line": TUNING, "character": after(folder, TUNING, r"\cite{")}
    editor.change("paper.tex", {"range": {"start": begin, "end": begin}, "text": "Fou"})
    (found,) = editor.complete("paper.tex", TUNING, begin["character"] + 3)
    assert found["label"] == "foucault75"
    assert found["filterText"].startswith("fou")
    assert found["textEdit"]["range"]["start"] == begin
    assert found["textEdit"]["newText"] == "foucault75"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_are_in_the_encoding_that_was_agreed_on(folder: Path, encoding: str) -> None:
    codec, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    with Client(folder, encodings=[encoding]) as client:
        assert client.initialised["capabilities"]["positionEncoding"] == encoding
        client.open("paper.tex")
        client.wait_for("textDocument/publishDiagnostics")
        before = line(folder, 2)[: after(folder, 2, r"\cite{pap")]
        character = len(before.encode(codec)) // size
        hover = client.ask("textDocument/hover", client.at("paper.tex", 2, character))
        assert "BLEU" in hover["contents"]["value"]
        assert "Cited at paper.tex:3" in hover["contents"]["value"]
        assert hover["range"]["start"]["character"] == character - 3


def test_what_editors_that_insert_or_replace_get(folder: Path) -> None:
    item = {"completion": {"completionItem": {"insertReplaceSupport": True}}}
    with Client(folder, capabilities={"textDocument": item}) as client:
        client.open("paper.tex")
        client.wait_for("textDocument/publishDiagnostics")
        (found,) = client.complete("paper.tex", PRISON, after(folder, PRISON, r"\cite{fouc"))
        edit = found["textEdit"]
        assert edit["insert"]["end"]["character"] == after(folder, PRISON, r"\cite{fouc")
        assert edit["replace"]["end"]["character"] == after(folder, PRISON, r"\cite{foucolt75")


def test_undefined_keys_and_open_citations_are_diagnostics(folder: Path) -> None:
    with Client(folder) as client:
        client.open("paper.tex")
        found = client.wait_for("textDocument/publishDiagnostics")["diagnostics"]
        assert [(one["code"], one["range"]["start"]["line"]) for one in found] == [
            ("open-citation", TUNING),
            ("undefined", PRISON),
            ("open-citation", PRISON),
        ]
        # They come again with the text that changed, after a pause.
        client.change("paper.tex", {"text": line(folder, 0) + "\\begin{document}\\cite{?}\\end{document}"})
        (only,) = client.wait_for("textDocument/publishDiagnostics")["diagnostics"]
        assert only["code"] == "open-citation"
        assert only["range"]["start"]["line"] == 0


def test_a_key_leads_to_its_entry_and_the_entry_to_its_places(editor: Client, folder: Path) -> None:
    at = editor.at("paper.tex", 2, after(folder, 2, r"\cite{pap") + 1)  # the emoji has two units
    (entry,) = editor.ask("textDocument/definition", at)
    assert entry["uri"] == editor.uri("refs.bib")
    assert entry["range"]["start"]["line"] == 3
    editor.open("refs.bib")
    places = editor.ask(
        "textDocument/references", {**editor.at("refs.bib", 4, 5), "context": {"includeDeclaration": True}}
    )
    assert [place["uri"] for place in places] == [editor.uri("paper.tex"), editor.uri("refs.bib")]
    (link,) = editor.ask("textDocument/documentLink", {"textDocument": {"uri": editor.uri("refs.bib")}})
    assert link["target"] == "https://doi.org/10.3115/1073083.1073135"


def applied(folder: Path, changes: dict[str, Any]) -> dict[str, str]:
    """The files after the edits of the editor, which are of ASCII texts or lines."""
    texts = {}
    for uri, edits in changes.items():
        name = uri.rsplit("/", 1)[1]
        lines = (folder / name).read_text(encoding="utf-8").split("\n")
        for edit in sorted(
            edits, key=lambda one: (-one["range"]["start"]["line"], -one["range"]["start"]["character"])
        ):
            start, end = edit["range"]["start"], edit["range"]["end"]
            first, last = lines[start["line"]], lines[end["line"]]
            new = first[: start["character"]] + edit["newText"] + last[end["character"] :]
            lines[start["line"] : end["line"] + 1] = new.split("\n")
        texts[name] = "\n".join(lines)
    return texts


def test_a_key_is_renamed_in_draft_and_bibliography(editor: Client, folder: Path) -> None:
    at = {**editor.at("paper.tex", 2, after(folder, 2, r"\cite{pap") + 1), "newName": "bleu"}
    edit = editor.ask("textDocument/rename", at)
    bibliography = applied(
        folder, {uri: edits for uri, edits in edit["changes"].items() if uri.endswith("bib")}
    )
    assert "@article{bleu, author" in bibliography["refs.bib"]
    (change,) = edit["changes"][editor.uri("paper.tex")]
    assert change["newText"] == "bleu"
    assert change["range"]["start"]["line"] == 2


def test_a_key_is_not_renamed_to_one_that_is_taken(editor: Client, folder: Path) -> None:
    at = {**editor.at("paper.tex", 2, after(folder, 2, r"\cite{pap") + 1), "newName": "och03"}
    answer = editor.answer(editor.begin("textDocument/rename", at))
    assert "och03" in json.dumps(answer["error"])


def test_actions_insert_a_suggestion_and_mend_a_key(editor: Client, folder: Path) -> None:
    def actions(number: int, text: str) -> list[Any]:
        place = {"line": number, "character": after(folder, number, text)}
        context = {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        asked = {"textDocument": {"uri": editor.uri("paper.tex")}, **context}
        return list(editor.ask("textDocument/codeAction", asked))

    first = actions(TUNING, r"\cite{")[0]
    assert first["title"].startswith("Cite och03: ")
    assert r"training \cite{och03}." in applied(folder, first["edit"]["changes"])["paper.tex"]
    mended = [one for one in actions(PRISON, r"\cite{fou") if "foucault75" in one["title"]]
    assert r"\cite{foucault75}" in applied(folder, mended[0]["edit"]["changes"])["paper.tex"]
    assert actions(0, "") == []


def test_a_paper_of_the_library_brings_its_entry(
    folder: Path, tmp_path: Path, run: Callable[..., Any]
) -> None:
    library = tmp_path / "library"
    other = tmp_path / "other.bib"
    other.write_text(
        "@article{koehn05, author={Koehn, Philipp}, year={2005}, "
        "title={Pharaoh: tuning weights of phrase-based machine translation}}",
        encoding="utf-8",
    )
    run("add", other, "--library", library)
    with Client(folder, "--library", str(library)) as client:
        client.open("paper.tex")
        client.wait_for("textDocument/publishDiagnostics")
        found = client.complete("paper.tex", TUNING, after(folder, TUNING, r"\cite{"))
        (koehn,) = [item for item in found if "Koehn" in item["detail"]]
        client.ask("workspace/executeCommand", koehn["command"])
        for _ in range(200):
            if client.applied:
                break
            client.ask("textDocument/hover", client.at("paper.tex", 0, 0))
        (edit,) = client.applied
        added = applied(folder, edit["changes"])["refs.bib"]
        assert added.startswith((folder / "refs.bib").read_text(encoding="utf-8").rstrip("\n"))
        assert f"{{{koehn['label']}," in added
        assert "Pharaoh" in added
        assert not any("command" in item for item in found if item["label"] == "och03")


def test_a_chapter_is_answered_as_a_part_of_its_draft(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "one.tex").write_text("Translation is measured \\cite{}.\n", encoding="utf-8")
    root = (
        (folder / "paper.tex")
        .read_text(encoding="utf-8")
        .replace("\\bibliography", "\\input{parts/one}\n\\bibliography")
    )
    (folder / "paper.tex").write_text(root, encoding="utf-8")
    with Client(folder) as client:
        client.open("parts/one.tex")
        client.wait_for("textDocument/publishDiagnostics")
        found = client.complete("parts/one.tex", 0, len("Translation is measured \\cite{"))
        assert {"och03", "papineni02", "foucault75"} == {item["label"] for item in found}


def test_markdown_and_bibliographies_of_other_formats(folder: Path) -> None:
    (folder / "note.md").write_text(
        "---\nbibliography: refs.bib\n---\nThe prison [@ changed.\n", encoding="utf-8"
    )
    with Client(folder) as client:
        client.open("note.md")
        client.wait_for("textDocument/publishDiagnostics")
        found = client.complete("note.md", 3, len("The prison [@"))
        assert found[0]["label"] == "foucault75"


# What goes wrong ------------------------------------------------------------------------------------------


def test_a_cancelled_request_is_answered_and_the_server_goes_on(editor: Client, folder: Path) -> None:
    at = editor.at("paper.tex", TUNING, after(folder, TUNING, r"\cite{"))
    numbers = []
    for version in range(50):  # the sentence changes with each of them
        start = {"line": TUNING, "character": 0}
        editor.change(
            "paper.tex", {"range": {"start": start, "end": start}, "text": "We "}, version=version + 2
        )
        at["position"]["character"] += 3
        numbers.append(editor.begin("textDocument/completion", at))
        editor.tell("$/cancelRequest", {"id": numbers[-1]})
    last = editor.complete("paper.tex", TUNING, at["position"]["character"])
    assert last[0]["label"] == "och03"
    answers = [editor.answer(number) for number in numbers]
    assert all("result" in answer or answer["error"]["code"] == CANCELLED for answer in answers)
    assert any("error" in answer for answer in answers)


CANCELLED = -32800
"""The protocol's code for a request that was cancelled."""


def test_what_is_encoded_is_told(folder: Path) -> None:
    """The entries of a new bibliography, and the sentences of a draft, in editors that show progress."""
    count = 80
    entries = [
        f"@article{{e{n}, author={{Author{n}, A.}}, title={{The {n}th new method}}}}" for n in range(count)
    ]
    cited = "\n".join(f"Method {n} is known in sentence {n} \\cite{{e{n}}}." for n in range(count))
    (folder / "refs.bib").write_text("\n".join(entries), encoding="utf-8")
    text = f"\\documentclass{{a}}\\begin{{document}}\n{cited}\n\\bibliography{{refs}}\n\\end{{document}}\n"
    with Client(folder, capabilities={"window": {"workDoneProgress": True}}) as client:
        client.open("paper.tex", text)
        token = client.wait_for("window/workDoneProgress/create")["token"]
        told: list[dict[str, Any]] = []
        while not told or told[-1]["kind"] != "end":
            given = client.wait_for("$/progress")
            assert given["token"] == token
            told.append(given["value"])
        assert [one["kind"] for one in told] == ["begin", *["report"] * (len(told) - 2), "end"]
        assert any(f"of {count} citing sentences" in one.get("message", "") for one in told)
        assert all(0 <= one["percentage"] <= 100 for one in told if one.get("percentage") is not None)


def test_malformed_messages_end_nothing(editor: Client, folder: Path) -> None:
    for body in (b"{", b"[]", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 9, "method": "nothing"}'):
        editor.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    editor.tell(
        "textDocument/didChange",
        {"textDocument": {"uri": "file:///none.tex", "version": 1}, "contentChanges": [{"text": "x"}]},
    )
    editor.ask("textDocument/hover", editor.at("not-open.tex", 3, 3))
    assert editor.complete("paper.tex", TUNING, after(folder, TUNING, r"\cite{"))


def test_a_client_that_dies_leaves_no_server(folder: Path) -> None:
    client = Client(folder)
    client.open("paper.tex")
    assert client.process.stdin is not None
    client.process.stdin.close()
    client.process.wait(120)
    client.stop()


def test_a_text_that_has_only_begun_is_no_fault(folder: Path) -> None:
    (folder / "new.tex").write_text("", encoding="utf-8")
    with Client(folder) as client:
        client.open("new.tex")
        assert client.wait_for("textDocument/publishDiagnostics")["diagnostics"] == []
        assert client.complete("new.tex", 0, 0) == []


def test_a_library_that_is_not_there_is_a_sentence(folder: Path) -> None:
    with Client(folder, settings={"libraries": ["nowhere"]}) as client:
        client.open("paper.tex")
        assert "nowhere" in client.wait_for("window/showMessage")["message"]


def test_claims_are_hints_if_they_are_wished(folder: Path) -> None:
    claim = "Earlier studies have shown that prisons increase crime in large cities.\n\n"
    text = (folder / "paper.tex").read_text(encoding="utf-8").replace("We tune", f"{claim}We tune")
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    with Client(folder, settings={"claims": True}) as client:
        client.open("paper.tex")
        found = client.wait_for("textDocument/publishDiagnostics")["diagnostics"]
        hints = [one for one in found if one["code"] == "uncited-claim"]
        assert [one["severity"] for one in hints] == [4] * len(hints)
        assert hints
