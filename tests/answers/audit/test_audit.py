"""Audits: which verdict an entry has beside a library, with what evidence, and what is no difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_library import make

from citewhy.answers.audit import Audit, AuditedEntry, LibraryPapers, ListedPapers, Papers, audit, read_list
from citewhy.answers.audit.people import compare, same_person
from citewhy.answers.audit.titles import relation as title_relation
from citewhy.answers.audit.venues import relation, series
from citewhy.base.errors import InputError
from citewhy.base.records import Paper, Publication
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.session.session import Session

NEURIPS = "Advances in Neural Information Processing Systems"
PAPERS = [
    Paper("beam", "Beam Search for Parsing of Long Sentences", authors=("Ann Lee", "Bo Li", "Cy Mo"),
          year=2019, venue="International Conference on Machine Learning", doi="10.1000/beam"),
    Paper("trees", "Trees of Words: A Study of Growth", authors=("Jürgen Müller", "Dana Park"), year=2018,
          venue=NEURIPS, doi="10.1000/trees"),
    Paper("verbs", "Verbs and their Nouns in Many Languages", authors=("Ed Roe", "Fay Sun"), year=2020,
          venue="Journal of Machine Learning Research"),
    Paper("net", "Nets that Learn to Catch Fish", authors=("Gil Tan", "Hu Wu"), year=2021, venue=NEURIPS),
]  # fmt: skip


@pytest.fixture(params=["library", "files"])
def papers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Papers]:
    """The same papers, as a library has them and as files have them."""
    if request.param == "files":
        yield ListedPapers(PAPERS)
        return
    make(tmp_path / "library", PAPERS).close()
    with Library.open(tmp_path / "library") as library:
        yield LibraryPapers(library, open_index(library))


def entry(**fields: str) -> str:
    kind, key = fields.pop("kind", "inproceedings"), fields.pop("key", "a")
    return (
        f"@{kind}{{{key},\n" + "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items()) + "}\n"
    )


BEAM = {
    "title": "Beam Search for Parsing of Long Sentences",
    "author": "Lee, A. and Li, B. and Mo, C.",
    "booktitle": "ICML",
    "year": "2019",
}


def audited(papers: Papers, text: str, tmp_path: Path) -> Audit:
    (tmp_path / "a.bib").write_text(text)
    return audit([read_list(tmp_path / "a.bib")], papers, this_year=2026)


def one(papers: Papers, tmp_path: Path, **fields: str) -> AuditedEntry:
    (found,) = audited(papers, entry(**fields), tmp_path).entries
    return found


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"booktitle": "Proceedings of the 36th International Conference on Machine Learning"},
        {"author": "Ann B. Lee and B. Li and others"},
        {"author": "Lee Ann and Li Bo and Mo Cy"},
        {"year": "2020"},
        {"title": "{Beam} search for parsing of the long sentences: a revision"},
        {"doi": "10.1000/beam"},
        {"booktitle": "", "eprint": "1901.00001", "archiveprefix": "arXiv"},
        {"author": "Lee A and Li B and Mo C"},
        {"author": r"Lee, Ann 0002 and L{\textbackslash}v i, Bo and Mo, Cy and"},
        {"author": "Lee, Ann and L??i, Bo and Mo, Cy"},
        {"title": "II. Beam Search for Parsing of Long Sentences [J]"},
        {"doi": "10/abc123"},
    ],
)
def test_what_is_no_difference(papers: Papers, tmp_path: Path, other: dict[str, str]) -> None:
    """Initials, abbreviated venues, names turned around, a year's difference, articles and subtitles."""
    found = one(papers, tmp_path, **(BEAM | other))
    assert (found.verdict, found.differences) == ("known", ())
    assert found.paper is not None
    assert found.paper.id == "beam"


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("year", {"year": "2015"}),
        ("venue", {"booktitle": "CVPR"}),
        ("venue", {"booktitle": "Symposium on Regular Growth"}),
        ("authors", {"author": "Lee, A. and Mo, C."}),
        ("authors", {"author": "Lee, A. and Li, B. and Roe, E."}),
        ("authors", {"author": "Ott, I. and Pym, J."}),
        ("title", {"title": "Beam Search for Tagging of Long Sentences"}),
        ("doi", {"doi": "10.1000/other"}),
    ],
)
def test_what_differs(papers: Papers, tmp_path: Path, field: str, other: dict[str, str]) -> None:
    """The field is named, with what the entry and the library say."""
    found = one(papers, tmp_path, **(BEAM | other))
    assert found.verdict == "differs"
    assert field in {difference.field for difference in found.differences}


def test_a_wrong_year_is_certain_with_the_same_doi(papers: Papers, tmp_path: Path) -> None:
    """Nothing else is: the library may be wrong, too."""
    found = one(papers, tmp_path, **(BEAM | {"year": "2015", "doi": "10.1000/beam"}))
    assert [(one.field, one.certain) for one in found.differences] == [("year", True)]
    assert not one(papers, tmp_path, **(BEAM | {"year": "2015"})).certain


