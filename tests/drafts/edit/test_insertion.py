"""New citations at the ends of sentences that have none there."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.records import Manuscript
from citewhy.drafts import read_files
from citewhy.drafts.edit.citations import fill
from citewhy.drafts.edit.insertion import end_markers
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

_TEX = "\\documentclass{article}\\begin{document}\n%s\n\\end{document}\n"


def _written(name: str, text: str, *, keys: tuple[str, ...] = ("k1",)) -> str:
    """The text after each of its sentences without a citation has got one at its end, where it can."""
    files = MemoryFiles({name: text})
    manuscript = read_files({name: text})
    sentences = [one for paragraph in manuscript.paragraphs for one in paragraph.sentences if not one.markers]
    assert sentences
    ends = end_markers(manuscript, sentences, files)
    edits = [fill(manuscript, marker, keys, files) for marker in ends.values()]
    return Patch(edits, name, files).texts().get(name, text) if edits else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Oaks grow slowly.", "Oaks grow slowly~\\cite{k1}."),
        ("Oaks grow slowly.\nFirs do not!", "Oaks grow slowly~\\cite{k1}.\nFirs do not~\\cite{k1}!"),
        ("Oaks grow slowly", "Oaks grow slowly~\\cite{k1}"),
        ("(Oaks grow slowly.)", "(Oaks grow slowly~\\cite{k1}.)"),
        ("\\emph{Oaks grow slowly.}", "\\emph{Oaks grow slowly~\\cite{k1}.}"),
        ("He said that ``oaks grow slowly.''", "He said that ``oaks grow slowly.''~\\cite{k1}"),
        ("Oaks grow like $n^2$.", "Oaks grow like $n^2$~\\cite{k1}."),
        ("We saw oaks, elms, etc.", "We saw oaks, elms, etc.~\\cite{k1}."),
        ("Oaks grow. % slowly.", "Oaks grow~\\cite{k1}. % slowly."),
        (
            "Oaks grow \\textcite{o}. Firs, too.",
            "Oaks grow \\textcite{o}. Firs, too~\\cite{k1}.",
        ),
        (
            "Oaks grow \\parencite{o}. Firs, too.",
            "Oaks grow \\parencite{o}. Firs, too~\\parencite{k1}.",
        ),
    ],
)
def test_latex(before: str, after: str) -> None:
    """Before the stop, with the command that the draft uses."""
    assert _written("draft.tex", _TEX % before) == _TEX % after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("draft.md", "Oaks grow slowly. Firs *do not.*\n", "Oaks grow slowly [@k1]. Firs *do not [@k1].*\n"),
        (
            "draft.md",
            "- Oaks grow slowly\n- Firs do not.\n",
            "- Oaks grow slowly [@k1]\n- Firs do not [@k1].\n",
        ),
        (
            "draft.typ",
            "Oaks grow slowly.\n\n= Firs\n\nThey do not.\n",
            "Oaks grow slowly @k1.\n\n= Firs\n\nThey do not @k1.\n",
        ),
        ("draft.org", "Oaks grow slowly.\n", "Oaks grow slowly [cite:@k1].\n"),
        ("draft.txt", "Oaks grow slowly.\n", "Oaks grow slowly [k1].\n"),
    ],
)
def test_other_formats(name: str, before: str, after: str) -> None:
    """As each of them writes a citation."""
    assert _written(name, before) == after


def test_several_papers() -> None:
    """They stand in one citation, where the format has such."""
    assert _written("draft.md", "Oaks grow.\n", keys=("k1", "k2")) == "Oaks grow [@k1; @k2].\n"
    assert _written("draft.typ", "Oaks grow.\n", keys=("k1", "k2")) == "Oaks grow @k1 @k2.\n"


def test_what_would_not_be_read_is_not_written() -> None:
    """A sentence whose end comes from a macro gets no citation, and the others do."""
    text = _TEX % "\\newcommand{\\growing}{All trees grow slowly.}\nOaks grow.\n\n\\growing"
    assert _written("draft.tex", text) == text.replace("Oaks grow.", "Oaks grow~\\cite{k1}.")


def test_a_file_with_another_encoding(tmp_path: Path) -> None:
    """It is read and written in its own."""
    text = _TEX % "\\'Eric and Zoë measure oaks."
    files = MemoryFiles({"draft.tex": text.encode("latin-1")})
    manuscript: Manuscript = read_files({"draft.tex": text.encode("latin-1")})
    sentence = manuscript.paragraphs[0].sentences[0]
    marker = end_markers(manuscript, [sentence], files)[sentence.place]
    patch = Patch([fill(manuscript, marker, ["k1"], files)], "draft.tex", files)
    assert patch.contents() == {"draft.tex": text.replace("oaks.", "oaks~\\cite{k1}.").encode("latin-1")}
