"""Printed citations in plain text."""

from __future__ import annotations

import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from citewhy.base.records import Paper
from citewhy.text.markers import Resolver, find, mask, resolve

# text, then (marker, names, et al., years with suffix or numbers) of each marker
Expected = tuple[str, tuple[tuple[tuple[str, ...], bool, tuple[str, ...]], ...]]
FORMS: list[tuple[str, list[Expected]]] = [
    (
        "as shown (Brown et al., 1993; Och and Ney, 2003).",
        [
            (
                "(Brown et al., 1993; Och and Ney, 2003)",
                ((("Brown",), True, ("1993",)), (("Och", "Ney"), False, ("2003",))),
            )
        ],
    ),
    ("Collins (1999) parses.", [("Collins (1999)", ((("Collins",), False, ("1999",)),))]),
    ("In Collins (1999), it", [("Collins (1999)", ((("Collins",), False, ("1999",)),))]),
    ("Collins' (1999) parser", [("Collins' (1999)", ((("Collins",), False, ("1999",)),))]),
    ("Och and Ney’s (2003) tool", [("Och and Ney’s (2003)", ((("Och", "Ney"), False, ("2003",)),))]),
    ("Brown et al.'s (1993) model", [("Brown et al.'s (1993)", ((("Brown",), True, ("1993",)),))]),
    ("Haruno et al (1999) used", [("Haruno et al (1999)", ((("Haruno",), True, ("1999",)),))]),
    ("Shen et al., (2007) did", [("Shen et al., (2007)", ((("Shen",), True, ("2007",)),))]),
    ("parser (Pollard & Sag, 1994)", [("(Pollard & Sag, 1994)", ((("Pollard", "Sag"), False, ("1994",)),))]),
    ("it (see Smith, 2001, p. 4) is", [("(see Smith, 2001, p. 4)", ((("Smith",), False, ("2001",)),))]),
    ("it (cf. Smith 2001: 45) is", [("(cf. Smith 2001: 45)", ((("Smith",), False, ("2001",)),))]),
    ("it (Lin, 2003a, b)", [("(Lin, 2003a, b)", ((("Lin",), False, ("2003a", "2003b")),))]),
    ("Wu (1997; 2000) it", [("Wu (1997; 2000)", ((("Wu",), False, ("1997", "2000")),))]),
    ("it (Wu, 1997, 2000)", [("(Wu, 1997, 2000)", ((("Wu",), False, ("1997", "2000")),))]),
    ("[Devlin et al., 2018] it", [("[Devlin et al., 2018]", ((("Devlin",), True, ("2018",)),))]),
    ("Mitkov [1998] it", [("Mitkov [1998]", ((("Mitkov",), False, ("1998",)),))]),
    (
        "of Peng, Song, and Gildea (2015)",
        [("Peng, Song, and Gildea (2015)", ((("Peng", "Song", "Gildea"), False, ("2015",)),))],
    ),
    (
        "(van der Berg, Šnajder, and O’Hara, 2001)",
        [
            (
                "(van der Berg, Šnajder, and O’Hara, 2001)",
                ((("van der Berg", "Šnajder", "O’Hara"), False, ("2001",)),),
            )
        ],
    ),
    (
        "(Tjong Kim Sang and De Meulder, 2003)",
        [
            (
                "(Tjong Kim Sang and De Meulder, 2003)",
                ((("Tjong Kim Sang", "De Meulder"), False, ("2003",)),),
            )
        ],
    ),
    (
        "Daumé III and Marcu (2004)",
        [("Daumé III and Marcu (2004)", ((("Daumé III", "Marcu"), False, ("2004",)),))],
    ),
    ("(Boyd-Graber et al. 2007)", [("(Boyd-Graber et al. 2007)", ((("Boyd-Graber",), True, ("2007",)),))]),
    ("(Smith, J. A., 2001)", [("(Smith, J. A., 2001)", ((("Smith",), False, ("2001",)),))]),
    ("(LinandOch, 2004a)", [("(LinandOch, 2004a)", ((("Lin", "Och"), False, ("2004a",)),))]),
    ("(Papineniet al.,2002)", [("(Papineniet al.,2002)", ((("Papineni",), True, ("2002",)),))]),
    (
        "(mihalcea and pedersen, 2003)",
        [("(mihalcea and pedersen, 2003)", ((("mihalcea", "pedersen"), False, ("2003",)),))],
    ),
    ("(Web- ber, 1988)", [("(Web- ber, 1988)", ((("Web- ber",), False, ("1988",)),))]),
    ("(May and Knight, 2007)", [("(May and Knight, 2007)", ((("May", "Knight"), False, ("2007",)),))]),
    ("by See et al. (2017)", [("See et al. (2017)", ((("See",), True, ("2017",)),))]),
    (
        "(PMI, Church and Hanks, 1990)",
        [("Church and Hanks, 1990", ((("Church", "Hanks"), False, ("1990",)),))],
    ),
    ("(Smith et al., to appear)", [("(Smith et al., to appear)", ((("Smith",), True, ("",)),))]),
    ("cut here: Ouchi et al., 2017; and", [("Ouchi et al., 2017", ((("Ouchi",), True, ("2017",)),))]),
    (
        "(e.g., Miller (1998), Yarowsky (1993))",
        [
            ("Miller (1998)", ((("Miller",), False, ("1998",)),)),
            ("Yarowsky (1993)", ((("Yarowsky",), False, ("1993",)),)),
        ],
    ),
    ("as in [3, 5–7].", [("[3, 5–7]", (((), False, ("3", "5", "6", "7")),))]),
    ("as in [1]-[3].", [("[1]-[3]", (((), False, ("1", "2", "3")),))]),
    ("as [see 12] said", [("[see 12]", (((), False, ("12",)),))]),
    ("as in [5, p. 3]", [("[5, p. 3]", (((), False, ("5",)),))]),
    (
        "as B (1700)[1] and (Lin, 1998)[2]",
        [
            ("B (1700)", ((("B",), False, ("1700",)),)),
            ("[1]", (((), False, ("1",)),)),
            ("(Lin, 1998)", ((("Lin",), False, ("1998",)),)),
            ("[2]", (((), False, ("2",)),)),
        ],
    ),
    ("Brown et al. [12] say", [("Brown et al. [12]", ((("Brown",), True, ("12",)),))]),
]


