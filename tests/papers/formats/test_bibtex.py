"""BibTeX as people write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from growth import assert_linear

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Paper
from citewhy.papers.formats import Record, read
from citewhy.papers.formats.bibtex import macros_of, read_entries
from citewhy.text.bibtex_values import evaluate, people, verbatim

Take = Callable[..., tuple[list[Record], ImportReport]]


def one(take: Take, bibtex: str) -> Paper:
    records, report = take(bibtex, strict=True)
    assert len(records) == 1, report.warnings
    assert isinstance(records[0], Paper)
    return records[0]


def ids(records: list[Record]) -> list[str]:
    return [record.id for record in records if isinstance(record, Paper)]


def test_the_toy_bibliography(toy: Path) -> None:
    """@string in both delimiters, concatenation, crossref, biblatex fields, sort keys."""
    problems: list[str] = []
    entries = read_entries((toy / "refs.bib").read_text(), "refs.bib", problems)
    papers = {entry.key: entry.paper for entry in entries}
    assert problems == []
    acl = "Annual Meeting of the Association for Computational Linguistics"
    assert papers["cohan-etal-2020-specter"].venue == f"Proceedings of the 58th {acl}"
    assert papers["lewis-20"].venue == f"Proceedings of the 58th {acl}"  # through crossref
    assert papers["lewis-20"].year == 2020
    assert papers["lewis-20"].doi == "10.18653/v1/2020.acl-main.703"
    assert papers["Brown93"].authors[1] == "Stephen A. Della Pietra"
    assert papers["marcus:93"].venue == "Computational Linguistics, Volume 19, Number 2, June 1993"
    assert papers["devlin2019bert"].title.startswith("BERT: Pre-training")
    assert papers["devlin2019bert"].year == 2019
    assert papers["devlin2019bert"].url == "https://arxiv.org/abs/1810.04805"
    assert papers["papineni02bleu"].doi == "10.3115/1073083.1073135"
    assert papers["och_mert"].year == 2003
    assert papers["vanNoord2004"].authors == ("Gertjan van Noord",)
    assert papers["moses"].authors[11] == "Ondřej Bojar"
    assert papers["carreras-marquez-2005"].authors == ("Xavier Carreras", "Lluís Màrquez")


def test_entries_know_their_places(toy: Path) -> None:
    """An entry's characters are exactly its text, and its line is where it begins."""
    text = (toy / "refs.bib").read_text()
    for entry in read_entries(text, "refs.bib", []):
        raw = text[entry.start : entry.end]
        assert raw.startswith("@")
        assert entry.key in raw.partition("\n")[0]
        assert raw[-1] in "})"
        assert text.count("\n", 0, entry.start) + 1 == entry.line


