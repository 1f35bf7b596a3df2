"""What is certain of the entries of an open bibliography, over the standard streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsp_client import Client
from tuning_draft import BIBLIOGRAPHY, tuning_draft


def diagnostics(editor: Client, name: str) -> list[dict[str, Any]]:
    """The next diagnostics of a file."""
    while (found := editor.wait_for("textDocument/publishDiagnostics"))["uri"] != editor.uri(name):
        pass
    return list(found["diagnostics"])


def test_entries_of_an_open_bibliography(tmp_path: Path, run: Callable[..., Any]) -> None:
    folder = tuning_draft(tmp_path / "work")
    run("add", folder / "refs.bib", "--library", tmp_path / "library")
    wrong = BIBLIOGRAPHY.replace("{2002}", "{1962}").replace("@article{och03,", "@article{tuning,")
    unknown = "\n@misc{other, author = {Nobody, N.}, title = {An invented paper on nothing}}\n"
    future = "\n@misc{later, author = {Nobody, N.}, title = {A paper of times to come}, year = {2090}}\n"
    with Client(folder, "--library", str(tmp_path / "library")) as editor:
        editor.open("refs.bib", f"{wrong}{unknown}")
        (year,) = diagnostics(editor, "refs.bib")
        assert (year["source"], year["code"], year["severity"]) == ("citewhy", "differs", 2)
        assert "1962" in year["message"]
        line, head = year["range"]["start"]["line"], wrong.split("\n")[0]
        assert (line, year["range"]["start"]["character"]) == (0, head.index("papineni02"))
        # Unsaved changes count, and what was said before is replaced.
        editor.change("refs.bib", {"text": BIBLIOGRAPHY + future})
        (impossible,) = diagnostics(editor, "refs.bib")
        assert (impossible["code"], impossible["severity"]) == ("impossible", 1)
        assert impossible["range"]["start"]["line"] == (BIBLIOGRAPHY + future).split("@misc")[0].count("\n")
        editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("refs.bib")}})
        assert diagnostics(editor, "refs.bib") == []