@pytest.mark.parametrize(
    ("text", "expected"), FORMS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_printed_forms(text: str, expected: list[Expected]) -> None:
    """Marker, names, "et al.", years and numbers of the forms that papers print."""
    forms = []
    for marker in find(text):
        groups: dict[tuple[tuple[str, ...], bool], list[str]] = {}
        for group in marker.groups:
            said = str(group.number or group.year or "") + group.suffix
            groups.setdefault((group.names, group.et_al), []).append(said)
        parts = tuple((names, et_al, tuple(said)) for (names, et_al), said in groups.items())
        forms.append((text[marker.start : marker.end], parts))
    assert forms == expected


_OTHER_LANGUAGES = [
    ("Moose (vgl. Roe 2010, S. 12).", "(vgl. Roe 2010, S. 12)", ("Roe",), False),
    ("Moose (siehe Roe und Doe, 2010).", "(siehe Roe und Doe, 2010)", ("Roe", "Doe"), False),
    ("wie Roe und Doe (2010) zeigen", "Roe und Doe (2010)", ("Roe", "Doe"), False),
    ("wie Roe u. a. (2010) zeigen", "Roe u. a. (2010)", ("Roe",), True),
    ("Moose (Roe u.a., 2010).", "(Roe u.a., 2010)", ("Roe",), True),
    ("Moose (z. B. Roe 2010).", "(z. B. Roe 2010)", ("Roe",), False),
    ("Moose (zit. nach Roe 2010, 12 f.).", "(zit. nach Roe 2010, 12 f.)", ("Roe",), False),
    ("Laut Roe (2010) wachsen", "Roe (2010)", ("Roe",), False),
    ("Selon Roe (2010), la mousse", "Roe (2010)", ("Roe",), False),
    ("mousses (voir Roe et Doe, 2010 : 12)", "(voir Roe et Doe, 2010 : 12)", ("Roe", "Doe"), False),
    ("Roe et collaborateurs (2010)", "Roe et collaborateurs (2010)", ("Roe",), True),
    ("Según Roe (2010), el musgo", "Roe (2010)", ("Roe",), False),
    ("musgos (véase Roe y Doe, 2010, pág. 12)", "(véase Roe y Doe, 2010, pág. 12)", ("Roe", "Doe"), False),
    ("musgos (Roe y otros, 2010)", "(Roe y otros, 2010)", ("Roe",), True),
    ("Segundo Roe (2010), o musgo", "Roe (2010)", ("Roe",), False),
    ("musgos (ver Silva e Souza, 2010)", "(ver Silva e Souza, 2010)", ("Silva", "Souza"), False),
    ("musgos (SILVA; SOUZA, 2010, p. 12)", "(SILVA; SOUZA, 2010, p. 12)", ("SILVA", "SOUZA"), False),
    ("muschi (cfr. Roe ed Esposito 2010)", "(cfr. Roe ed Esposito 2010)", ("Roe", "Esposito"), False),
    ("muschi (si veda Roe ed altri, 2010)", "(si veda Roe ed altri, 2010)", ("Roe",), True),
    ("mossen (zie Roe en de Vries, 2010)", "(zie Roe en de Vries, 2010)", ("Roe", "de Vries"), False),
    ("mossen (Roe e.a., 2010)", "(Roe e.a., 2010)", ("Roe",), True),
    ("mchy (zob. Roe i Nowak, 2010)", "(zob. Roe i Nowak, 2010)", ("Roe", "Nowak"), False),
]


@pytest.mark.parametrize(("text", "marker", "names", "et_al"), _OTHER_LANGUAGES)
def test_printed_forms_of_other_languages(
    text: str, marker: str, names: tuple[str, ...], et_al: bool
) -> None:
    """What stands between names, for "et al.", before a citation and before pages."""
    (citation,) = find(text)
    assert text[citation.start : citation.end] == marker
    assert [(group.names, group.et_al, group.year) for group in citation.groups] == [(names, et_al, 2010)]


def test_a_surname_of_two_words() -> None:
    """Spanish names in an English sentence."""
    (citation,) = find("As Ortega y Gasset (1930) has shown, the masses are the ones who revolt.")
    assert citation.groups[0].names[-1] == "Gasset"
    assert "Ortega" not in citation.groups[0].names


@pytest.mark.parametrize("text", ["Roe und Doe (2010)", "Roe y Doe (2010)", "(ROE; DOE, 2010)"])
def test_citations_of_other_languages_resolve(text: str) -> None:
    """Two names are two authors."""
    two = Paper("two", "Moss", authors=("Ann Roe", "Bo Doe"), year=2010)
    one = Paper("one", "Shade", authors=("Bo Doe",), year=2010)
    assert resolve(find(text)[0].groups[0], [one, two]) is two


@pytest.mark.parametrize(
    "text",
    [
        "in 1999 (2000 sentences) we",
        "TREC 2003 and (ACL 2003)",
        "held in Prague (in June 2003)",
        "(since 1999)",
        "x[3] and [0, 1] and f(x)[2]",
        "the years (1999–2003)",
        "Section (2003)",
        "costs (1,999) or 2000%",
        "[sic] and [a, b] and []",
        "(12) and (3, 4)",
    ],
)
def test_numbers_that_are_no_citations(text: str) -> None:
    """Years without names, venues with years, intervals and indices are left alone."""
    assert find(text) == []


def test_in_text() -> None:
    """Names outside the bracket are words of the sentence; names inside are not."""
    assert [
        marker.in_text for marker in find("Collins (1999) and (Lin, 1998) and Och et al. [3] and [4]")
    ] == [
        True,
        False,
        True,
        False,
    ]


def test_mask_tells_targets_from_others() -> None:
    """Target and other citations get their placeholders; brackets, hints and page numbers stay."""
    text = "Collins (1999) beats (see Brown et al., 1993; Lin, 1998) and (Och, 2003, p. 4) [7]."
    targets = [
        group for marker in find(text) for group in marker.groups if group.names in {("Lin",), ("Collins",)}
    ]
    assert mask(text, targets) == "TARGETCIT beats (see TARGETCIT) and (OTHERCIT, p. 4) [OTHERCIT]."


# Resolving ------------------------------------------------------------------------------------------------

PAPERS = [
    Paper("J03-1002", "Alignment", authors=("Franz Josef Och", "Hermann Ney"), year=2003),
    Paper("P03-1021", "MERT", authors=("Franz Josef Och",), year=2003),
    Paper(
        "J93-2003",
        "MT",
        authors=("Peter Brown", "Stephen Della Pietra", "Vincent Della Pietra", "R. Mercer"),
        year=1993,
    ),
    Paper("J93-1001", "Pairs", authors=("Peter Brown", "Jane Doe"), year=1993),
    Paper("W03-0419", "NER", authors=("Erik F. Tjong Kim Sang", "Fien De Meulder"), year=2003),
    Paper("D07-1109", "Topics", authors=("Jordan Boyd-Graber", "David Blei", "Xiaojin Zhu"), year=2007),
    Paper("A-1", "One", authors=("Wei Wang", "Li Li", "Bo Bo"), year=2015),
    Paper("A-2", "Two", authors=("Hai Wang", "Lu Lu", "Ma Ma"), year=2015),
    Paper("A-3", "Three", authors=("Jan Šnajder", "Ana Dalbelo"), year=2012),
    Paper("A-4", "No year", authors=("Ann Smith",)),
    Paper("A-5", "Pair", authors=("Mark Lee", "Tom Hall"), year=1990),
]


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("(Och and Ney, 2003)", "J03-1002"),
        ("Och (2003)", "P03-1021"),
        ("(Brown et al., 1993)", "J93-2003"),  # three or more go before the pair
        ("Lee et al. (1990)", "A-5"),
        ("(Tjong Kim Sang and De Meulder, 2003)", "W03-0419"),
        ("(Boyd Graber et al., 2007)", "D07-1109"),
        ("(Boyd-Graber, Blei, and Zhu 2007)", "D07-1109"),
        ("(Snajder and Dalbelo, 2012)", "A-3"),
        ("For English, Och and Ney (2003) hold", "J03-1002"),
        ("For Dutch, Och and Ney (2003) hold", "J03-1002"),
        ("(Wang et al., 2015)", None),  # two fit
        ("(Och et al., 2003)", "J03-1002"),
        ("(Ney and Och, 2003)", None),  # order counts
        ("(Och and Ney, 2004)", None),
        ("(Smith, 2001)", None),
        ("[3]", None),
    ],
)
def test_resolve(text: str, paper: str | None) -> None:
    """Surnames, number of authors and year decide; none or several fitting papers give None."""
    meant = resolve(find(text)[0].groups[0], PAPERS)
    assert (meant.id if meant else None) == paper


