"""LaTeX of bibliographies to text."""

from __future__ import annotations

import pytest

from citewhy.text.latex_text import MAX_NESTING, nesting, plain


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        ("{B}leu: a {Method}", "Bleu: a Method"),
        (r"{\"U}ber Ond{\v{r}}ej \v Sim\'{\i}k, Llu\'{\i}s M\`arquez", "Über Ondřej Šimík, Lluís Màrquez"),
        (r"{\ss} \ss{} {\O}re \AA ngstr\"om \l{}\'od\'z", "ß ß Øre Ångström łódź"),
        (r"{\c{c}} {\c c} \c{c} \c c", "ç ç ç ç"),
        (r"\'Ecole d'\'et\'e", "École d'été"),
        ("pages 1--2 --- ``so''~called", "pages 1–2 — “so” called"),
        (r"50\% \& 50% of \#1 a\_b \$5", "50% & 50% of #1 a_b $5"),
        ("costs $5 only", "costs $5 only"),
        (r"$O(n^2)$ and $\alpha$-\textit{equivalence}", "O(n^2) and α-equivalence"),
        (r"$\mathcal{L}_{1}$ by $\log n$", "L_1 by log n"),
        (r"{\textbraceleft}x{\textbraceright} \{y\}", "{x} {y}"),
        (r"\href{http://x.org}{A \emph{link}} {\em old} \bf style", "A link old style"),
        (r"\noopsort{1973a}1973 \LaTeX\ rocks Hoch\-reiter", "1973 LaTeX rocks Hochreiter"),
        (r"line\\break \unknown{kept} \alsounknown", "line break kept "),
        (r"tilde \~{} hat \^{}", "tilde ~ hat ^"),
        ("e\u0301", "é"),
        (r"ko\'scio\l\'ow i wygl\k{a}d", "kościołów i wygląd"),
        (r"a \textbf {b c} d \' e f {\em g h} \v S", "a b c d é f g h Š"),
        (r"$a \le b$ costs \emph{$c d$} {$e$ f}", "a ≤b costs c d e f"),
        (r"\'{\'a}", "á\u0301"),
        (r"\href{http://x.org} {a b} c", "a b c"),
        (r"\\'e", " 'e"),
        (r"\'", ""),
        (r"unbalanced \textbf{", "unbalanced "),
        (r"} { \v", "  "),
    ],
)
def test_latex_becomes_text(latex: str, text: str) -> None:
    """Accents compose, protection and emphasis vanish, typography becomes Unicode, formulas keep letters."""
    assert plain(latex) == text


def test_what_would_recurse_only_loses_its_braces() -> None:
    """Depth and length are bounded before the parser sees them; nothing raises and nothing takes long."""
    deep = "{" * (MAX_NESTING + 1) + r"\x" + "}" * (MAX_NESTING + 1)
    assert nesting(deep) == MAX_NESTING + 1
    assert plain(deep) == r"\x"
    for hostile in (
        r"\'" * 50_000,
        r"\textbf" * 14_000,
        "$" * 50_001,
        r"\begin{a}" * 10_000,
        r"\\[" * 30_000,
    ):
        assert len(plain(hostile)) <= len(hostile)
    assert len(plain(r"\'e" + "x" * 1_000_000)) > 1_000_000