def test_read_entries_keeps_what_a_draft_may_cite() -> None:
    """Entries without a title and repetitions are entries; macros go on from file to file."""
    macros: dict[str, str] = {}
    assert read_entries('@string{ACL = "The ACL"}', "strings.bib", [], macros) == []
    problems: list[str] = []
    text = "@misc{a, year={1999}}\n@article{b, title={T}, journal=acl}\n@article{b, title={Other}}"
    entries = read_entries(text, "refs.bib", problems, macros)
    assert [(entry.key, entry.paper.title, entry.paper.venue) for entry in entries] == [
        ("a", "", ""),
        ("b", "T", "The ACL"),
        ("b", "Other", ""),
    ]
    assert [(entry.kind, dict(entry.fields)) for entry in entries][1] == (
        "article",
        {"title": "T", "journal": "The ACL"},
    )
    assert problems == []


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("Kishore Papineni and Salim Roukos", ("Kishore Papineni", "Salim Roukos")),
        ("Papineni, Kishore AND Roukos, Salim", ("Kishore Papineni", "Salim Roukos")),
        ("van der Berg, Jan and Charles de Gaulle", ("Jan van der Berg", "Charles de Gaulle")),
        ("King, Jr., Martin Luther", ("Martin Luther King Jr.",)),
        ("King, Jr.", ("King Jr.",)),
        ("Daum{\\'e} III, Hal and others", ("Hal Daumé III",)),
        ("{World Health Organization}", ("World Health Organization",)),
        ("{Barnes and Noble, Inc.} and {\\'E}mile Zola", ("Barnes and Noble, Inc.", "Émile Zola")),
        ("Smith, John and et al.", ("John Smith",)),
        ("Ada Lovelace, Charles Babbage, Alan Turing", ("Ada Lovelace", "Charles Babbage", "Alan Turing")),
        ("Smith, J., Doe, A.", ("J. Smith", "A. Doe")),
        ("Jos\\'e\n   Garc{\\'\\i}a", ("José García",)),
        ("others", ()),
        ("", ()),
        (" and ", ()),
        ("Smith \\& Sons \\& and Jane Doe", ("Smith & Sons &", "Jane Doe")),
    ],
)
def test_names(field: str, names: tuple[str, ...]) -> None:
    """People come out as "First von Last Jr."; nobody is called "others"."""
    assert people(field) == names


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        ("{a {nested {group}}}", "a {nested {group}}"),
        ('"quoted {"}mark{"}"', 'quoted {"}mark{"}'),
        ("2002", "2002"),
        ("jan # {~1}", "January~1"),
        ('"a" # undefined # {b}', "aundefinedb"),
        ("{never closed", "never closed"),
        ("#", ""),
        ("", ""),
    ],
)
def test_expressions(expression: str, latex: str) -> None:
    """Braces, quotes, numbers, macros and their concatenation."""
    assert evaluate(expression, {"jan": "January"}).latex == latex


def test_addresses_are_taken_as_they_stand() -> None:
    """Escapes that exporters add to addresses are taken away; nothing in them is typography."""
    assert verbatim(r"\url{http://a.org/x\_y--z\%20\&q=\~{}u}") == "http://a.org/x_y--z%20&q=~u"
    assert verbatim("http://a.org/~u/a--b") == "http://a.org/~u/a--b"
    assert verbatim(r"http://a.org/{\textasciitilde}u") == "http://a.org/~u"


BEFORE = "@article{before, title={Before}, year={2001}}\n"
AFTER = "\n@article{after, title={After}, year={2002}}\n"


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("@article{a title={no comma after the key}}", "Expected comma after entry key"),
        ("@article{, title={...}}", "has no key"),
        ("@article{a, title}", "is broken"),
        ("@article a, title={no brace}", "without an opening brace"),
        ("@article{a, year={2001}}", "entry 'a' has no title"),
        ("@article{a, title={}}", "entry 'a' has no title"),
        ("@article{a, title={" + "{" * 300 + "x" + "}" * 300 + "}}", "braces nest deeper than"),
    ],
)
def test_a_broken_entry_never_takes_others_with_it(take: Take, broken: str, why: str) -> None:
    """The entries before and after it are read; the report names its line; strict makes it fail."""
    records, report = take(BEFORE + broken + AFTER)
    assert ids(records) == ["before", "after"]
    assert report.skipped == 1
    assert report.skips[0].line == 2
    assert why in report.skips[0].why
    with pytest.raises(InputError, match=r":2: "):
        take(BEFORE + broken + AFTER, strict=True)


def test_a_file_that_is_broken_from_line_500_on(take: Take) -> None:
    """What stands before the damage is read, and what follows it as soon as entries begin again."""
    good = "".join(f"@article{{k{n},\n  title = {{Title {n}}},\n  year = 2001\n}}\n\n" for n in range(100))
    assert good.count("\n") == 500
    tail = "@article{lost\n  title = {Never closed,\n  year = 2001\n\n" * 30
    records, report = take(good + tail)
    assert len(records) == 100
    assert report.skipped == 30
    assert [problem.line for problem in report.skips[:3]] == [501, 505, 509]
    records, report = take(good + tail + AFTER + "@article{rest title={Rest")
    assert ids(records)[100:] == ["after"]
    assert report.skipped == 31
    records, report = take(good + "\x00\xff}}}{{{@@@ garbage \\ = , # \n" * 50)
    assert len(records) == 100