def test_fits_lists_all_candidates() -> None:
    """Where several papers fit, all of them can be had."""
    group = find("(Wang et al., 2015b)")[0].groups[0]
    assert [paper.id for paper in Resolver(PAPERS).fits(group)] == ["A-1", "A-2"]


# Properties -----------------------------------------------------------------------------------------------

PIECES = st.lists(
    st.sampled_from(
        [
            "(",
            ")",
            "[",
            "]",
            ",",
            ";",
            "and",
            "&",
            "et",
            "al.",
            "al.",
            "Och",
            "Ney",
            "Brown",
            "Smith,",
            "Lin's",
            "van",
            "der",
            "Berg",
            "A.",
            "J.",
            "O'Hara",
            "1999",
            "2003a",
            "b",
            "2001,",
            "1987)",
            "(1999)",
            "(2003a,",
            "[12]",
            "[3,",
            "5–7]",
            "12",
            "–",
            "p.",
            "4",
            "see",
            "e.g.",
            "cf.",
            "In",
            "The",
            "TREC",
            "to",
            "appear",
            "May",
            "See",
            "the",
            "parser",
            ".",
            "\n\n",
        ]
    )
    | st.text(max_size=5),
    max_size=25,
)
TEXTS = st.text(max_size=200) | PIECES.map(" ".join) | PIECES.map("".join)


