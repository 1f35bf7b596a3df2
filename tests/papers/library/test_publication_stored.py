"""What a library keeps of a publication."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

from citewhy.base.records import Name, Paper, Publication, SourceEntry
from citewhy.papers.library.store import Library
from citewhy.text.codec import read_paper

WHO = Name.literal("World Health Organization")
PAPER = Paper(
    "garcia2015",
    "A report",
    authors=(Name("Gabriel", "García Márquez"), WHO, "Ann Lee"),
    year=2015,
    publication=Publication(
        "report", editors=(Name("Jan", "Berg", "van der"),), publisher="WHO Press", keywords=("malaria",)
    ),
    source=SourceEntry("BibTeX", "@techreport{garcia2015, title = {A report}}", "garcia2015", "refs.bib"),
)


def test_publication_source_and_parts_of_names_come_back(tmp_path: Path) -> None:
    """A library gives what was added: the parts of names, the publication and its source entry."""
    with Library.open(tmp_path, create=True) as library:
        library.add([PAPER])
        stored = library.paper("garcia2015")
    assert stored == PAPER
    assert stored.publication == PAPER.publication
    assert stored.source == PAPER.source
    first, second, third = stored.authors
    assert isinstance(first, Name)
    assert (first.given, first.family) == ("Gabriel", "García Márquez")
    assert isinstance(second, Name)
    assert second.is_literal
    assert not isinstance(third, Name)


def test_a_record_of_an_older_version_is_read() -> None:
    """What it never had is unknown."""
    paper = read_paper("a", b'["T","",["Ann Lee"],1999,"Venue","10.1/a",""]')
    assert paper == Paper("a", "T", "", ("Ann Lee",), 1999, "Venue", "10.1/a")
    assert paper.publication is None
    assert paper.source is None


def test_names_survive_copying_and_pickling() -> None:
    """A copy of a name has its parts."""
    name = Name("Ludwig", "Beethoven", suffix="Jr.", dropping="van")
    for same in (pickle.loads(pickle.dumps(name)), copy.deepcopy(name)):
        assert (same, same.dropping, same.suffix) == (name, "van", "Jr.")
    assert copy.copy(WHO).is_literal
