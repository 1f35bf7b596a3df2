"""What is written compiles: BibTeX and pdflatex take it without a warning."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from citewhy.base.records import Name, Paper, Publication
from citewhy.writers import bibtex

PROGRAMS = ("pdflatex", "bibtex")
DOCUMENT = r"""\documentclass{article}
\begin{document}\nocite{*}\bibliographystyle{plain}\bibliography{entries}\end{document}
"""
TITLES = (
    "Decay of α and β → γ in mT5",
    "The α-helix: H₂O, CO₂ & 50 % of #1_a at 3 €",
    "Ångström’s “naïve” Straße — São Tomé, Łódź, İzmir",
    "x₁₀⁻³ − ∇f ∗ 5′ of ʿAlī, ∀ a ∈ B ∪ C: a ≪ b ⇔ ℓ",
    "Costs of $5 to $10 {in} C:\\x ~ y^2",
)
MARKED = (
    'Growth of <i>E. coli</i> in H<sub>2</sub>O with <span class="nocase">BLEU</span>',
    r"Decay of $\alpha_s$ at $10^{-3}$ <b>only</b>",
    '<span class="nocase">Émile</span> at 5 % & more',
)


def papers() -> list[Paper]:
    known = Publication(
        "article-journal",
        container="Journal of α & β",
        volume="1",
        number="2",
        pages="1-9",
        date="2004-03",
        note="100 % sure_",
        keywords=("a_b", "c & d"),
    )
    names = (Name("Émile", "Ångström"), Name.literal("Wall & Sons, Ltd."), Name("Jan", "Berg", "van der"))
    plain = [
        Paper(f"p{number}", title, authors=names, year=2004, venue="Journal of Walls", doi="10.5555/a_b")
        for number, title in enumerate(TITLES)
    ]
    marked = [
        Paper(f"m{number}", "Growth", authors=names, publication=replace(known, title=title))
        for number, title in enumerate(MARKED)
    ]
    others = {
        "chapter": Publication("chapter", chapter="2", date="2004", publisher="P"),
        "thesis": Publication("thesis", publisher="U & V", date="2004"),
        "web": Publication("webpage"),
    }
    address = "https://a.example/b_c?d=e%20f#g"
    typed = [Paper(key, "Walls", authors=names, url=address, publication=of) for key, of in others.items()]
    return [*plain, *marked, *typed]


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    return done.stdout.decode("utf-8", "replace")


@pytest.mark.skipif(
    any(shutil.which(program) is None for program in PROGRAMS), reason="pdflatex and BibTeX are not installed"
)
def test_what_is_written_compiles(tmp_path: Path) -> None:
    """Signs, accents, markup, mathematics and special characters, in all fields that a style prints."""
    (tmp_path / "entries.bib").write_text(bibtex.entries(papers()), encoding="utf-8")
    (tmp_path / "document.tex").write_text(DOCUMENT, encoding="utf-8")
    latex = ("pdflatex", "-interaction=nonstopmode", "document.tex")
    run(tmp_path, *latex)
    assert "Warning--" not in (of_bibtex := run(tmp_path, "bibtex", "document")), of_bibtex
    output = run(tmp_path, *latex)
    assert "\n! " not in output, output[output.find("\n! ") :][:500]
    assert (tmp_path / "document.pdf").is_file()
