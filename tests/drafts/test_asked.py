"""Comments that ask for the papers of a paragraph."""

from __future__ import annotations

import pytest

from citewhy.answers.questions import units_of
from citewhy.drafts import read_files

LATEX = r"""\documentclass{article}
\begin{document}
One stands alone here, with words. It cites \cite{a}. More of it. And more.

%s
Two is a topic sentence of ours. It cites \cite{b}. It goes on. And on.

Three is the last one of these.
\end{document}
"""

MARKDOWN = """# Title

One stands alone here, with words. It cites [@a]. More of it. And more.

%s

Two is a topic sentence of ours. It cites [@b]. It goes on. And on.
"""


def asked(name: str, text: str) -> list[str]:
    """The first sentences of the paragraphs that are asked for, by default."""
    units = units_of(read_files({name: text}))
    return [unit.sentence.text for unit in units if unit.kind == "paragraph" and unit.sentence]


@pytest.mark.parametrize("mark", ["% cite-paragraph", "  %% cite-paragraph: older work, please"])
def test_above_in_latex(mark: str) -> None:
    """The comment above a paragraph asks for it, however long it is and whatever it cites."""
    assert asked("d.tex", LATEX.replace("%s", mark)) == ["Two is a topic sentence of ours."]


def test_inside_and_below_in_latex() -> None:
    """So does one in the middle of it, or on the line below it."""
    inside = LATEX.replace("%s\n", "").replace("It goes on.", "\n% cite-paragraph\nIt goes on.")
    assert asked("d.tex", inside) == ["Two is a topic sentence of ours."]
    below = LATEX.replace("%s\n", "").replace("And on.\n", "And on.\n% cite-paragraph\n")
    assert asked("d.tex", below) == ["Two is a topic sentence of ours."]


def test_in_markdown() -> None:
    """An HTML comment on the line above the paragraph."""
    text = MARKDOWN.replace("%s\n\n", "<!-- cite-paragraph -->\n")
    assert asked("d.md", text) == ["Two is a topic sentence of ours."]


def test_without_a_paragraph_beside_it() -> None:
    """It asks for nothing, and is a problem of the draft, with its line; other comments are not."""
    manuscript = read_files({"d.tex": LATEX.replace("%s", "\n% cite-paragraph\n\n")})
    assert [paragraph.asked for paragraph in manuscript.paragraphs] == [False, False, False]
    assert manuscript.problems[-1] == "d.tex, line 6: cite-paragraph without a paragraph beside it"
    assert asked("d.tex", LATEX.replace("%s", "% we cite-paragraph\n% cite-paragraphs")) == []