@pytest.mark.parametrize(
    ("parts", "other"),
    [
        (("doi",), {"doi": "10.1000/trees"}),
        (("authors",), {"author": "J. Mueller and D. Park", "year": "2018"}),
        (("doi", "authors"), {"author": "J. Mueller and D. Park", "doi": "10.1000/trees"}),
    ],
)
def test_parts_of_two_papers(
    papers: Papers, tmp_path: Path, parts: tuple[str, ...], other: dict[str, str]
) -> None:
    """Both papers are named, and what belongs to the second."""
    found = one(papers, tmp_path, **(BEAM | other))
    assert (found.verdict, found.parts) == ("mixed", parts)
    assert found.paper is not None
    assert found.other is not None
    assert (found.paper.id, found.other.id) == ("beam", "trees")


def test_the_doi_of_another_paper_with_an_unknown_title(papers: Papers, tmp_path: Path) -> None:
    fields = {"title": "Growth in Deserts", "author": "Zoe Yu", "year": "2018", "doi": "10.1000/trees"}
    found = one(papers, tmp_path, **fields)
    assert (found.verdict, found.paper, found.parts) == ("mixed", None, ("doi",))


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"year": "2031"}, "2031 is yet to come"),
        ({"doi": "10.99999/abc"}, "no registrant"),
        ({"author": "Author One and Author Two"}, "placeholder"),
        ({"author": "Ann Lee and Bo Li and Ann Lee"}, "named twice"),
        (
            {"eprint": "2301.00001", "archiveprefix": "arXiv", "url": "https://arxiv.org/abs/2301.00001"},
            "2023",
        ),
        ({"booktitle": "ICLR", "year": "2001"}, "first met in 2013"),
        ({"title": "No Title No Title"}, "placeholder for a title"),
        ({"author": "Lee, A. and Li, B. and Lee, A. and Li, B."}, "named twice"),
    ],
)
def test_what_is_impossible(papers: Papers, tmp_path: Path, other: dict[str, str], why: str) -> None:
    found = one(papers, tmp_path, **(BEAM | other))
    assert found.verdict == "impossible"
    assert why in " ".join(found.reasons)
    assert found.certain


@pytest.mark.parametrize(
    "other",
    [
        {"author": "Lee, A. and Li, B. and Lee, A."},
        {"doi": "10/abc123"},
        {"booktitle": "UAI", "year": "2001", "eprint": "1301.00001", "archiveprefix": "arXiv"},
    ],
)
def test_what_is_possible(papers: Papers, tmp_path: Path, other: dict[str, str]) -> None:
    """Two people of one initial and surname, a DOI of shortdoi.org, papers that came to arXiv later."""
    assert one(papers, tmp_path, **(BEAM | other)).verdict != "impossible"


def test_a_number_of_many_papers_is_nobodys(tmp_path: Path) -> None:
    """Some programs give one number to many papers: it is none of two parts."""
    with_number = [replace(paper, doi="10.1000/every") for paper in PAPERS if paper.id in ("trees", "verbs")]
    found = one(ListedPapers([PAPERS[0], *with_number]), tmp_path, **(BEAM | {"doi": "10.1000/every"}))
    assert found.verdict != "mixed"


def test_a_series_of_one_title(tmp_path: Path) -> None:
    """Papers with a short title, in other volumes and on other pages, are others; so are parts of one article
    in numbers of a journal."""
    bank = Publication(type="article-journal", volume="39", pages="32-37", container="Nucleic Acids Research")
    known = Paper("bank", "GenBank", authors=("Ann Lee", "Bo Li"), year=2011, publication=bank)
    fields = {"title": "GenBank", "author": "Lee, Ann and Li, Bo", "journal": "Nucleic Acids Research"}
    entry_of = {**fields, "kind": "article", "year": "2008", "volume": "37", "pages": "26--31"}
    assert one(ListedPapers([known]), tmp_path, **entry_of).verdict == "unknown"
    later = {**entry_of, "key": "b", "year": "2009", "volume": "38", "pages": "46--51"}
    both = audited(ListedPapers([]), entry(**entry_of) + entry(**later), tmp_path)
    assert not [one for each in both.entries for one in each.remarks if one.kind == "duplicate"]


def test_what_the_library_does_not_have_is_unknown(papers: Papers, tmp_path: Path) -> None:
    """Also where a title is short, or one of a series with numbers."""
    for title in ("Fish in Cold Rivers of the North", "Parsing", "Trees of Words 2: A Study of Growth"):
        found = one(papers, tmp_path, title=title, author="Zoe Yu", year="2020")
        assert (found.verdict, found.paper, found.certain) == ("unknown", None, False)


def test_the_published_version_of_a_preprint(papers: Papers, tmp_path: Path) -> None:
    fields = BEAM | {
        "booktitle": "",
        "journal": "arXiv preprint arXiv:1805.00001",
        "year": "2018",
        "kind": "article",
    }
    found = one(papers, tmp_path, **fields)
    assert found.verdict == "known"
    (remark,) = [remark for remark in found.remarks if remark.kind == "published"]
    assert remark.certain
    assert "International Conference on Machine Learning, 2019" in remark.text