def assert_find_and_mask_agree(text: str) -> None:
    end = 0
    for marker in find(text):
        assert end <= marker.start < marker.end <= len(text)
        assert marker.groups
        previous = marker.start
        for group in marker.groups:
            assert previous <= group.start < group.end <= marker.end
            if group.number is None:
                previous = group.end
        assert all(group.year or group.number or "(" in text for group in marker.groups)
        end = marker.end
    masked = mask(text)
    assert find(masked) == []
    # Text outside the citations is as it was.
    rest = 0
    for piece in masked.split("OTHERCIT") if "OTHERCIT" not in text else []:
        place = text.find(piece, rest)
        assert place >= rest
        rest = place + len(piece)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_no_citation_survives_masking(text: str) -> None:
    """Places are in order and inside the text; after masking none is found; the rest is unchanged."""
    assert_find_and_mask_agree(text)


@pytest.mark.full
@settings(max_examples=10_000, deadline=None)
@given(TEXTS)
def test_no_citation_survives_masking_full(text: str) -> None:
    """The same, with the full number of examples."""
    assert_find_and_mask_agree(text)


SURNAMES = st.sampled_from(
    ["Och", "Šnajder", "van der Berg", "O'Hara", "Boyd-Graber", "Della Pietra", "Li", "McKeown"]
)