@pytest.mark.parametrize(
    ("broken", "paper"),
    [
        ("@article{a, title={Never closed, year={2001}\n", Paper("a", "Never closed, year=2001")),
        ("@article{a,\n title={Never closed,\n year={2001}}", Paper("a", "Never closed", year=2001)),
        (
            '@article{a,\n title = "A title",\n doi = "x",\n  % 10.1000/y",\n year=2001}',
            Paper("a", "A title", year=2001),
        ),
        (
            "@article{a,\n title={One},\nA line of an abstract,\n year={2001}}",
            Paper("a", "One, A line of an abstract", year=2001),
        ),
        (
            "@article{a,\n title={A {brace{} too few},\n year={2001}\n}",
            Paper("a", "A brace too few", year=2001),
        ),
    ],
)
def test_an_entry_that_does_not_parse_is_read_line_by_line(take: Take, broken: str, paper: Paper) -> None:
    """What a person can read of it is read, with a warning that says so; the entries around it are safe."""
    records, report = take(BEFORE + broken + AFTER)
    assert [record for record in records if isinstance(record, Paper) and record.id == "a"] == [paper]
    assert {"before", "after"} <= set(ids(records))
    assert any("read line by line" in warning.why and warning.line == 2 for warning in report.warnings)


def test_what_is_commented_out_is_no_entry(take: Take) -> None:
    """BibTeX would read an entry behind a percent sign; its author did not mean it to."""
    text = "%@misc{a,\n% title = {T},\n% year = {2001}\n%}\n@misc{b, title={B}}"
    records, report = take(text, strict=True)
    assert ids(records) == ["b"]
    assert "commented out" in report.warnings[0].why


@pytest.mark.parametrize(
    ("fields", "title", "venue"),
    [
        ("booktitle={A Book}, pages={3--9}, author={Lee, Ann}", "A Book, 3–9", ""),
        ("booktitle={A Book}, editor={Lee, Ann}", "A Book", ""),
        ("journal={J. Phys.}, volume=7, pages={33}, author={Lee, Ann}", "J. Phys. 7, 33", "J. Phys."),
        ("journaltitle={J. Phys.}, author={Lee, Ann}", "J. Phys.", "J. Phys."),
        ("howpublished={Private communication}, author={Lee, Ann}", "Private communication", ""),
        ("note={Personal notes}, author={Lee, Ann}", "Personal notes", ""),
        ("url={https://example.org/data}", "https://example.org/data", ""),
    ],
)
def test_an_entry_without_a_title_is_kept_where_something_else_names_it(
    take: Take, fields: str, title: str, venue: str
) -> None:
    """Its book, its place in a journal, what it was published as, in that order."""
    records, report = take(f"@misc{{a, {fields}}}", strict=True)
    assert [(paper.title, paper.venue) for paper in records if isinstance(paper, Paper)] == [(title, venue)]
    assert report.skipped == 0


def test_an_entry_without_a_key_goes_by_another_name(take: Take) -> None:
    """Its DOI, else author, year and title; a draft cannot cite it, and finds no such entry."""
    text = "@misc{, title={On Moss}, author={Lee, Ann}, year=2001}\n@misc{, title={B}, doi={10.1000/b}}"
    records, report = take(text, strict=True)
    assert ids(records) == ["lee2001on", "10.1000/b"]
    assert report.warned == 2
    problems: list[str] = []
    assert read_entries(text, "refs.bib", problems) == []
    assert len(problems) == 2


