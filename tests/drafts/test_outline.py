"""The headings of a file, in each format."""

from __future__ import annotations

import pytest

from citewhy.drafts.outline import outline

TEXTS = {
    "latex": (
        "\\chapter{One}\n% \\section{No}\n\\section*[short]{Two of \\emph{it}}\\label{sec:two}\n"
        "Text. \\subsection{Three}",
        [("One", 2, 1), ("Two of it", 3, 3), ("Three", 4, 4)],
    ),
    "markdown": (
        "# One\n\n```\n# no\n```\n\n## Two ## {#two}\n\n#no heading\n",
        [("One", 1, 1), ("Two", 2, 7)],
    ),
    "typst": ("= One <one>\n\nText = no\n== Two\n", [("One", 1, 1), ("Two", 2, 4)]),
    "org": ("* One\n** Two\ntext * no\n", [("One", 1, 1), ("Two", 2, 2)]),
    "plain": ("1. One\n\nText.\n", []),
}


@pytest.mark.parametrize("form", TEXTS)
def test_headings(form: str) -> None:
    """Each with its level, its line, and the offset where it begins; comments and code have none."""
    text, expected = TEXTS[form]
    found = outline(form, text)
    assert [(one.title, one.level, one.line) for one in found] == expected
    for one in found:
        assert text.count("\n", 0, one.offset) + 1 == one.line
        assert text[one.offset] in "\\#=*"