def test_remarks_of_the_list_alone(papers: Papers, tmp_path: Path) -> None:
    """Entries of one paper under two keys, missing fields, acronyms without braces."""
    text = entry(**BEAM) + entry(**(BEAM | {"key": "b", "author": "Ann Lee and Bo Li and Cy Mo"}))
    text += entry(key="c", title="On BERT and {ELMo}", year="2019")
    remarks = {
        (each.reference.key, one.kind): one.text
        for each in audited(papers, text, tmp_path).entries
        for one in each.remarks
    }
    assert remarks["b", "duplicate"] == "the same paper as a"
    assert remarks["c", "incomplete"] == "lacks author, booktitle"
    assert "BERT" in remarks["c", "case"]
    assert "ELMo" not in remarks["c", "case"]


def test_keys_of_a_draft(papers: Papers, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        entry(**BEAM) + entry(**(BEAM | {"key": "b", "title": "Other Things"}))
    )
    (tmp_path / "a.tex").write_text(
        "\\documentclass{article}\\begin{document}\nWe search \\cite{a,nobody}.\n"
        "\\bibliography{refs}\\end{document}\n"
    )
    found = audit([read_list(tmp_path / "a.tex")], papers)
    assert [(one.kind, one.key) for one in found.keys] == [("undefined", "nobody"), ("unused", "b")]
    assert found.certain


def test_a_list_in_text(papers: Papers, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(
        "[1] A. Lee, B. Li, C. Mo. Beam Search for Parsing of Long Sentences. In ICML, 2019.\n"
        "[2] Z. Yu. Fish in Cold Rivers of the North. Fish Journal, 2001.\n"
    )
    found = audit([read_list(tmp_path / "list.txt")], papers)
    assert [each.verdict for each in found.entries] == ["known", "unknown"]


def test_a_file_without_references(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text("nothing\n")
    with pytest.raises(InputError, match="no references"):
        read_list(tmp_path / "a.bib")


def test_an_entry_that_was_added_is_compared_with_nothing(tmp_path: Path) -> None:
    """A library that was made of the same file cannot confirm it, and says so."""
    (tmp_path / "a.bib").write_text(entry(**BEAM))
    with Session(tmp_path / "library", create=True) as session:
        session.add([tmp_path / "a.bib"], vectors=False)
        (found,) = session.audit([tmp_path / "a.bib"]).entries
    assert (found.verdict, found.itself) == ("known", True)


def test_names_of_venues() -> None:
    assert (
        series("Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics")
        == "acl"
    )
    assert relation("Proc. Natl. Acad. Sci.", "Proceedings of the National Academy of Sciences") == "same"
    assert relation("ICML Workshop on Trees", "ICML") == "unclear"
    assert relation("Springer", "CVPR") == "unclear"
    assert relation("International Conference on Quantum Machine Learning", "ICML") == "other"
    assert relation("J. R. Stat. Soc. (B)", "Journal of the Royal Statistical Society: Series B") == "same"
    assert relation("Journal of the American Statistical \\ldots", "JASA") == "unclear"
    assert series("Language Resources and Evaluation") == ""
    both = "Human Language Technology Conference and Conference on Empirical Methods"
    assert relation("EMNLP", f"{both} in Natural Language Processing") == "same"
    beside = (
        "held in conjunction with the 38th Annual Meeting of the Association for Computational Linguistics"
    )
    assert series(f"Empirical Methods in Natural Language Processing, {beside}") == "emnlp"


def test_names_of_people() -> None:
    assert same_person("Da-Wei Zhou", "D. Zhou")
    assert same_person("Abhimanyu Das", "A. Das")
    assert same_person("Sergei Ivanov", "S. Iwanow")
    assert not same_person("Ruth Lee", "Ann Lee")
    assert same_person("McKenna A", "Aaron McKenna")
    assert same_person("Peter De Weerd", "Peter DeWeerd")
    assert same_person("Paweł Da̧browski", "P. Dabrowski")
    assert compare(["Ann Lee", "Bo Li"], ["A. Lee", "Bo Li", "Ann Lee", "Bo Li"]).kind == "same"
    assert compare(["A. Lee", "B. Li"], ["Ann Lee", "Bo Li", "Cy Mo"]).kind == "part"
    assert compare(["A. Lee", "B. Li"], ["Ann Lee", "Bo Li", "Cy Mo"], rest=True).kind == "same"


def test_titles() -> None:
    assert title_relation("Modelling Behaviour", "Modeling Behavior") == "equal"
    assert title_relation("Findings of WMT14 on Trees", "Findings of WMT15 on Trees") == "other"
    assert title_relation("Parsing with Trees", "Parsing from Trees") == "near"
    assert title_relation(r"Decays of $\beta$ Rays", "Decays of β Rays") == "equal"
    assert (
        title_relation("A Study of the Growth of Trees", "REPORT A Study of the Growth of Trees") == "variant"
    )
    assert title_relation("Erratum: Growth of Trees", "Erratum") == "other"