def test_a_key_of_two_papers(take: Take) -> None:
    """The first one has the key; the other is another paper and stays one, under an id of its own."""
    text = "@misc{a, title={One}}\n@misc{a, title={Another}}\n@misc{a, title={one.}}\n@misc{a, title={Third}}"
    records, report = take(text)
    assert [(paper.id, paper.title) for paper in records if isinstance(paper, Paper)] == [
        ("a", "One"),
        ("a#2", "Another"),
        ("a#3", "Third"),
    ]
    assert (report.skipped, report.repeated, report.read) == (0, {"papers": 1}, {"papers": 4})


def test_keys_of_ids_lead_to_the_entry(take: Take) -> None:
    """biblatex's field for other keys of an entry makes aliases."""
    records, _ = take("@misc{a, title={A}, ids={old, a, older}}", strict=True)
    assert records == [Paper("a", "A"), Alias("a", "old"), Alias("a", "older")]


PASTED = r"""@misc{a, title={A}}
\begin{thebibliography}{9}
\bibitem[Lee and Roe(2004)]{lee04} A. Lee and B. Roe. On the moss of walls.
\emph{Annals of Moss}, 3:1--9, 2004.
\bibitem{poe}
E. Poe.
\newblock {T}he raven's {\em shadow}.
\newblock In {\em Birds}, 2011.
\end{thebibliography}
@misc{b, title={B}}
"""


def test_a_reference_list_that_was_pasted_in(take: Take) -> None:
    """Entries of thebibliography stand beside those of BibTeX; each has its place in the text."""
    records, report = take(PASTED, strict=True)
    assert ids(records) == ["a", "lee04", "poe", "b"]
    assert records[1] == Paper(
        "lee04", "On the moss of walls", authors=("A. Lee", "B. Roe"), year=2004, venue="Annals of Moss"
    )
    assert records[2] == Paper(
        "poe", "The raven's shadow", authors=("E. Poe",), year=2011, venue="In Birds, 2011"
    )
    assert report.warned == 0
    entries = {entry.key: entry for entry in read_entries(PASTED, "refs.bib", [])}
    assert PASTED[entries["poe"].start :].startswith("\\bibitem{poe}")
    assert entries["poe"].kind == "bibitem"


def test_fields_that_are_not_kept_are_counted(take: Take) -> None:
    """Each name once an entry; what came through crossref counts where it is written."""
    text = (
        "@inproceedings{a, title={A}, rating={1}, Owner={P}, booktitle={B}, file={}, crossref={v}}\n"
        "@proceedings{v, title={V}, year=2001, owner={P}, annote={1-2}, editor={Lee, Ann}}"
    )
    _, report = take(text)
    assert report.not_kept == {"BibTeX": {"rating": 1, "owner": 2, "annote": 1}}


def test_values_that_grow_without_end_are_left_out(take: Take) -> None:
    """Doubled 27 times, a macro would have a gigabyte: it ends at a megabyte, and entries do without it."""
    doubled = "".join("@string{a = a # a}\n" for _ in range(27))
    text = "@string{a = {0123456789abcdef}}\n" + doubled + "@misc{x, title={T}, note=a, abstract=a}\n"
    records, report = take(text)
    assert [record.title for record in records if isinstance(record, Paper)] == ["T"]
    assert "@string 'a' is longer than 1 MB, or 16 MB in all" in report.warnings[0].why
    many = "@string{a = {" + "x" * 1_000_000 + "}}\n" + "@misc{x, title={T}, note=a # a}\n" * 3
    records, report = take(many)
    assert len(records) == 1
    assert "note is longer than 1 MB" in report.warnings[0].why
    wide = (
        "@string{a = {"
        + "x" * 900_000
        + "}}\n"
        + "".join(f"@misc{{x{n}, title={{T}}, note=a}}\n" for n in range(60))
    )
    records, report = take(wide)
    assert len(records) == 60
    assert report.warned > 30


