"""How often printed citations are resolved to papers, and how often rightly (`answers.resolve`).

    python benchmarks/in_text.py [--data DIR] [--drafts DIR] [--errors]

- *citing sentences*: those of contexts.train whose sentence is in the full texts, citations as printed
  (fulltext.citing). What is asked is the one citation whose first author and year are those of the cited
  paper. Every cited paper is in the library, as it never is in life.
- *drafts*: every paper that a finished draft cites, in the library or not, as natbib prints it ("(Och and
  Ney, 2003)", with a letter where two have one form), at each of its places. The right answer is the paper
  with nearly the same title and first author. `AGREEMENT` was chosen on the drafts until 2016.
- *entries*: the entries of the bibliographies beside the drafts that name an id of the Anthology, without it.

The library has the papers of the data folder. *Answered*: a share of all citations. Precision is right /
answered, with Wilson's 95 % interval. *Names and year alone*: without the agreement of the text.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from citewhy.answers.resolve.in_text import AGREEMENT, InTextResolver
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, FullText, Manuscript, Paper
from citewhy.drafts import read
from citewhy.papers.formats import read as read_records
from citewhy.text.author_year import Group
from citewhy.text.markers import find
from citewhy.text.names import surname, title_key
from citewhy.text.tokens import words
from citewhy_lab.evaluate.datasets.lines import Line, objects
from common import parser as shared_parser
from common import wilson

TUNED_UNTIL = 2016
SAME_SENTENCE = 0.6
"""Minimum Jaccard similarity of the words of a context and of its sentence in the full text."""
ALIKE = 0.85
"""Minimum similarity of the titles of an entry and of a paper by the same first author that are the same."""
_MASK = re.compile("TARGETCIT|OTHERCIT")
_ANTHOLOGY = re.compile(
    r"(?:anthology/(?:[A-Z]/[A-Z]\d\d/)?|10\.(?:3115|18653)/v1/|10\.3115/)"
    r"([A-Z]\d\d-\d{4}|20\d\d\.[a-z]+-[a-z0-9]+\.\d+)",
    re.IGNORECASE,
)


@dataclass
class Outcome:
    asked: int = 0
    answered: int = 0
    right: int = 0
    errors: list[str] = field(default_factory=list)

    def count(self, what: str, found: str | None, right: frozenset[str]) -> None:
        self.asked += 1
        self.answered += found is not None
        self.right += found in right
        if found is not None and found not in right:
            self.errors.append(f"{what}: found {found}, expected {', '.join(sorted(right)) or 'nothing'}")

    def row(self, name: str) -> str:
        low, high = wilson(self.right, self.answered)
        share = self.answered / self.asked if self.asked else 0.0
        precision = self.right / self.answered if self.answered else 0.0
        return f"| {name} | {self.asked} | {share:.3f} | {precision:.3f} ({low:.3f} to {high:.3f}) |"


HEAD = "| | citations | answered | precision |\n| --- | ---: | ---: | ---: |"


@dataclass(frozen=True, slots=True)
class Asked:
    """A printed citation whose paper is known."""

    what: str
    group: Group
    near: str
    year: int | None
    right: frozenset[str]


class Papers:
    """The papers of the data folder, and which of their ids are one paper."""

    def __init__(self, data: Path) -> None:
        report = ImportReport()
        self.all = [
            each for each in read_records(data / "papers.jsonl.gz", report) if isinstance(each, Paper)
        ]
        self.by_id = {paper.id: paper for paper in self.all}
        self._same: defaultdict[str, set[str]] = defaultdict(set)
        for alias in read_records(data / "paper_aliases.tsv.gz", report):
            if isinstance(alias, Alias):
                self._same[alias.id].add(alias.same_as)
                self._same[alias.same_as].add(alias.id)
        self._by_author: defaultdict[str, list[Paper]] = defaultdict(list)
        for paper in self.all:
            if paper.authors:
                self._by_author[surname(paper.authors[0])].append(paper)

    def ids(self, paper_id: str) -> frozenset[str]:
        return frozenset({paper_id} | self._same[paper_id])

    def described(self, entry: Paper) -> frozenset[str]:
        """Returns the papers that an entry may describe: nearly the same title, the same first author."""
        key = title_key(entry.title)
        return frozenset(
            paper.id
            for paper in self._by_author.get(surname(entry.authors[0]), ())
            if abs((paper.year or 0) - (entry.year or 0)) <= 1
            and difflib.SequenceMatcher(None, key, title_key(paper.title)).ratio() >= ALIKE
        )


# Citing sentences -----------------------------------------------------------------------------------------


def citing_sentences(data: Path, papers: Papers) -> Iterator[Asked]:
    texts = {
        each.paper_id: [sentence.text.replace("\xad ", "") for sentence in each.sentences]
        for each in read_records(data / "fulltext.citing.jsonl.gz", ImportReport())
        if isinstance(each, FullText)
    }
    bags: dict[str, list[frozenset[str]]] = {}
    for context in objects(data / "contexts.train.jsonl.gz", "citing sentences", "context_id"):
        citing = context.text("citing_id")
        if citing in texts:
            of_texts = bags.setdefault(citing, [_bag(text) for text in texts[citing]])
            yield from _asked(context, papers, texts[citing], of_texts)


def _asked(
    context: Line, papers: Papers, texts: Sequence[str], bags: Sequence[frozenset[str]]
) -> Iterator[Asked]:
    bag = _bag(_MASK.sub(" ", context.text("text")))
    alike = [len(bag & other) / max(1, len(bag | other)) for other in bags]
    place = max(range(len(alike)), key=alike.__getitem__)
    if alike[place] < SAME_SENTENCE:
        return
    groups = [group for marker in find(texts[place]) for group in marker.groups]
    for cited in context.texts("cited_ids"):
        paper = papers.by_id[cited]
        meant = [group for group in groups if _may_mean(group, paper)]
        if len(meant) == 1:
            near = " ".join(texts[max(0, place - 1) : place + 2])
            year = context.fields.get("citing_year")
            yield Asked(context.text("context_id"), meant[0], near, year, papers.ids(cited))


def _may_mean(group: Group, paper: Paper) -> bool:
    if not group.names or group.year is None or not paper.authors or paper.year is None:
        return False
    return surname(group.names[0]) == surname(paper.authors[0]) and abs(group.year - paper.year) <= 1


def _bag(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if len(word) > 1)


# Drafts ---------------------------------------------------------------------------------------------------


def of_draft(manuscript: Manuscript, papers: Papers) -> Iterator[Asked]:
    """Returns each paper that the draft cites, as natbib prints it; the text near all its places in the
    draft."""
    entries = {
        reference.key: reference.paper
        for reference in manuscript.references
        if reference.paper.authors and reference.paper.year and reference.paper.title
    }
    sentences = [each for paragraph in manuscript.paragraphs for each in paragraph.sentences]
    near: defaultdict[str, list[str]] = defaultdict(list)
    for place, sentence in enumerate(sentences):
        for key in {key for marker in sentence.markers for key in marker.keys if key in entries}:
            near[key] += [each.text for each in sentences[max(0, place - 1) : place + 2]]
    forms = Counter(_form(entries[key]) for key in near)
    for key, texts in near.items():
        entry = entries[key]
        group = _form(entry)
        shown = replace(group, suffix="a") if forms[group] > 1 else group
        what = f"{Path(manuscript.path).stem} {key}"
        yield Asked(what, shown, " ".join(texts), manuscript.year, papers.described(entry))


def _form(entry: Paper) -> Group:
    names = tuple(author.split()[-1] for author in entry.authors)
    several = len(names) > 2
    return Group(0, 0, names[: 1 if several else 2], several, entry.year)


def entries_with_ids(bibliographies: Iterable[Path], papers: Papers) -> Iterator[tuple[Paper, str]]:
    """Returns entries of the bibliographies that name an id of the Anthology, and that id; each once."""
    seen: set[tuple[str, str]] = set()
    for path in bibliographies:
        for entry in read_records(path, ImportReport()):
            if not isinstance(entry, Paper):
                continue
            named = _ANTHOLOGY.search(f"{entry.url} {entry.doi}")
            paper_id = "" if named is None else named[1]
            paper_id = paper_id.upper() if "." not in paper_id else paper_id.lower()
            if paper_id in papers.by_id and (entry.title, paper_id) not in seen:
                seen.add((entry.title, paper_id))
                yield replace(entry, doi="", url=""), paper_id


def measure(resolver: InTextResolver, asked: Iterable[Asked], agreement: float) -> Outcome:
    outcome = Outcome()
    for each in asked:
        found = resolver.cited(each.group, each.near, each.year, agreement)
        outcome.count(f"{each.what} {each.group.names} {each.group.year}", found, each.right)
    return outcome


def main() -> None:
    parser = shared_parser(__doc__, "data", "drafts", "errors")
    given = parser.parse_args()
    papers = Papers(given.data)
    resolver = InTextResolver(papers.all)
    paths = [path for path in sorted(given.drafts.glob("*.tex")) if re.match(r"\d{4}", path.name)]
    manuscripts = [read(path) for path in paths]
    earlier = [manuscript for manuscript in manuscripts if int(Path(manuscript.path).name[:4]) <= TUNED_UNTIL]
    later = [each for each in manuscripts if each not in earlier]
    sets = {
        "citing sentences": list(citing_sentences(given.data, papers)),
        f"drafts until {TUNED_UNTIL} (chosen on)": [x for each in earlier for x in of_draft(each, papers)],
        "later drafts": [x for each in later for x in of_draft(each, papers)],
    }
    print(HEAD)
    outcomes = []
    for name, asked in sets.items():
        for how, agreement in (("", AGREEMENT), (", names and year alone", 0.0)):
            outcomes.append(measure(resolver, asked, agreement))
            print(outcomes[-1].row(f"{name}{how}"), flush=True)
    entries = Outcome()
    for entry, paper_id in entries_with_ids(sorted(given.drafts.glob("bib/*.bib")), papers):
        entries.count(entry.title, resolver.entry(entry), papers.ids(paper_id))
    print(entries.row("entries"))
    if given.errors:
        print(*(error for each in (*outcomes, entries) for error in each.errors), sep="\n")


if __name__ == "__main__":
    main()
