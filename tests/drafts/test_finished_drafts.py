"""Which files are finished drafts."""

from __future__ import annotations

from pathlib import Path

from citewhy.drafts.finished import find_drafts

BIB = "@misc{bleu, title = {BLEU}, author = {Papineni, Kishore}, year = 2002}\n"
YAML = "bleu:\n  type: article\n  title: BLEU\n  author: Papineni, Kishore\n  date: 2002\n"


def test_drafts_of_every_format(tmp_path: Path) -> None:
    """Those that cite what their bibliography defines; a file that another one includes is a part of it."""
    files = {
        "a.org": "#+bibliography: refs.bib\n\nIt works [cite:@bleu].\n",
        "b.typ": '= One\nIt works @bleu.\n#include "c.typ"\n#bibliography("refs.yml")\n',
        "c.typ": "So does that @bleu.\n",
        "d.qmd": "---\nbibliography: refs.bib\n---\nIt works [@bleu].\n\n{{< include e.qmd >}}\n",
        "e.qmd": "So does that [@bleu].\n",
        "f.org": "#+bibliography: refs.bib\n\nNothing is cited.\n",
        "refs.bib": BIB,
        "refs.yml": YAML,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    finished = find_drafts([tmp_path])
    assert [Path(draft.path).name for draft in finished.drafts] == ["a.org", "b.typ", "d.qmd"]
    assert [Path(path).name for path in sorted(finished.drafts[1].files())] == ["b.typ", "c.typ", "refs.yml"]
    named = find_drafts([tmp_path / "b.typ", tmp_path / "f.org"])
    assert [Path(draft.path).name for draft in named.drafts] == ["b.typ"]
    assert [Path(path).name for path in named.others] == ["f.org"]
