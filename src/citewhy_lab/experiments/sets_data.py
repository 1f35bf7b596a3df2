"""Places that cite one paper or several, from full texts and citing sentences: the data of the experiment
`sets`.

Printed citations of full texts are looked up among the papers (`resolve.in_text`); of a paper without full
text, its citing sentences are taken. The places of the newest year are the questions, all earlier ones are
for training. Co-citations are counted over citing papers.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.answers.resolve.in_text import InTextResolver
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Context, FullText, Paper, Query
from citewhy.text.markers import mask
from citewhy_lab.evaluate.datasets.reading import find
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.co_citations import CitedTogether
from citewhy_lab.train.systems.citation_vectors.training import CitingSentence, Corpus, VectorQuestion
from citewhy_lab.train.systems.mpbert4cr.settings import Sampled
from citewhy_lab.train.systems.mpbert4cr.texts import Manuscripts, Papers, Text, read_full_texts

FILES = (
    "a folder of papers and citing sentences (docs/training.md) with full texts in fulltext.jsonl or"
    " fulltext.citing.jsonl, and optionally one for results"
)

_FULL_TEXTS = ("fulltext.citing.jsonl", "fulltext.jsonl")


@dataclass(frozen=True, slots=True)
class CitingContext:
    """A citing sentence."""

    query: Query
    cited: tuple[int, ...]
    """Rows of the papers that it cites, ascending."""
    known: tuple[int, ...]
    """Rows of those that earlier sentences of the same paper cite."""


@dataclass(frozen=True, slots=True)
class Field:
    """Papers are rows of `graph`."""

    graph: CitationGraph
    full_texts: Mapping[str, FullText]
    """Each stands under its canonical id."""
    taught: Sequence[CitingContext]
    asked: Sequence[CitingContext]
    together: Sequence[CitedTogether]
    """Tells what each citing paper cites, those of the questions' year included."""
    files: Sequence[Path]
    read: Mapping[str, FullText]
    """The full texts with the sentences that may be drawn."""
    manuscripts: Manuscripts
    papers: Papers
    drawn: Mapping[str, frozenset[str]]
    """The sentences that may be drawn, by canonical id; empty if all may be."""

    def manuscript(self, query: Query) -> Text:
        """Returns, of the text before, only sentences that may be drawn."""
        text = self.manuscripts(query)
        kept = self.drawn.get(query.citing_id)
        return (
            text
            if kept is None
            else replace(text, pool=tuple(sentence for sentence in text.pool if sentence in kept))
        )

    def paper(self, row: int) -> Text:
        return self.papers(self.graph.papers[row])

    def question(self, place: CitingContext) -> VectorQuestion:
        """Makes the question for the baselines, with what earlier sentences of the paper are known to
        cite."""
        text = " ".join(self.manuscript(place.query).fundamental)
        return VectorQuestion(text, place.query.section, place.known)

    def corpus(self) -> Corpus:
        """Returns the training data of the baselines. Of papers as new as the questions, the abstract alone
        is read."""
        newest = self.asked[0].query.year or 0
        texts = [(paper, self.paper(row)) for row, paper in enumerate(self.graph.papers)]
        papers = [
            " ".join([paper.title, *text.fundamental, *(text.pool if (paper.year or 0) < newest else ())])
            for paper, text in texts
        ]
        citations = []
        for place in self.taught:
            asked, row = self.question(place), self.graph.row(place.query.citing_id)
            citing = -1 if row is None else row
            citations.append(CitingSentence(asked.text, asked.section, asked.known, citing, place.cited))
        return Corpus(papers, (), citations)

    def taught_texts(self) -> dict[str, FullText]:
        """Returns the sentences that may be drawn of full texts of training years."""
        newest = self.asked[0].query.year or 0
        rows = {key: self.graph.row(key) for key in self.read}
        return {
            key: text
            for key, text in self.read.items()
            if (row := rows[key]) is not None and self.graph.papers[row].year in range(1, newest)
        }

    def sentences(self) -> list[str]:
        """Returns all that are read, each once, sorted."""
        texts = [self.manuscript(place.query) for place in (*self.taught, *self.asked)]
        texts += [self.paper(row) for row in range(len(self.graph.papers))]
        return sorted({sentence for text in texts for sentence in (*text.fundamental, *text.pool)})


