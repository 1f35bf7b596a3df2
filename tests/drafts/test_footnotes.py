"""Which sentence a footnote hangs on, in every format."""

from __future__ import annotations

import pytest

from citewhy.drafts import read_files

DRAFTS = {
    "a.tex": r"\documentclass{article}\begin{document}"
    "\n%s\n\\bibliography{refs}\n\\end{document}\n",
    "a.md": "---\nbibliography: refs.bib\n---\n%s\n",
    "a.typ": '%s\n\n#bibliography("refs.bib")\n',
    "a.org": "#+bibliography: refs.bib\n\n%s\n",
}
REFS = "@book{kuhn1962, title = {Structure}, author = {Kuhn, T.}, year = 1962}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", r"One is. Two is.\footnote{See \cite{}.} Three is."),
        ("a.tex", r"One is. Two\footnote{\emph{Vgl.} \cite{}} is. Three is."),
        ("a.tex", "One is. Two is.%\n\\footnote[3]{%\n  \\cite{}, p. 3.} Three is."),
        ("a.tex", r"One is. Two is.\endnote{\cite{}} Three is."),
        ("a.md", "One is. Two is.^[See [@?].] Three is."),
        ("a.md", "One is. Two is.[^s] Three is.\n\n[^s]: See [@?].\n"),
        ("a.md", "One is. Two is.[^s] Three is.\n\nFour is.[^t]\n\n[^t]: None.\n[^s]: *Ibid.* [@?]\n"),
        ("a.typ", "One is. Two is.#footnote[See @TODO.] Three is."),
        ("a.org", "One is. Two is.[fn:1] Three is.\n\n[fn:1] See [cite:@?]."),
        ("a.org", "One is. Two is.[fn::See [cite:@?].] Three is."),
        ("a.org", "One is. Two is.[fn:s:See [cite:@?].] Three is."),
    ],
)
def test_a_note_hangs_on_its_sentence(name: str, text: str) -> None:
    """Where its mark is, wherever its own text is; it is no part of the running text."""
    draft = read_files({name: DRAFTS[name] % text, "refs.bib": REFS}, name)
    note = next(
        paragraph
        for paragraph in draft.paragraphs
        if any(marker.open for sentence in paragraph.sentences for marker in sentence.markers)
    )
    assert note.note_to is not None
    assert note.note_to.text == "Two is."
    assert note.aside
    assert all(one.note_to is None for one in draft.paragraphs if one.sentences[0].text.startswith("One"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "One is.\n\n\\begin{figure}\\caption{See \\cite{}.}\\end{figure}"),
        ("a.md", "One is.\n\nTwo [@?]."),
        ("a.md", "[^s]: See [@?]."),
    ],
)
def test_what_hangs_on_nothing(name: str, text: str) -> None:
    """A caption, another paragraph, and a note without text around it."""
    draft = read_files({name: DRAFTS[name] % text, "refs.bib": REFS}, name)
    assert [one.note_to for one in draft.paragraphs] == [None] * len(draft.paragraphs)
