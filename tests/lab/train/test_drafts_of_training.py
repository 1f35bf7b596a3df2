"""Finished drafts as training data."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from citewhy_lab.train.drafts import open_library, read_manifest, topics_of

BIB = "@book{lee, title={Trees and banks}, author={Ann Lee}, year={2001}}\n"


@pytest.mark.parametrize(("follow_outside", "citations"), [(False, 1), (True, 2)])
def test_drafts_stay_inside_their_project(tmp_path: Path, follow_outside: bool, citations: int) -> None:
    """A sentence from outside of the draft's project is read only if this is asked for."""
    folder, outside = tmp_path / "drafts" / "one", tmp_path / "outside"
    (folder / ".git").mkdir(parents=True)
    outside.mkdir()
    (outside / "part.tex").write_text("Banks of rivers have many trees as well \\cite{lee}.\n")
    (folder / "refs.bib").write_text(BIB)
    (folder / "a.tex").write_text(
        "\\documentclass{article}\\title{Mine}\\begin{document}\nTrees grow on many banks \\cite{lee}.\n\n"
        f"\\input{{{outside}/part}}\n\\bibliography{{refs}}\\end{{document}}\n"
    )
    manifest = tmp_path / "documents.jsonl"
    manifest.write_bytes(orjson.dumps({"name": "one", "root": "a.tex", "bibs": ["refs.bib"]}))
    (draft,) = read_manifest(manifest, tmp_path / "drafts", follow_outside=follow_outside)
    with open_library(draft, tmp_path / "library") as library:
        assert len(topics_of(draft, library)) == citations
