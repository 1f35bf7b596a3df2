"""Folders of CL-SciSumm, in the layouts of their releases."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citance
from citewhy_lab.evaluate.corpora.clscisumm import read_clusters
from citewhy_lab.evaluate.datasets import linkage

FIELDS = "Citance Number,Reference Article,Citing Article,Citation Text,Reference Offset,Reference Text"
PAPER = (
    '<PAPER>\n<S sid="0">A Tagger</S>\n<ABSTRACT>\n<S sid="1">We tag words.</S>\n</ABSTRACT>\n'
    '<S sid="2">It was trained on a large corpus.</S>\n<S sid="3">It is fast and small enough.</S>\n</PAPER>'
)


def record(number: int, **other: str) -> str:
    """A record of the first layout; a field that is None is left out."""
    fields = {
        "Citance Number": str(number),
        "Reference Article": "A00-1031.txt",
        "Citing Article": "W00-1326.xml",
        "Citation Marker Offset": "['7']",
        "Citation Text": '<S sid ="7" ssid = "1">They tag (Brants, 2000).</S>',
        "Reference Offset": "['1']",
        "Discourse Facet": "Method_Citation",
    }
    fields |= {name.replace("_", " "): value for name, value in other.items()}
    return "".join(f"{name}:  {value} | " for name, value in fields.items()) + "\n\n\n"


def cluster(folder: Path, annotation: str | bytes, name: str = "A00-1031.ann.txt") -> Path:
    """A cluster with its cited paper, and a file of annotations."""
    (folder / "Reference_XML").mkdir(parents=True, exist_ok=True)
    (folder / "annotation").mkdir(exist_ok=True)
    (folder / "Reference_XML" / "A00-1031.xml").write_text(PAPER)
    data = annotation.encode() if isinstance(annotation, str) else annotation
    (folder / "annotation" / name).write_bytes(data)
    return folder


def citances(folder: Path, report: ImportReport | None = None) -> list[Citance]:
    return [
        one
        for linked in read_clusters(folder, report or ImportReport(strict=True))
        for one in linked.citances
    ]


def whys(report: ImportReport) -> list[str]:
    return [problem.why for problem in report.skips]


def test_the_toy_cluster(toy: Path) -> None:
    """Several citing sentences are one text, several targets rising numbers; bars in texts are no fields."""
    report = ImportReport(strict=True)
    (found,) = read_clusters(toy / "clscisumm", report)
    assert (found.text.paper_id, found.release) == ("P02-1040", "clscisumm")
    assert found.citances == (
        Citance(
            "P02-1040_1",
            "P03-1021",
            "P02-1040",
            "BLEU (Papineni et al., 2002) counts n-grams. Short candidates are punished.",
            (4, 6),
            ("method", "aim"),
        ),
        Citance(
            "P02-1040_2",
            "P07-2045",
            "P02-1040",
            "The score of Papineni et al. (2002) is p(f | e).",
            (2,),
            ("results",),
        ),
    )
    assert report.read == {"clusters": 1, "citances": 2}
    assert report.warnings == []


def test_the_task_takes_a_folder(toy: Path) -> None:
    """`evaluate linkage` and training read clusters as they are published."""
    (found,) = linkage.read_clusters(toy / "clscisumm", ImportReport())
    assert (found.id, len(found.citances), found.release) == ("P02-1040", 2, "clscisumm")
    with pytest.raises(InputError, match="no cluster of CL-SciSumm"):
        linkage.read_clusters(toy / "clscisumm" / "P02-1040" / "Citance_XML", ImportReport())


def test_the_folder_may_be_a_cluster_with_a_role_in_its_name(tmp_path: Path) -> None:
    """``A00-1031_TRAIN`` is about A00-1031, in the release that its parent names."""
    folder = cluster(tmp_path / "Training-Set-2016" / "A00-1031_TRAIN", record(1))
    (found,) = read_clusters(folder, ImportReport(strict=True))
    assert (found.text.paper_id, found.release) == ("A00-1031", "Training-Set-2016")
    assert found.citances[0].id == "A00-1031_1"


@pytest.mark.parametrize(
    ("offsets", "sids"),
    [
        ("['1','3']", (1, 3)),
        ("['3', '1']", (1, 3)),
        ("[3', '1', '1']", (1, 3)),
        ("['0']", (0,)),
        ("1,2", (1, 2)),
        ("[1, 2, 3]", (1, 2, 3)),
    ],
)
def test_numbers_of_sentences_as_people_write_them(
    tmp_path: Path, offsets: str, sids: tuple[int, ...]
) -> None:
    """Quotes and their absence, any order, any number."""
    (found,) = citances(cluster(tmp_path / "A00-1031", record(1, Reference_Offset=offsets)))
    assert found.target_sids == sids


@pytest.mark.parametrize(
    ("facets", "names"),
    [
        ("Method_Citation", ("method",)),
        ("['Implication_Citation','Results_Citation']", ("implication", "results")),
        ("Result_Citation, Results_Citation", ("results",)),
        ("Hypothesis_Facet", ("hypothesis",)),
        ("NA", ()),
    ],
)
def test_facets_have_one_name_each(tmp_path: Path, facets: str, names: tuple[str, ...]) -> None:
    """In the order in which they stand, whatever the release calls them."""
    (found,) = citances(cluster(tmp_path / "A00-1031", record(1, Discourse_Facet=facets)))
    assert found.facets == names


def test_texts_are_mended(tmp_path: Path) -> None:
    """Tags left open, encodings, entities; records that follow without a blank line or a number."""
    one = record(1, Citation_Text='<S sid ="7" ssid = "1">a â€œweakâ€\x9d &amp; small tagger').rstrip("\n")
    other = record(2, Citation_Text="plain, no tags").replace("Citance Number:  2 | ", "")
    found = citances(cluster(tmp_path / "A00-1031", (one + "\n" + other).encode() + b"\x93"))
    assert [(citance.id, citance.text) for citance in found] == [
        ("A00-1031_1", "a “weak” & small tagger"),
        ("A00-1031_2", "plain, no tags"),
    ]


def test_what_links_nothing_is_named_and_skipped(tmp_path: Path) -> None:
    """Each with its line and a reason of its own; a target that does not exist is named, the others stay."""
    text = (
        record(1, Citation_Text="<S sid = NA ssid = NA></S>")
        + record(2, Reference_Offset="['9']")
        + record(3, Reference_Offset="NA")
        + record(4, Reference_Article="P99-1001.txt")
        + record(5, Citing_Article="")
        + record(6, Reference_Offset="['2','77']")
    )
    report = ImportReport()
    (found,) = citances(cluster(tmp_path / "A00-1031", text), report)
    assert (found.id, found.target_sids) == ("A00-1031_6", (2,))
    assert [(problem.line, problem.why) for problem in report.skips] == [
        (1, "citance A00-1031_1 has no text"),
        (4, "citance A00-1031_2 has no target in A00-1031"),
        (7, "citance A00-1031_3 has no target in A00-1031"),
        (10, "citance A00-1031_4 is about P99-1001, not A00-1031"),
        (13, "citance A00-1031_5 has no citing article"),
    ]
    assert [(problem.line, problem.why) for problem in report.warnings] == [
        (4, "citance A00-1031_2: A00-1031 has no sentence 9"),
        (16, "citance A00-1031_6: A00-1031 has no sentence 77"),
    ]


def test_a_number_that_does_not_fit_its_quotation_is_warned_about(tmp_path: Path) -> None:
    """The number counts; a quotation that was cut or corrected fits."""
    text = record(1, Reference_Offset="['3']", Reference_Text='<S sid ="3">Something else altogether.</S>')
    text += record(2, Reference_Offset="['3']", Reference_Text="<S sid='3'>fast and small</S>")
    report = ImportReport()
    found = citances(cluster(tmp_path / "A00-1031", text), report)
    assert [citance.target_sids for citance in found] == [(3,), (3,)]
    assert [problem.why for problem in report.warnings] == [
        "citance A00-1031_1: sentence 3 of A00-1031 differs from the quotation; the number is used"
    ]


@pytest.mark.parametrize(
    ("offsets", "quoted", "sids"),
    [
        ("NA", "<S sid = NA ssid = NA>A Tagger</S><S sid = NA>We tag words.</S>", (0, 1)),
        ("['3507-3826', '12-99']", "It was trained on a large corpus. It is fast and small enough.", (2, 3)),
        ("['3507-3826']", "it was trained on a large Corpus", (2,)),
        ("['3507-3826']", "trained on a large ... fast and small enough", (2, 3)),
    ],
)
def test_where_there_are_no_numbers_quotations_count(
    tmp_path: Path, offsets: str, quoted: str, sids: tuple[int, ...]
) -> None:
    """The automatic sets have no numbers, the pilot of 2014 has places in texts that are not published."""
    text = record(1, Reference_Offset=offsets, Reference_Text=quoted)
    (found,) = citances(cluster(tmp_path / "A00-1031", text))
    assert found.target_sids == sids


def test_a_table_says_the_same(tmp_path: Path) -> None:
    """The layout of 2018: commas and quotes, a cleaned text where there is one, empty fields."""
    folder = cluster(tmp_path / "A00-1031", "", "A00-1031_someone.csv")
    with (folder / "annotation" / "A00-1031_someone.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*FIELDS.split(","), "Citation Text Clean", "Discourse Facet"])
        table.writerow([2, "A00-1031", "N10-1002", 'A "raw? s", text', "['1','3']", "", "", "Aim_Citation"])
        table.writerow([3, "A00-1031", "N10-1002", "raw? s", "1,3", "", "clean's", "['Method_Citation']"])
        table.writerow([4, "A00-1031", "N10-1002", "no target", "", "", "", ""])
        table.writerow([5, "A00-1031"])
    report = ImportReport()
    found = citances(folder, report)
    assert [(citance.id, citance.text, citance.target_sids, citance.facets) for citance in found] == [
        ("A00-1031_2", 'A "raw? s", text', (1, 3), ("aim",)),
        ("A00-1031_3", "clean's", (1, 3), ("method",)),
    ]
    assert [(problem.line, problem.why) for problem in report.skips] == [
        (4, "citance A00-1031_4 has no target in A00-1031"),
        (5, "citance A00-1031_5 has no text"),
    ]


def test_a_table_with_an_open_quote_breaks_off_with_a_word(tmp_path: Path) -> None:
    """What stood before it is read."""
    rows = f'{FIELDS}\n1,A00-1031,N10-1002,text,1,\n2,A00-1031,N10-1002,"open{"x" * 200_000}'
    report = ImportReport()
    assert len(citances(cluster(tmp_path / "A00-1031", rows, "a.csv"), report)) == 1
    assert "the table is truncated" in whys(report)[0]


def test_the_newest_annotations_count_and_people_are_united(tmp_path: Path) -> None:
    """Version 3 before all others; two people's targets of one citance are one set; a number that stands for
    two citances names both."""
    folder = cluster(tmp_path / "A00-1031", record(1, Reference_Offset="['0']"))
    cluster(folder, record(1, Reference_Offset="['2']"), "A00-1031.annv2.txt")
    cluster(folder, record(1, Reference_Offset="['3']"), "A00-1031_ann.annv3.txt")
    other = record(1, Reference_Offset="['1']", Discourse_Facet="Aim_Citation")
    cluster(folder, other + record(1, Citing_Article="W99-0001"), "A00-1031_bob.annv3.txt")
    assert [(citance.id, citance.target_sids, citance.facets) for citance in citances(folder)] == [
        ("A00-1031_1", (1, 3), ("method", "aim")),
        ("A00-1031_1.2", (1,), ("method",)),
    ]


def test_a_cluster_of_several_releases_counts_once(tmp_path: Path) -> None:
    """Else a cluster that is held out would be trained on; the first by path stays."""
    for release in ("Test-Set-2016", "Training-Set-2017"):
        cluster(tmp_path / release / "A00-1031", record(1))
    report = ImportReport()
    (found,) = read_clusters(tmp_path, report)
    assert found.release == "Test-Set-2016"
    assert "is in" in whys(report)[0]


def test_damaged_clusters_do_not_stop_the_others(tmp_path: Path) -> None:
    """No cited paper, one without sentences, no annotations, annotations of another kind: each is named."""
    (cluster(tmp_path / "A00-0001", record(1)) / "Reference_XML" / "A00-1031.xml").unlink()
    (cluster(tmp_path / "A00-0002", record(1)) / "Reference_XML" / "A00-1031.xml").write_text("<PAPER/>")
    (cluster(tmp_path / "A00-0003", record(1)) / "annotation" / "A00-1031.ann.txt").unlink()
    cluster(tmp_path / "A00-0004", "Once upon a time")
    cluster(tmp_path / "A00-0005", record(1, Reference_Article=""), "A00-0005.txt")
    cluster(tmp_path / "A00-0006", record(1, Reference_Article="", Reference_Offset=""))
    report = ImportReport()
    (found,) = read_clusters(tmp_path, report)
    assert found.text.paper_id == "A00-0005"
    assert whys(report) == [
        "the cited paper A00-0001 is missing",
        "no sentence <S sid=…> is in the file",
        "the folder has no annotations",
        "neither fields such as 'Citance Number:' nor a table of them",
        "citance A00-0006_1 has no target in A00-0006",
        "no citance is linked to a sentence of A00-0006",
    ]
    with pytest.raises(InputError, match="A00-0001 is missing"):
        list(read_clusters(tmp_path, ImportReport(strict=True)))


@pytest.mark.parametrize("where", ["A00-1031/A00-1031.xml", "Documents_TXT/A00-1031.txt"])
def test_the_cited_paper_may_lie_elsewhere(tmp_path: Path, where: str) -> None:
    """In a folder of its own name, or in 2014 as plain text, of which the sentences are counted."""
    folder = cluster(
        tmp_path / "A00-1031", record(1, Reference_Offset="['1-9']", Reference_Text="We tag words.")
    )
    (folder / "Reference_XML" / "A00-1031.xml").unlink()
    (folder / where).parent.mkdir()
    (folder / where).write_text(PAPER if where.endswith("xml") else "A Tagger\nWe tag words. It is fast.\n")
    (found,) = read_clusters(folder, ImportReport(strict=True))
    assert found.citances[0].target_sids == (1,)
    assert [sentence.text for sentence in found.text.sentences][:2] == ["A Tagger", "We tag words."]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """With its path, and what to do."""
    with pytest.raises(InputError, match="no such folder"):
        list(read_clusters(tmp_path / "nowhere", ImportReport()))