def test_macros_of_other_files(tmp_path: Path) -> None:
    """What a file does not define itself, others may define for it; its own definition counts more."""
    strings = tmp_path / "strings.bib"
    strings.write_text("@string{acl = {The ACL}}\n@STRING{nips = {NIPS} # { again}}\n% a comment")
    assert macros_of(strings) == {"acl": "The ACL", "nips": "NIPS again"}
    refs = tmp_path / "refs.bib"
    refs.write_text(
        "@string{nips={Own}}\n@misc{a, title={A}, journal=ACL}\n@misc{b, title={B}, journal=nips}"
    )
    report = ImportReport()
    papers = [paper for paper in read(refs, report, macros_of(strings)) if isinstance(paper, Paper)]
    assert [paper.venue for paper in papers] == ["The ACL", "Own"]
    assert report.warned == 0


def test_a_missing_comma_between_fields_is_mended(take: Take) -> None:
    """What BibTeX itself would stumble over here is plain enough."""
    records, report = take("@article{a, title = {T} year = 2001\n journal = {J} }")
    assert records == [Paper("a", "T", year=2001, venue="J")]
    assert "no comma after field 'title'" in report.warnings[0].why


@pytest.mark.parametrize(
    "title", ["It&rsquo;s a Q&amp;A", "It&#8217;s a Q\\&amp;A", "It&rsquo;s a Q{\\&}amp;A"]
)
def test_entities_of_web_pages(take: Take, title: str) -> None:
    """They are the characters that they stand for, in titles, names and venues."""
    found = one(take, f"@article{{a, title={{{title}}}, author={{M&uuml;ller, Ada}}, journal={{A &amp; B}}}}")
    assert (found.title, found.authors, found.venue) == ("It’s a Q&A", ("Ada Müller",), "A & B")


def test_an_undefined_macro_is_its_name(take: Take) -> None:
    """BibTeX would print nothing; its name says more, and one warning a macro is enough."""
    records, report = take("@article{a, title={T}, journal=tacl}\n@article{b, title={U}, journal=TACL}")
    assert [record.venue for record in records if isinstance(record, Paper)] == ["tacl", "TACL"]
    assert [warning.line for warning in report.warnings] == [1]


def test_later_strings_win_from_there_on(take: Take) -> None:
    """A redefined @string holds for the entries after it; names ignore case."""
    text = (
        "@string{j={One}}\n@article{a,title={T},journal=J}\n@string(J={Two})\n@article{b,title={U},journal=j}"
    )
    records, report = take(text)
    assert [record.venue for record in records if isinstance(record, Paper)] == ["One", "Two"]
    assert (report.skipped, report.warned) == (0, 0)


def test_comments_and_preambles_are_no_entries(take: Take) -> None:
    """@comment, @preamble, JabRef's metadata, prose with an address in it: nothing of that is a record."""
    text = (
        "write to me@example.org\n@Comment SOV\n@comment{@article{x, title={X}}}\n"
        '@preamble{"\\newcommand{\\x}{y}"}\n%@misc{y, title={Commented out, but BibTeX reads it}}\n' + BEFORE
    )
    records, report = take(text)
    assert ids(records) == ["y", "before"]
    assert report.skipped == 0


def test_the_first_of_two_fields_counts(take: Take) -> None:
    """As in BibTeX; field names ignore case."""
    assert one(take, "@article{a, Title={First}, TITLE={Second}}").title == "First"


def test_the_first_of_two_entries_counts(take: Take) -> None:
    """The same paper twice under one key, as merged files have it, is a warning."""
    records, report = take(BEFORE * 2, strict=True)
    assert ids(records) == ["before"]
    assert report.warnings[0].line == 2


@pytest.mark.parametrize("year", ["n.d.", "in press", "20020", "forthcoming"])
def test_a_year_that_is_none(take: Take, year: str) -> None:
    """The paper stays, without a year and with a warning."""
    records, report = take(f"@article{{a, title={{T}}, year={{{year}}}}}", strict=True)
    assert records == [Paper("a", "T")]
    assert f"year '{year}' is not a year" in report.warnings[0].why


