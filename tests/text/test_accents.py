"""Text to LaTeX."""

from __future__ import annotations

import pytest

from citewhy.text.accents import to_latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("plain words", "plain words"),
        ("Čapek, Müller, Ångström", r"{\v{C}}apek, M{\"u}ller, {\AA}ngstr{\"o}m"),
        ("Straße, Łódź, Ðæ", r"Stra{\ss}e, {\L}{\'o}d{\'z}, {\DH}{\ae}"),
        ("e\u0301", r"{\'e}"),
        ("ế 中文", "ế 中文"),
        (r"50% of $5 & #1_x", r"50\% of \$5 \& \#1\_x"),
        ("{x}\\~^", r"{\textbraceleft}x{\textbraceright}{\textbackslash}{\textasciitilde}{\textasciicircum}"),
        ("a--b ``c''", "a-{}-b `{}`c'{}'"),
        ("two\n lines\x00", "two lines"),
    ],
)
def test_text_becomes_latex(text: str, latex: str) -> None:
    """Specials are escaped, Latin accents become macros, other scripts stay, ligatures are broken."""
    assert to_latex(text) == latex


def test_braces_of_the_result_balance() -> None:
    """BibTeX counts braces without looking at backslashes, so not one may stand alone."""
    latex = to_latex("}{{ \\{ Ž")
    depth = 0
    for character in latex:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