def open_field(
    folder: Path,
    sampled: Sampled,
    pool: int | None,
    body: int | None,
    taught: int | None,
    seed: int,
    progress: Progress,
) -> Field:
    """Reads the data. Candidates are the cited and the citing papers, and `pool` others that are not
    newer than the questions (None: all); `body` sentences of a full text, beside its abstract, may be drawn
    (None: all); `taught` places are for training (None: all).

    Raises InputError for a folder without papers, citing sentences or full texts.
    """
    collection = Collection(folder)
    files = [path for name in _FULL_TEXTS if (path := find(folder, name))]
    if not files:
        raise InputError("the folder has no full texts", path=folder, hint=f"expected {FILES}")
    progress("reading full texts", None)
    full = {collection.canonical(key): text for key, text in read_full_texts(files).items()}
    contexts = list(_contexts(collection, full, folder, progress))
    years = [year for context in contexts if (year := context.year) is not None]
    newest = max(years, default=0)
    chosen = _chosen(collection, contexts, newest, pool, seed)
    given = edges(collection.citations, contexts)
    graph = CitationGraph([collection.papers[paper_id] for paper_id in chosen], given, collection.canonical)
    places = list(_places(collection, contexts, graph))
    earlier = [place for place in places if (place.query.year or newest) < newest]
    rng = random.Random(seed)
    if taught is not None and taught < len(earlier):
        earlier = [earlier[position] for position in sorted(rng.sample(range(len(earlier)), taught))]
    asked = [place for place in places if place.query.year == newest]
    if not earlier or not asked:
        raise InputError(
            "the citing sentences are not of two years or more", path=folder, hint="give older ones, too"
        )
    read = {key: _read(text, body, rng) for key, text in sorted(full.items())}
    return Field(
        graph,
        full,
        earlier,
        asked,
        _together(collection, contexts, graph),
        [*collection.files.values(), *files],
        read,
        Manuscripts(full),
        Papers(lambda paper_id: read.get(collection.canonical(paper_id)), sampled),
        {}
        if body is None
        else {key: frozenset(s.text for s in text.sentences) for key, text in read.items()},
    )


def _contexts(
    collection: Collection, full: Mapping[str, FullText], folder: Path, progress: Progress
) -> Iterator[Context]:
    """Yields contexts from full texts of papers of known year, and citing sentences of other papers. Ids are
    canonical."""
    resolver = InTextResolver(collection.papers.values())
    for number, (key, text) in enumerate(sorted(full.items())):
        progress("looking up printed citations", number / len(full))
        paper = collection.papers.get(key)
        if paper is None or paper.year is None:
            continue
        sentences = [sentence for sentence in text.sentences if sentence.sid]
        around = ["", *(sentence.text for sentence in sentences), ""]
        for position, sentence in enumerate(sentences):
            resolutions = resolver.sentence(sentence.text, around[position], around[position + 2], paper.year)
            known = {
                collection.canonical(paper_id): group
                for one in resolutions
                for group, paper_id in zip(one.marker.groups, one.paper_ids, strict=True)
                if paper_id is not None and collection.canonical(paper_id) != key
            }
            if known:
                masked = mask(sentence.text, list(known.values()))
                yield Context(
                    f"{key}:{sentence.sid}", key, tuple(known), masked, paper.year, sentence.section
                )
    validation = find(folder, "contexts.val.jsonl")
    others = [*collection.contexts, *collection.validation]
    if validation is not None:
        from citewhy_lab.evaluate.datasets.local import contexts_in

        others += contexts_in(validation)
    for context in others:
        key = collection.canonical(context.citing_id)
        if key not in full:
            cited = tuple(map(collection.canonical, context.cited_ids))
            yield replace(context, citing_id=key, cited_ids=cited, year=collection.year(context))


def _chosen(
    collection: Collection, contexts: Sequence[Context], newest: int, pool: int | None, seed: int
) -> list[str]:
    """Returns ids of the candidates."""
    cited = {paper_id for context in contexts for paper_id in (*context.cited_ids, context.citing_id)}
    cited &= collection.papers.keys()
    others = sorted(
        key
        for key, paper in collection.papers.items()
        if key not in cited and paper.title and (paper.year or 0) <= newest
    )
    if pool is not None and pool < len(others):
        others = random.Random(seed).sample(others, pool)
    return sorted({*cited, *others})


def _places(
    collection: Collection, contexts: Iterable[Context], graph: CitationGraph
) -> Iterator[CitingContext]:
    before: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for context in contexts:
        rows = {row for paper_id in context.cited_ids if (row := graph.row(paper_id)) is not None}
        paper = collection.papers.get(context.citing_id, Paper(context.citing_id, ""))
        query = Query(
            "local",
            context.text,
            paper.title,
            paper.abstract,
            section=context.section,
            year=context.year,
            citing_id=context.citing_id,
            id=context.id,
        )
        if rows and context.year is not None:
            known = before[context.citing_id]
            yield CitingContext(query, tuple(sorted(rows)), tuple(row for row in known if row not in rows))
            known |= dict.fromkeys(sorted(rows))


def _together(
    collection: Collection, contexts: Iterable[Context], graph: CitationGraph
) -> list[CitedTogether]:
    """Returns what each citing paper of known year cites, by sentences and citations."""
    cited: defaultdict[str, set[int]] = defaultdict(set)
    years: dict[str, int] = {}
    for citing, paper_id, year in edges(collection.citations, contexts):
        key = collection.canonical(citing)
        paper = collection.papers.get(key)
        years[key] = (paper.year if paper else None) or year
        if (row := graph.row(paper_id)) is not None:
            cited[key].add(row)
    return [CitedTogether(tuple(sorted(rows)), years[key]) for key, rows in sorted(cited.items())]


def _read(text: FullText, body: int | None, rng: random.Random) -> FullText:
    """Returns the text with its title, its abstract and `body` of its other sentences."""
    inside = [
        position
        for position, sentence in enumerate(text.sentences)
        if sentence.section not in ("title", "abstract")
    ]
    if body is None or body >= len(inside):
        return text
    kept = set(rng.sample(inside, body))
    sentences = [
        sentence
        for position, sentence in enumerate(text.sentences)
        if position in kept or position not in inside
    ]
    return FullText(text.paper_id, tuple(sentences))
