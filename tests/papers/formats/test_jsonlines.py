"""Papers, contexts and full texts as JSON lines: one bad row never takes others with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citewhy.base.errors import InputError, TooLargeError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Context, FullText, Paper, Sentence
from citewhy.papers.formats import Record, read
from citewhy.text import source

Take = Callable[..., tuple[list[Record], ImportReport]]

GOOD = '{"id": "P02-1040", "title": "Bleu", "year": 2002}'
BLEU = Paper("P02-1040", "Bleu", year=2002)


def test_a_paper_has_all_its_fields(take: Take) -> None:
    """Known fields are taken, DOIs normalised, others ignored."""
    row = {
        "id": "P02-1040",
        "title": " Bleu:\na  Method ",
        "abstract": "Scores.",
        "authors": ["Kishore Papineni", "Salim Roukos"],
        "year": "2002",
        "venue": "ACL",
        "doi": "https://doi.org/10.3115/1073083.1073135",
        "url": "https://aclanthology.org/P02-1040",
        "language": "eng",
        "abstract_source": "anthology",
    }
    records, report = take(json.dumps(row))
    assert records == [
        Paper(
            "P02-1040",
            "Bleu: a Method",
            "Scores.",
            ("Kishore Papineni", "Salim Roukos"),
            2002,
            "ACL",
            "10.3115/1073083.1073135",
            "https://aclanthology.org/P02-1040",
        )
    ]
    assert (report.skipped, report.warned) == (0, 0)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("[1, 2]", "expected a JSON object, found list"),
        ('"text"', "expected a JSON object, found str"),
        ("null", "expected a JSON object, found NoneType"),
        ("{", "not JSON"),
        ('{"id": "A", "title": "T", "year": NaN}', "not JSON"),
        ('{"id": "A", "title": "half \\ud83d of a pair"}', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"a":' * 100_000, "not JSON"),
        ('{"title": "No id"}', "no id"),
        ('{"id": "", "title": "No id"}', "no id"),
        ('{"id": ["A"], "title": "T"}', "id is"),
        ('{"id": "A"}', "paper 'A' has no title"),
        ('{"id": "A", "title": " \\n"}', "paper 'A' has no title"),
    ],
)
def test_a_bad_row_is_skipped_and_named(take: Take, row: str, why: str) -> None:
    """The good rows around a bad one are read; the report has its line and reason; strict makes it fail."""
    records, report = take(f'{GOOD}\n{row}\n{{"id": "B", "title": "After"}}\n')
    assert records == [BLEU, Paper("B", "After")]
    assert report.skipped == 1
    assert report.skips[0].line == 2
    assert why in report.skips[0].why
    with pytest.raises(InputError, match=r":2: "):
        take(f"{GOOD}\n{row}\n", strict=True)


def test_bytes_that_are_not_utf8_cost_one_row(take: Take) -> None:
    """Only the row with the bad byte is lost."""
    records, report = take(GOOD.encode() + b'\n{"id": "A", "title": "B\xe4d"}\n{"id": "B", "title": "After"}')
    assert records == [BLEU, Paper("B", "After")]
    assert [problem.line for problem in report.skips] == [2]


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("year", "n.d.", "year 'n.d.' is not a year"),
        ("year", 20020, "year '20020' is not a year"),
        ("year", True, "year 'True' is not a year"),
        ("year", {"a": 1}, "is not a year"),
        ("doi", "not a doi", "'not a doi' is not a DOI"),
        ("doi", 7, "'7' is not a DOI"),
        ("authors", "Kishore Papineni", "authors is not a list of names"),
        ("authors", [{"name": "K"}], "authors is not a list of names"),
        ("abstract", 5, "abstract is not text"),
        ("venue", ["ACL"], "venue is not text"),
    ],
)
def test_a_bad_field_is_left_empty_with_a_warning(take: Take, field: str, value: object, why: str) -> None:
    """The paper stays; what was wrong with it is warned about, also in a strict import."""
    row = {"id": "P02-1040", "title": "Bleu", field: value}
    records, report = take(json.dumps(row), strict=True)
    assert records == [Paper("P02-1040", "Bleu")]
    assert report.warned == 1
    assert why in report.warnings[0].why


@pytest.mark.parametrize(
    ("given", "year"), [(2002, 2002), ("2002", 2002), (2002.0, 2002), ("July 2002", 2002), (None, None)]
)
def test_a_year_may_be_written_in_many_ways(take: Take, given: object, year: int | None) -> None:
    """Numbers and texts that name one year are that year."""
    records, report = take(json.dumps({"id": "A", "title": "T", "year": given}))
    assert records == [Paper("A", "T", year=year)]
    assert report.warned == 0


def test_the_first_row_of_an_id_counts(take: Take) -> None:
    """A repetition under the same title, whatever its case, is a warning and not another paper."""
    records, report = take(
        f'{GOOD}\n{{"id": "P02-1040", "title": "BLEU", "abstract": "Second."}}\n', strict=True
    )
    assert records == [BLEU]
    assert "occurs twice" in report.warnings[0].why


def test_line_ends_and_byte_order_mark_do_not_matter(take: Take) -> None:
    """A file from another system gives the same papers, and the same line numbers."""
    records, report = take(f"\ufeff{GOOD}\r\n\r\n{{}}\r\n")
    assert records == [BLEU]
    assert [problem.line for problem in report.skips] == [3]


def test_an_endless_line_is_too_large(take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row over the limit is a TooLargeError that says where; it is not read into memory first."""
    monkeypatch.setattr(source, "MAX_LINE", 1000)
    row = json.dumps({"id": "A", "title": "T", "abstract": "x" * 1000})
    with pytest.raises(TooLargeError) as caught:
        take(f"{GOOD}\n{row}\n")
    assert caught.value.line == 2


