"""A draft with one open citation, which the second of two papers fits, as editors and assistants get it."""

from __future__ import annotations

from pathlib import Path

BIBLIOGRAPHY = """\
@article{papineni02, author = {Papineni, Kishore}, year = {2002}, doi = {10.3115/1073083.1073135},
  title = {BLEU: a method for automatic evaluation of machine translation},
  abstract = {We propose a method of automatic evaluation of translation that is quick and inexpensive.
    It correlates highly with human judgements.}}

@article{och03, author = {Och, Franz Josef}, year = {2003},
  title = {Minimum error rate training in statistical machine translation}}
"""

DRAFT = r"""\documentclass{article}
\begin{document}
Quality is measured automatically \cite{papineni02}.

We tune the weights by minimum error rate training \cite{}.
\bibliography{refs}
\end{document}
"""


def tuning_draft(folder: Path) -> Path:
    """Writes the draft into a folder, which is made, and returns it without links."""
    folder.mkdir()
    (folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (folder / "paper.tex").write_text(DRAFT, encoding="utf-8")
    return folder.resolve()
