"""Reference lists as papers print them."""

from __future__ import annotations

from textwrap import wrap

import pytest

from citewhy.drafts.plain.reader import read_list
from citewhy.text.printed_reference import parse
from citewhy.text.tokens import fold

BROWN = ("Peter F. Brown", "Stephen A. Della Pietra", "Robert L. Mercer")
SHORT = ("P. F. Brown", "S. A. Della Pietra", "R. L. Mercer")
TITLE = "The mathematics of translation: Parameter estimation"
IN_FULL = "Peter F. Brown, Stephen A. Della Pietra, and Robert L. Mercer"
INVERTED = "Brown, Peter F., Stephen A. Della Pietra, and Robert L. Mercer"
CAPITALS = "Brown PF, Della Pietra SA, Mercer RL"
WHERE = "Computational Linguistics"
STYLES = {
    "ACL": (f"{IN_FULL}. 1993. {TITLE}. {WHERE}, 19(2):263–311.", BROWN),
    "ACM": (f"{IN_FULL}. 1993. {TITLE}. {WHERE} 19, 2 (1993), 263–311.", BROWN),
    "APA": (
        f"Brown, P. F., Della Pietra, S. A., & Mercer, R. L. (1993). {TITLE}. {WHERE}, 19(2), 263–311. "
        "https://doi.org/10.5555/972470.972474",
        SHORT,
    ),
    "IEEE": (
        f"P. F. Brown, S. A. Della Pietra, and R. L. Mercer, “{TITLE},” {WHERE}, "
        "vol. 19, no. 2, pp. 263–311, 1993.",
        SHORT,
    ),
    "Chicago": (f"{INVERTED}. 1993. “{TITLE}.” {WHERE} 19 (2): 263–311.", BROWN),
    "MLA": (f'{INVERTED}. "{TITLE}." {WHERE} 19.2 (1993): 263-311.', BROWN),
    "Vancouver": (f"{CAPITALS}. {TITLE}. {WHERE}. 1993;19(2):263-311.", SHORT),
    "Springer": (f"{CAPITALS} (1993) {TITLE}. {WHERE} 19:263–311", SHORT),
    "LNCS": (
        f"Brown, P. F., Della Pietra, S. A., Mercer, R. L.: {TITLE}. {WHERE} 19(2), 263–311 (1993)",
        SHORT,
    ),
    "ICML": (
        f"Brown, P. F., Della Pietra, S. A., and Mercer, R. L. {TITLE}. {WHERE}, 19(2):263–311, 1993.",
        SHORT,
    ),
    "semicolons": (
        f"Brown, P. F.; Della Pietra, S. A.; Mercer, R. L. {TITLE}. {WHERE} 1993, 19, 263-311.",
        SHORT,
    ),
    "plain": (f"P. F. Brown, S. A. Della Pietra, R. L. Mercer. {TITLE}. {WHERE}, 1993.", SHORT),
}


@pytest.mark.parametrize("style", STYLES)
def test_styles(style: str) -> None:
    """Authors, year, title and venue of one paper as twelve styles print it."""
    text, authors = STYLES[style]
    said = parse(text)
    assert (said.authors, said.year, said.title, said.venue) == (
        authors,
        1993,
        TITLE,
        "Computational Linguistics",
    )
    assert not said.et_al
    assert said.doi == ("10.5555/972470.972474" if style == "APA" else "")


@pytest.mark.parametrize(
    ("text", "authors", "et_al", "year", "suffix", "title", "venue"),
    [
        (
            "Ashish Vaswani, Noam Shazeer, et al. 2017. Attention is all you need. In NeurIPS.",
            ("Ashish Vaswani", "Noam Shazeer"), True, 2017, "", "Attention is all you need", "NeurIPS",
        ),
        (
            "Jan van der Berg and Ana Šnajder. 2010a. On things. In Proceedings of the 7th LREC, pages 1–8.",
            ("Jan van der Berg", "Ana Šnajder"), False, 2010, "a", "On things", "Proceedings of the 7th LREC",
        ),
        (
            "Cornelia Caragea, C. Lee Giles, and Daniel S Weld. 2013. Why so? An easy study. In JCDL.",
            ("Cornelia Caragea", "C. Lee Giles", "Daniel S Weld"), False, 2013, "",
            "Why so? An easy study", "JCDL",
        ),
        (
            "World Health Organization. 2020. Health report. Geneva.",
            ("World Health Organization",), False, 2020, "", "Health report", "Geneva",
        ),
        (
            "C. D. Manning, P. Raghavan, and H. Schütze, Introduction to Retrieval. Cambridge, 2008.",
            ("C. D. Manning", "P. Raghavan", "H. Schütze"), False, 2008, "",
            "Introduction to Retrieval", "Cambridge",
        ),
        (
            "Martin Luther King, Jr., and Ann Lee. 1963. I have a dream. Washington.",
            ("Martin Luther King Jr.", "Ann Lee"), False, 1963, "", "I have a dream", "Washington",
        ),
        ("An unknown form of entry", (), False, None, "", "An unknown form of entry", ""),
    ],
)  # fmt: skip
def test_single_entries(
    text: str, authors: tuple[str, ...], et_al: bool, year: int | None, suffix: str, title: str, venue: str
) -> None:
    """Lists that break off, organisations, letters after years, generations, and what is no style at all."""
    said = parse(text)
    assert (said.authors, said.et_al, said.year, said.suffix) == (authors, et_al, year, suffix)
    assert (said.title, said.venue) == (title, venue)


ENTRIES = [STYLES[style][0] for style in ("ACL", "APA", "Chicago")]


@pytest.mark.parametrize(
    "lines",
    [
        [f"[{number}] {entry}" for number, entry in enumerate(ENTRIES, start=1)],
        [f"{number}. {entry}" for number, entry in enumerate(ENTRIES, start=1)],
        [line for entry in ENTRIES for line in [*wrap(entry, 70), ""]],
        [line for entry in ENTRIES for line in wrap(entry, 70, subsequent_indent="   ")],
        [line for entry in ENTRIES for line in wrap(entry, 70)],
        ENTRIES,
        [f"- {entry}" for entry in ENTRIES],
        [line for entry in ENTRIES for line in [*wrap(f"  • Brown et al. (1993) {entry}", 70), ""]],
        [
            f"- [{number}] {entry.replace(TITLE, f'*{TITLE}*')}"
            for number, entry in enumerate(ENTRIES, start=1)
        ],
    ],
    ids=["square", "dots", "blank lines", "indents", "wrapped", "a line each", "bullets", "labels", "both"],
)
def test_where_entries_begin(lines: list[str]) -> None:
    """Numbers, blank lines, indents, or the look of a first line tell entries apart."""
    references = read_list(lines).references
    assert [reference.paper.year for reference in references] == [1993] * 3
    assert all("Brown" in reference.paper.authors[0] for reference in references)
    assert all(fold(reference.paper.title) == fold(TITLE) for reference in references)


def test_keys_of_a_list_are_unique() -> None:
    """Numbers are keys; else name, year and letter, with a count where two are the same."""
    assert [
        r.key for r in read_list(["[7] A. Lee. One thing. 2001.", "[7] A. Lee. Two things. 2001."]).references
    ] == [
        "7",
        "7-2",
    ]
    assert [r.key for r in read_list(["Lee, A. (2001). One.", "Lee, A. (2001). Two."]).references] == [
        "lee2001",
        "lee2001-2",
    ]
