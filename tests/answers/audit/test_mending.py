"""Certain corrections of .bib files: what is written, what stays, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.answers.audit import ListedPapers, audit, read_list
from citewhy.answers.audit.mending import corrections, patches
from citewhy.base.records import Paper, Publication
from citewhy.drafts.edit.journal import undo

JOURNAL = "Journal of Machine Learning Research"
PAPERS = [
    Paper("beam", "Beam Search for Parsing of Long Sentences", authors=("Ann Lee", "Bo Li"), year=2019,
          venue=JOURNAL, doi="10.1000/beam"),
    Paper("trees", "Trees of Words that Grow in Forests", authors=("Cy Mo",), year=2018, venue="ICML",
          doi="10.1000/trees"),
    Paper("nets", "Nets that Learn to Catch Fish Again", authors=("Gil Tan", "Hu Wu"), year=2021,
          venue="Nature", doi="10.1000/nets",
          publication=Publication(type="article-journal", container="Nature", volume="5", pages="1-9")),
]  # fmt: skip
BEAM = "title = {Beam Search for Parsing of Long Sentences}, author = {Lee, A. and Li, B.}"


def corrected(folder: Path, text: str) -> tuple[list[str], str]:
    """The kinds of corrections, and the file with them."""
    file = folder / "a.bib"
    file.write_bytes(text.encode())
    found = corrections(audit([read_list(file)], ListedPapers(PAPERS), this_year=2026))
    for patch in patches(found):
        patch.apply()
    return [one.what for one in found], file.read_bytes().decode()


def test_a_doi_is_added_in_the_style_of_the_entry(tmp_path: Path) -> None:
    """On a line of its own where others have one, behind the last field, whatever follows it."""
    fields = BEAM.replace(", author", ",\r\n  author")
    before = (
        f"% mine\r\n@article{{a,\r\n  {fields},\r\n  journal = {{{JOURNAL}}},\r\n  year = 2019,\r\n}}\r\n"
    )
    what, after = corrected(tmp_path, before)
    assert what == ["doi"]
    assert after == before.replace("2019,\r\n", "2019,\r\n  doi = {10.1000/beam},\r\n")
    one_line = f"@article{{a, {BEAM}, journal=JMLR, year=2019}}".replace(" = ", "=")
    assert corrected(tmp_path, one_line)[1] == one_line.replace("2019}", "2019, doi={10.1000/beam}}")


def test_a_wrong_year_is_replaced_alone(tmp_path: Path) -> None:
    before = """@inproceedings{c, title = {Trees of Words that Grow in Forests}, author = {Cy Mo},
    year = "2013", doi = {10.1000/trees}, note = {2013, read}, booktitle = {ICML}}"""
    what, after = corrected(tmp_path, before)
    assert (what, after) == (["year"], before.replace('"2013"', '"2018"'))


def test_what_was_published_takes_the_place_of_the_preprint(tmp_path: Path) -> None:
    """The key, the title and the names as their author wrote them, and all notes stay."""
    before = """\
@misc{my:key,
  title  = {{Nets} that Learn to Catch Fish Again},
  author = {Tan, G. and Wu, H.},
  year   = 2020,
  eprint = {2001.00001},
  archiveprefix = {arXiv},
  note   = {arXiv, read {"}twice{"}},
  file   = {:nets.pdf:PDF},
}
"""
    what, after = corrected(tmp_path, before)
    assert what == ["published"]
    assert after.startswith(
        "@article{my:key,\n  title  = {{Nets} that Learn to Catch Fish Again},\n  author = {Tan"
    )
    assert "journal = {Nature}" in after
    assert "2021" in after
    assert 'note   = {arXiv, read {"}twice{"}},\n  file   = {:nets.pdf:PDF},\n}\n' in after
    assert "eprint" not in after
    assert "archiveprefix" not in after
    assert corrected(tmp_path, after)[0] == []


def test_undo_is_exact(tmp_path: Path) -> None:
    """Also of a file in Latin-1 with line feeds of Windows."""
    file = tmp_path / "a.bib"
    before = f"% Größe\r\n@article{{a, {BEAM}, journal=JMLR,\r\nyear=2019}}\r\n\r\n".encode("latin-1")
    file.write_bytes(before)
    for patch in patches(corrections(audit([read_list(file)], ListedPapers(PAPERS)))):
        patch.apply()
    assert b"10.1000/beam" in file.read_bytes()
    assert undo(file) == (file.resolve(),)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "entry",
    [
        f"@article{{a, {BEAM}, journal=JMLR, year=2019, doi={{10.1000/other}}}}",
        f"@article{{a, {BEAM}, journal=JMLR, year=2019, crossref={{b}}}}",
        f"@article{{a, {BEAM}, journal=Nature, year=2019}}",
        f"@article{{a, {BEAM}, year=2019}}",
        f"@article{{a, {BEAM} journal=JMLR, year=2019}}",
        "@article{a, title={Beam Search}, author={Lee, A. and Li, B.}, journal=JMLR, year=2019}",
        "@article{a, title={Fish in the Rivers of the North}, author={Zoe Yu}, year=2019}",
    ],
)
def test_what_is_not_certain_is_left_alone(tmp_path: Path, entry: str) -> None:
    assert corrected(tmp_path, entry) == ([], entry)