def test_contexts(toy: Path) -> None:
    """Contexts keep their placeholders, their cited papers in order, and the year of the citing paper."""
    contexts = [
        record for record in read(toy / "contexts.jsonl", ImportReport()) if isinstance(record, Context)
    ]
    assert contexts[10] == Context(
        "P07-2045_3",
        "P07-2045",
        ("N03-1017", "P03-1021"),
        "A complete system needs phrase extraction (TARGETCIT), a language model (OTHERCIT) and tuning "
        "(TARGETCIT).",
        2007,
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"context_id": None}, "no context_id"),
        ({"citing_id": ""}, "no citing_id"),
        ({"cited_ids": []}, "cited_ids is not a list of paper ids"),
        ({"cited_ids": "P02-1040"}, "cited_ids is not a list of paper ids"),
        ({"cited_ids": ["P02-1040", 5]}, "cited_ids is not a list of paper ids"),
        ({"text": ""}, "has no text"),
        ({"text": 5}, "has no text"),
    ],
)
def test_a_bad_context_is_skipped(take: Take, changes: dict[str, object], why: str) -> None:
    """A context without an id, a citing paper, cited papers or a text says nothing."""
    good = {"context_id": "A_1", "citing_id": "A", "cited_ids": ["B", "B"], "text": "As TARGETCIT show."}
    records, report = take(json.dumps(good) + "\n" + json.dumps({**good, "context_id": "A_2", **changes}))
    assert records == [Context("A_1", "A", ("B",), "As TARGETCIT show.")]
    assert why in report.skips[0].why


def test_full_texts_come_in_order(take: Take) -> None:
    """Sentences are sorted by number; extra fields are ignored."""
    rows = [
        {"sid": 1, "text": "One.", "section": "abstract"},
        {"sid": 0, "text": "Title", "section": "title", "x": 1},
    ]
    records, _ = take(json.dumps({"id": "A", "sentences": rows}))
    assert records == [FullText("A", (Sentence(0, "title", "Title"), Sentence(1, "abstract", "One.")))]


@pytest.mark.parametrize(
    "sentences",
    [
        [],
        "text",
        ["text"],
        [{"sid": "1", "text": "x"}],
        [{"sid": True, "text": "x"}],
        [{"sid": -1, "text": "x"}],
        [{"sid": 10**30, "text": "x"}],
        [{"sid": 1}],
        [{"sid": 1, "text": "x"}, {"sid": 1, "text": "y"}],
    ],
)
def test_a_bad_full_text_is_skipped(take: Take, sentences: object) -> None:
    """Sentence numbers are how passages are named, so a text in which they are wrong is left out whole."""
    good = {"id": "A", "sentences": [{"sid": 0, "text": "Title"}]}
    records, report = take(json.dumps(good) + "\n" + json.dumps({"id": "B", "sentences": sentences}))
    assert [record.paper_id for record in records if isinstance(record, FullText)] == ["A"]
    assert report.skipped == 1