@pytest.mark.parametrize(
    ("fields", "year"),
    [
        ("year = 2002", 2002),
        ("year = {2002a}", 2002),
        ("year = {[2002]}", 2002),
        ("year = {(to appear), 2002}", 2002),
        ("date = {2002-07-06/2002-07-12}", 2002),
        ("year = {n.d.}, date = {2002}", 2002),
        ("month = jan", None),
    ],
)
def test_years(take: Take, fields: str, year: int | None) -> None:
    """A year in whatever company; biblatex's date where there is none."""
    records, report = take(f"@article{{a, title={{T}}, {fields}}}")
    assert records == [Paper("a", "T", year=year)]
    assert report.warned == 0


def test_old_encodings(take: Take) -> None:
    """A Latin-1 file, a byte order mark and carriage returns change nothing."""
    text = "@article{a,\n title={Größe},\n author={Müller, Jörg}\n}\n"
    expected = [Paper("a", "Größe", authors=("Jörg Müller",))]
    for data in (
        text.encode("latin-1"),
        text.encode("utf-8-sig"),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
    ):
        assert take(data)[0] == expected


def test_crossref_is_inherited_without_end(take: Take) -> None:
    """Parents of parents count, their keys ignore case, and a circle ends."""
    text = (
        "@inproceedings{a, title={A}, crossref={V}}\n@proceedings{v, title={Volume}, crossref={s}}\n"
        "@misc{s, title={Series}, year=2002, crossref={a}, editor={Ed Itor}}\n"
        "@misc{x, title={X}, crossref={gone}}"
    )
    records, _ = take(text)
    assert isinstance(records[0], Paper)
    assert (records[0].venue, records[0].year, records[0].authors) == ("Volume", 2002, ())
    assert records[3] == Paper("x", "X")


def test_a_doi_that_is_none(take: Take) -> None:
    """It is left out with a warning; a DOI in the address takes its place."""
    records, report = take("@misc{a, title={T}, doi={unknown}, url={https://doi.org/10.1000/XYZ}}")
    assert records == [Paper("a", "T", doi="10.1000/xyz", url="https://doi.org/10.1000/XYZ")]
    assert "'unknown' is not a DOI" in report.warnings[0].why


def test_many_entries_take_time_in_proportion(take: Take) -> None:
    """Eight times as many entries take eight times as long, or little more."""

    def read_entries(marks: str) -> int:
        """One entry a mark."""
        entries = (
            f"@article{{k{n}, title={{{{A}} Title {n}}}, author={{A, B}}}}\n" for n in range(len(marks))
        )
        return len(take("".join(entries))[0])

    assert read_entries("...") == 3
    assert_linear(read_entries, ".", size=2_000)


@pytest.mark.parametrize(
    "key",
    ["https://wall.example/?a=1&b=2#top", "roe=2001", "10.1/(AB)1:2<3::4>5;2-O", "o'neil~2", "é%2"],
)
def test_keys_with_unusual_characters(take: Take, key: str) -> None:
    """BibTeX ends a key at a comma or a space; an equals sign is part of one."""
    text = f"@misc{{{key}, title = {{A Wall}}, year = 2001}}\n@misc{{b, title = {{B}}}}\n"
    records, _ = take(text, strict=True)
    assert ids(records) == [key, "b"]


@pytest.mark.parametrize("field", ["year=2001", "year = {2001}", "volume=3", "title = {A Wall}"])
def test_a_field_is_no_key(take: Take, field: str) -> None:
    """An entry without a key begins with a field."""
    records, report = take(f"@misc{{{field}, title = {{A Wall}}, author = {{Ann Roe}}}}\n")
    assert ids(records)
    assert "has no key" in report.warnings[0].why
