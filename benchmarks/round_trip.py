"""How much of real bibliographies comes back from an export.

    python benchmarks/round_trip.py DIR [--files N]

Every entry of the .bib files below DIR, as the library stores it, is written as BibTeX and compared with the
file, field by field with macros expanded and with what it inherits. It is also written as CSL-JSON and as RIS
and read again: by type, the share of the fields of the record that come back equal.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper, Publication
from citewhy.papers.formats import bibtex, csl, tagged
from citewhy.text.bibtex_values import REFERENCES, inherited
from citewhy.text.codec import paper_data, read_paper
from citewhy.text.identifiers import without_identifiers
from citewhy.text.person import parts
from citewhy.writers import bibtex as as_bibtex
from citewhy.writers import csl as as_csl
from citewhy.writers import ris as as_ris

_OF_PAPER = ("title", "authors", "year", "doi", "url", "abstract")


def known(paper: Paper) -> dict[str, object]:
    """The fields of a record that are not empty; people with the parts of their names."""
    of_paper = {name: getattr(paper, name) for name in _OF_PAPER}
    publication = paper.publication or Publication()
    values = {each.name: getattr(publication, each.name) for each in fields(Publication)}
    values |= of_paper | {"title with markup": publication.title}
    values["note"] = without_identifiers(publication.note)[0]  # identifiers in it become fields of their own
    return {
        name: [str(parts(each).__reduce__()) for each in value]
        if name in ("authors", "editors", "translators")
        else value
        for name, value in values.items()
        if value
    }


def entries_of(path: Path) -> Iterator[tuple[bibtex.Entry, Mapping[str, str]]]:
    """The titled entries of a file, each with its fields and those that it inherits; none if it cannot be
    read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        entries = bibtex.read_entries(text, str(path), [])
    except (CiteWhyError, OSError):
        return
    by_key = {entry.key.lower(): entry.fields for entry in reversed(entries)}
    seen: set[str] = set()
    for entry in entries:
        if entry.paper.title and entry.key.lower() not in seen and entry.kind != "bibitem":
            seen.add(entry.key.lower())
            yield entry, complete(entry, by_key)


def complete(entry: bibtex.Entry, by_key: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """The fields of an entry, and those that it inherits from others, instead of the names of these."""
    fields = inherited(entry.key, entry.fields, by_key, [1_000_000])
    more = fields.keys() != entry.fields.keys()
    if more and entry.kind == "inbook" and "title" not in fields:  # BibTeX's inbook inherits it as it is
        fields = {**fields, "title": fields["booktitle"]}
    return {name: value for name, value in fields.items() if not more or name not in REFERENCES}


def is_kept(entry: bibtex.Entry, fields: Mapping[str, str], paper: Paper) -> bool:
    """Whether the entry that is written has the type and the `fields` of the file, but for white space."""
    written = bibtex.read_entries(as_bibtex.entries([paper]), "written.bib", [])
    if len(written) != 1 or (written[0].kind, written[0].key) != (entry.kind, entry.key):
        return False
    again, own = ({name: " ".join(one[name].split()) for name in one} for one in (written[0].fields, fields))
    return again == own


def read_again(paper: Paper, folder: Path, form: str) -> Paper | None:
    """The paper that is read from its export in a format."""
    write, read = {"RIS": (as_ris.entries, tagged.read_ris), "CSL-JSON": (as_csl.entries, csl.read)}[form]
    path = folder / "export"
    path.write_text(write([replace(paper, source=None)]), encoding="utf-8")
    papers = [each for each in read(path, ImportReport()) if isinstance(each, Paper)]
    return papers[0] if len(papers) == 1 else None


def print_table(form: str, kept: Mapping[tuple[str, str], int], given: Mapping[tuple[str, str], int]) -> None:
    """Prints the share of the fields that are kept, by type and by field."""
    print(f"\n{form}: share of the fields kept, and how many there are")
    for position, title in enumerate(("type", "field")):
        totals: Counter[str] = Counter()
        equal: Counter[str] = Counter()
        for pair, count in given.items():
            totals[pair[position]] += count
            equal[pair[position]] += kept.get(pair, 0)
        print(f"by {title}")
        for name, count in totals.most_common():
            print(f"  {name or '(none)':<22} {equal[name] / count:6.3f} {count:7}")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DIR")
    parser.add_argument("--files", type=int, help="read only so many files", metavar="N")
    chosen = parser.parse_args()
    paths = sorted(chosen.data.rglob("*.bib"))[: chosen.files]
    entries = equal = 0
    given: Counter[tuple[str, str]] = Counter()
    kept = {form: Counter[tuple[str, str]]() for form in ("CSL-JSON", "RIS")}
    with tempfile.TemporaryDirectory() as folder:
        for entry, complete_fields in (entry for path in paths for entry in entries_of(path)):
            paper = read_paper(entry.key, paper_data(entry.paper))
            entries += 1
            if is_kept(entry, complete_fields, paper):
                equal += 1
            else:
                print(f"not equal: {entry.key}", flush=True)
            of_record = known(paper)
            kind = str(of_record.get("type", ""))
            given.update((kind, name) for name in of_record)
            for form, counts in kept.items():
                again = read_again(paper, Path(folder), form)
                found = known(again) if again else {}
                counts.update((kind, name) for name, value in of_record.items() if found.get(name) == value)
    print(f"\nBibTeX: {equal} of {entries} entries equal field by field ({equal / max(entries, 1):.4f})")
    for form, counts in kept.items():
        print_table(form, counts, given)


if __name__ == "__main__":
    main()
