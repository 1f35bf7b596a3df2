"""What an author has of a paper, in whatever .bib file beside the draft, comes before the library's entry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_library import unsynced

from citewhy.session.session import Session

LIBRARY = """@article{foot1967,
  author = {Philippa Foot},
  title = {The Problem of Abortion and the Doctrine of the Double Effect},
  journal = {Oxford Review},
  year = {1967}
}
@book{kuhn1962,
  author = {Thomas Kuhn},
  title = {The Structure of Scientific Revolutions},
  year = {1962}
}
"""
FOOT = """@Article{Foot:67,
  title  = "The Problem of Abortion and the Doctrine of the {Double Effect}",
  author = "Foot, Philippa", year = 1967, number=5,
  journal = {Oxford Rev.} }"""
KUHN = "@misc{kuhn1962, title = {A letter on the copper of Zürich}, author = {Kuhn, T.}, year = 1962}"
DRAFT = "\\documentclass{article}\\begin{document}\nA problem %s.\n\\bibliography{refs}\\end{document}\n"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("beside")
    (folder / "lib.bib").write_text(LIBRARY, encoding="utf-8")
    with unsynced(), Session(folder / "library", create=True, pipeline="bm25") as opened:
        opened.add([folder / "lib.bib"], vectors=False)
        yield opened


def written(session: Session, cited: str, beside: str, bibliography: str = "") -> tuple[str, str]:
    """The citation that is written for `cited`, and what is added to the bibliography."""
    files = {"a.tex": DRAFT % cited, "refs.bib": bibliography, "other.bib": beside}
    draft = session.open_draft(files, "a.tex")
    texts = draft.edit(draft.first_choices(draft.advise(5)).chosen).texts()
    before, after = DRAFT.split("%s")
    citation = texts.get("a.tex", files["a.tex"]).removeprefix(before).removesuffix(after)
    return citation, texts.get("refs.bib", bibliography).removeprefix(bibliography).strip()


@pytest.mark.parametrize(
    ("cited", "becomes", "key"),
    [
        ("\\todo{cite Foot 1967}", "\\cite{Foot:67} \\todo{cite Foot 1967}", "Foot:67"),
        ("\\cite{Foot:67}", "\\cite{Foot:67}", "Foot:67"),
        ("\\cite{foot1967}", "\\cite{foot1967}", "foot1967"),
    ],
)
def test_the_entry_beside_the_draft_is_written(session: Session, cited: str, becomes: str, key: str) -> None:
    """Verbatim, under its key or the one that the draft uses."""
    assert written(session, cited, FOOT) == (becomes, FOOT.replace("Foot:67", key))


def test_a_key_beside_the_draft_is_no_other_paper(session: Session) -> None:
    """A paper of the library with this key is not meant; the library need not have the paper."""
    assert written(session, "\\cite{kuhn1962}", KUHN) == ("\\cite{kuhn1962}", KUHN)


def test_what_the_bibliography_has_is_not_written_again(session: Session) -> None:
    """Its key is cited, whatever the library and other files call the paper."""
    own = FOOT.replace("Foot:67", "F67") + "\n"
    assert written(session, "\\todo{cite Foot}", FOOT, own) == ("\\cite{F67} \\todo{cite Foot}", "")
    assert written(session, "\\cite{foot1967}", FOOT, own) == ("\\cite{F67}", "")


def test_else_the_library_s_entry_is_written(session: Session) -> None:
    """Byte for byte; also if it has the same key, with which the author has two copies of it."""
    own = LIBRARY.partition("@book")[0].strip()
    assert written(session, "\\cite{foot1967}", "") == ("\\cite{foot1967}", own)
    assert written(session, "\\cite{foot1967}", FOOT.replace("Foot:67", "foot1967")) == (
        "\\cite{foot1967}",
        own,
    )