@st.composite
def citations(draw: st.DrawFn) -> tuple[str, tuple[str, ...], bool, int, str]:
    names = tuple(draw(st.lists(SURNAMES, min_size=1, max_size=3, unique=True)))
    et_al = len(names) == 1 and draw(st.booleans())
    year, suffix = draw(st.integers(1900, 2029)), draw(st.sampled_from(["", "", "a", "b"]))
    glue = draw(st.sampled_from([" and ", " & "]))
    printed = names[0] + " et al." if et_al else glue.join(filter(None, [", ".join(names[:-1]), names[-1]]))
    form = draw(
        st.sampled_from(["({}, {})", "({} {})", "[{}, {}]", "{} ({})", "(see {}, {}, p. 7)", "{}'s ({})"])
    )
    return form.format(printed, f"{year}{suffix}"), names, et_al, year, suffix


@settings(max_examples=200, deadline=None)
@given(st.lists(citations(), min_size=1, max_size=4))
def test_what_is_printed_is_found(cited: list[tuple[str, tuple[str, ...], bool, int, str]]) -> None:
    """Citations in the usual forms, put into a sentence, come back with names, year and place."""
    text = "we follow " + " but also ".join(printed for printed, *_ in cited) + " here."
    groups = [
        (text[m.start : m.end], g.names, g.et_al, g.year, g.suffix) for m in find(text) for g in m.groups
    ]
    assert groups == cited


@pytest.mark.parametrize(
    "unit",
    ["(", "[", "A et al. ", "Smith, ", "(Och 1999", "1999 ", "[1", "[1] ", "(a", "A and B ", "2003a, b ", ")",
     "[@", "A ", "(1999) ", "Och (1999 "],
)  # fmt: skip
def test_time_grows_with_length_only(unit: str) -> None:
    """Eight times as much of one thing takes eight times as long, or little more."""
    assert_linear(mask, unit)
