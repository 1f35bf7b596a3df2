"""A direct implementation of `Index` and `View` and of the rules over plain dictionaries, without regard to
speed, with which those over an engine are compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper
from citewhy.papers.formats.fields import arxiv_numbers
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.encode.texts import context_text, paper_text, part_texts
from citewhy.search.index import CitingContexts, CitingSentences, Edges, Hits, PaperFacts
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.fields import BM25, Terms, TextField
from citewhy.search.index.segments import NameField, catalogue_names
from citewhy.search.rules import Scope
from citewhy.text.names import key_surnames, surname, venue_key
from citewhy.text.system_names import introduced_names, title_names
from citewhy.text.tokens import fold, stems

__all__ = ["ToyIndex", "ToyView"]

Words = Sequence[str]


@dataclass(frozen=True)
class Sentence:
    """A citing sentence."""

    words: Words
    writer: int
    writer_id: str
    year: int
    cited: tuple[int, ...]


class ToyIndex:
    """An index that reads the whole library into memory."""

    def __init__(self, library: Library, encoder: Encoder | None = None) -> None:
        self.generation = library.generation
        self.encoder = None if encoder is None else encoder.fingerprint
        self.all: dict[int, Paper] = dict(library.numbered_papers())
        self.numbers = {paper.id: number for number, paper in self.all.items()}
        contexts = dict(library.numbered_contexts())
        self.sentences = {
            number: Sentence(
                stems(each.text),
                self.numbers.get(each.citing_id, -1),
                each.citing_id,
                each.year or 0,
                tuple(self.numbers[name] for name in each.cited_ids),
            )
            for number, each in contexts.items()
        }
        edges = set(library.numbered_citations())
        edges |= {
            (sentence.writer, cited) for sentence in self.sentences.values() for cited in sentence.cited
        }
        self.edges = sorted((citing, cited) for citing, cited in edges if citing >= 0 and citing != cited)
        self.text = {row: [*stems(each.title), *stems(each.abstract)] for row, each in self.all.items()}
        self.title = {row: stems(each.title) for row, each in self.all.items()}
        self.vectors: dict[int, Floats] = {}
        self.part_vectors: dict[int, list[Floats]] = {}
        self.sentence_vectors: dict[int, Floats] = {}
        if encoder is not None:
            for number, each in self.all.items():
                self.vectors[number] = _half(encoder.encode([paper_text(each)], "paper")[0])
                parts = part_texts(each)
                self.part_vectors[number] = [_half(encoder.encode([part], "paper")[0]) for part in parts]
            for number, context in contexts.items():
                self.sentence_vectors[number] = _half(encoder.encode([context_text(context)], "query")[0])

    @property
    def newest_year(self) -> int:
        return max((self.year(row) for row in self.all), default=0)

    def year(self, row: int) -> int:
        return self.all[row].year or 0

    def view(self, scope: Scope) -> ToyView:
        return ToyView(self, scope)

    def papers(self, year: int | None = None) -> Rows:
        return _rows(row for row in sorted(self.all) if year is None or self.year(row) == year)

    def knows(self, row: int) -> bool:
        return row in self.all

    def ids(self, rows: Rows) -> list[str]:
        return [self.all[row].id for row in rows.tolist()]

    def rows(self, ids: Sequence[str]) -> Rows:
        return _rows(self.numbers.get(name, -1) for name in ids)

    def named(self, by: NameField, names: Sequence[str]) -> Rows:
        def called(paper: Paper) -> set[str]:
            surnames = [surname(author) for author in paper.authors]
            return set(
                {
                    "author": surnames,
                    "first author": surnames[:1],
                    "introduced": introduced_names(paper.title, paper.abstract),
                    "titled": title_names(paper.title),
                    "key author": key_surnames(paper.authors[0]) if paper.authors else (),
                    "arxiv": arxiv_numbers(paper),
                    "catalogue": catalogue_names(paper),
                }[by]
            )

        return _rows(sorted(row for row, paper in self.all.items() if called(paper) & set(names)))

    def id_ranks(self, rows: Rows) -> NDArray[np.int64]:
        order = sorted(self.numbers, key=str.encode)
        return _rows(order.index(name) for name in self.ids(rows))


class ToyView:
    """A view that applies the rules anew in every method, and in words of its own: it asks a scope for what
    it holds, never for what follows from it."""

    def __init__(self, index: ToyIndex, scope: Scope) -> None:
        self.index = index
        self.scope = scope

    # What counts ------------------------------------------------------------------------------------------

    def _is_candidate(self, row: int, paper: Paper) -> bool:
        scope = self.scope
        if row == scope.citing or row in scope.barred:
            return False
        if scope.pool == "abstract" and not paper.abstract:
            return False
        return not scope.year or paper.year is None or paper.year <= scope.year

    def _is_early_enough(self, year: int) -> bool:
        """Of evidence from `year` (0: unknown)."""
        if not self.scope.year:
            return True
        return year in range(1, self.scope.year - self.scope.lag)

    @cached_property
    def candidates(self) -> set[int]:
        return {row for row, paper in self.index.all.items() if self._is_candidate(row, paper)}

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        scope = self.scope
        return [
            (citing, cited)
            for citing, cited in self.index.edges
            if citing != scope.citing
            and citing not in scope.copies
            and cited not in scope.hidden
            and self._is_early_enough(self.index.year(citing))
        ]

    @cached_property
    def sentences(self) -> dict[int, Sentence]:
        """The citing sentences that count, by number, each with the cited papers for which it counts."""
        found = {}
        for number, sentence in self.index.sentences.items():
            written = self.index.year(sentence.writer) if sentence.writer >= 0 else 0
            known = sentence.writer >= 0
            own = (
                sentence.writer == self.scope.citing if known else sentence.writer_id == self.scope.citing_id
            )
            own = own or sentence.writer in self.scope.copies
            cited = tuple(row for row in sentence.cited if row not in self.scope.hidden)
            if (
                self.scope.contexts
                and not own
                and self._is_early_enough(max(sentence.year, written))
                and cited
            ):
                found[number] = Sentence(
                    sentence.words, sentence.writer, sentence.writer_id, max(sentence.year, written), cited
                )
        return found

    # Papers -----------------------------------------------------------------------------------------------

    def pool_size(self) -> int:
        return len(self.candidates)

    def admits(self, rows: Rows) -> NDArray[np.bool_]:
        return np.array([row in self.candidates for row in rows.tolist()], dtype=np.bool_)

    def facts(self, rows: Rows) -> PaperFacts:
        asked = rows.tolist()
        times = Counter(cited for _, cited in self.edges)
        mentions = Counter(row for sentence in self.sentences.values() for row in sentence.cited)
        return PaperFacts(
            years=np.array([self.index.year(row) for row in asked], dtype=np.int16),
            times_cited=_floats(times[row] for row in asked),
            mentions=_floats(mentions[row] for row in asked),
            author_citations=_floats(self._author_citations(row, times) for row in asked),
            venue_citations=_floats(self._venue_citations(row, times) for row in asked),
        )

    def _author_citations(self, row: int, times: Counter[int]) -> float:
        def by(author: str) -> int:
            return sum(times[other] for other in self.papers_by(author).tolist() if other != row)

        return math.log1p(max((by(author) for author in self.index.all[row].authors), default=0))

    def _venue_citations(self, row: int, times: Counter[int]) -> float:
        def series(paper: Paper) -> str:
            return fold(venue_key(paper.venue))

        mine = series(self.index.all[row])
        others = [
            math.log1p(times[other])
            for other, paper in self.index.all.items()
            if other != row and series(paper) == mine
        ]
        return sum(others) / (len(others) + 5) if mine else 0.0

    def papers_by(self, author: str) -> Rows:
        return _rows(
            row
            for row, paper in sorted(self.index.all.items())
            if fold(author) in [fold(name) for name in paper.authors]
        )

    # Words ------------------------------------------------------------------------------------------------

    def search(self, field: TextField, terms: Terms, bm25: BM25, k: int) -> Hits:
        rows = _rows(sorted(self.candidates))
        scores = self.scores(field, terms, bm25, rows)
        return self._best(dict(zip(rows.tolist(), scores.tolist(), strict=True)), k)

    def scores(self, field: TextField, terms: Terms, bm25: BM25, rows: Rows) -> Floats:
        found = self._all_scores(field, terms, bm25)
        return _floats(found.get(row, 0.0) for row in rows.tolist())

    def largest(self, field: TextField, terms: Terms, bm25: BM25) -> float:
        return max(self._all_scores(field, terms, bm25).values(), default=0.0)

    def _all_scores(self, field: TextField, terms: Terms, bm25: BM25) -> dict[int, float]:
        if field == "text" or field == "title":
            texts = self.index.text if field == "text" else self.index.title
            return _bm25(texts, terms, bm25, len(texts))
        if field == "contexts":
            joined: dict[int, list[str]] = {}
            for sentence in self.sentences.values():
                for row in sentence.cited:
                    joined.setdefault(row, []).extend(sentence.words)
            return _bm25(joined, terms, bm25, len(self.index.all))
        each = _bm25(
            {n: sentence.words for n, sentence in self.sentences.items()}, terms, bm25, len(self.sentences)
        )
        best: dict[int, float] = {}
        for number, score in each.items():
            for row in self.sentences[number].cited:
                best[row] = max(best.get(row, 0.0), score)
        return best

    def idf(self, terms: Iterable[str]) -> dict[str, float]:
        texts = self.index.text
        return {term: _idf(len(texts), sum(term in words for words in texts.values())) for term in terms}

    def title_cover(self, terms: Iterable[str], rows: Rows) -> Floats:
        titles, asked = self.index.title, set(terms)

        def rarity(words: set[str]) -> float:
            return sum(_idf(len(titles), sum(word in each for each in titles.values())) for word in words)

        mine = [set(titles[row]) for row in rows.tolist()]
        return _floats(rarity(words & asked) / max(rarity(words), 1e-9) for words in mine)

    def best_passages(self, terms: Terms, rows: Rows) -> Floats:
        worth = {term: terms[term] * idf for term, idf in self.idf(terms).items()}

        def best(words: Words) -> float:
            windows = [set(words[start : start + 15]) for start in range(max(len(words), 1))]
            return max(sum(worth.get(word, 0.0) for word in window) for window in windows)

        total = max(sum(worth.values()), 1e-9)
        return _floats(best(self.index.text[row]) / total for row in rows.tolist())

    def telling_terms(self, rows: Rows, shares: Floats, bm25: BM25, count: int) -> dict[str, float]:
        texts = self.index.text
        mean = max(sum(map(len, texts.values())) / max(len(texts), 1), 1e-9)
        gains: dict[str, float] = {}
        for row, share in zip(rows.tolist(), shares.tolist(), strict=True):
            norm = bm25.k1 * (1 - bm25.b + bm25.b * len(texts[row]) / mean)
            for word, times in Counter(texts[row]).items():
                gains[word] = gains.get(word, 0.0) + share * times / (times + norm)
        idf = self.idf(gains)
        order = sorted(gains, key=lambda word: (-gains[word] * idf[word], word))
        return {word: gains[word] for word in order[:count]}

    # Citing sentences -------------------------------------------------------------------------------------

    def has_contexts(self) -> bool:
        return bool(self.sentences)

    def evidence_until(self) -> int:
        years = [self.index.year(citing) for citing, _ in self.edges]
        return max([*years, *(sentence.year for sentence in self.sentences.values())], default=0)

    def best_context(self, row: int, terms: Terms, bm25: BM25) -> tuple[int, float]:
        each = _bm25(
            {n: sentence.words for n, sentence in self.sentences.items()}, terms, bm25, len(self.sentences)
        )
        mine = {
            number: score for number, score in each.items() if row in self.sentences[number].cited and score
        }
        best = min(mine, key=lambda number: (-mine[number], number), default=-1)
        return best, mine.get(best, 0.0)

    def contexts_near(self, vector: Floats, k: int) -> CitingContexts:
        cosines = {n: float(self.index.sentence_vectors[n] @ vector) for n in self.sentences}
        near = _sure(cosines, k) if vector.any() else {}
        best: dict[int, tuple[float, int]] = {}
        for number, cosine in sorted(near.items()):
            for row in self.sentences[number].cited:
                if cosine > best.get(row, (0.0, 0))[0]:
                    best[row] = cosine, number
        rows = sorted(best)
        return CitingContexts(
            _rows(rows), _floats(best[row][0] for row in rows), _rows(best[row][1] for row in rows)
        )

    # Vectors ----------------------------------------------------------------------------------------------

    def nearest(self, vector: Floats, k: int) -> Hits:
        cosines = {row: float(self._vector(row) @ vector) for row in self.candidates}
        return self._best(_sure(cosines, k) if vector.any() else {}, k, least=-2)

    def cosines(self, vector: Floats, rows: Rows) -> Floats:
        return _floats(float(self._vector(row) @ vector) for row in rows.tolist())

    def part_cosines(self, vector: Floats, rows: Rows) -> Floats:
        found = []
        for row in rows.tolist():
            whole = self._vector(row)
            found.append(max(float(part @ vector) for part in self.index.part_vectors[row] or [whole]))
        return _floats(found)

    def paper_cosines(self, rows: Rows, others: Rows) -> Floats:
        found = [[float(self._vector(a) @ self._vector(b)) for b in others.tolist()] for a in rows.tolist()]
        return np.round(np.array(found, dtype=np.float32).reshape(len(rows), len(others)), 6)

    def profile_cosines(self, vector: Floats, rows: Rows) -> Floats:
        found = []
        for row in rows.tolist():
            said = [self.index.sentence_vectors[n] for n, each in self.sentences.items() if row in each.cited]
            profile = self._vector(row) + (np.mean(said, axis=0) if said else 0)
            found.append(float(profile @ vector) / max(float(np.linalg.norm(profile)), 1e-9))
        return _floats(found)

    def _vector(self, row: int) -> Floats:
        if self.index.encoder is None:
            raise ValueError("the index has no vectors")
        return self.index.vectors[row]

    def sentences_citing(self, rows: Rows) -> CitingSentences:
        pairs = [
            (place, number)
            for place, row in enumerate(rows.tolist())
            for number, sentence in sorted(self.sentences.items())
            if row in sentence.cited
        ]
        return CitingSentences(
            _rows(place for place, _ in pairs),
            _rows(number for _, number in pairs),
            _rows(self.sentences[number].writer for _, number in pairs),
        )

    # Citations --------------------------------------------------------------------------------------------

    def citing(self, rows: Rows) -> Edges:
        return _edges(
            (place, citing)
            for place, row in enumerate(rows.tolist())
            for citing, cited in self.edges
            if cited == row
        )

    def cited(self, rows: Rows) -> Edges:
        return _edges(
            (place, cited)
            for place, row in enumerate(rows.tolist())
            for citing, cited in self.edges
            if citing == row
        )

    def _best(self, scores: Mapping[int, float], k: int, least: float = 0.0) -> Hits:
        """The `k` best of the scores above `least`."""
        kept = [row for row in scores if scores[row] > least]
        names = dict(zip(kept, self.index.ids(_rows(kept)), strict=True))
        order = sorted(kept, key=lambda row: (-scores[row], names[row].encode()))[:k]
        return Hits(_rows(order), _floats(scores[row] for row in order))


def _bm25(documents: Mapping[int, Words], terms: Terms, bm25: BM25, size: int) -> dict[int, float]:
    """The formula of `index.fields`, over `documents` out of a collection of `size`."""
    mean = max(sum(map(len, documents.values())) / max(len(documents), 1), 1e-9)
    scores = dict.fromkeys(documents, 0.0)
    for term, weight in terms.items():
        having = [document for document, words in documents.items() if term in words]
        for document in having:
            times, length = list(documents[document]).count(term), len(documents[document])
            norm = bm25.k1 * (1 - bm25.b + bm25.b * length / mean)
            scores[document] += weight * _idf(size, len(having)) * times * (bm25.k1 + 1) / (times + norm)
    return scores


def _idf(documents: int, having: int) -> float:
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def _sure(cosines: Mapping[int, float], k: int) -> dict[int, float]:
    """The largest `k`, except those tied with one that is not among them."""
    order = sorted(cosines.values(), reverse=True)
    left_out = order[k] if len(order) > k else -2.0
    return {key: cosine for key, cosine in cosines.items() if cosine > left_out}


def _half(vector: Floats) -> Floats:
    """The vector in half precision, as indexes store it."""
    return vector.astype(np.float16).astype(np.float32)


def _rows(values: Iterable[int]) -> Rows:
    return np.array([*values], dtype=np.int64)


def _floats(values: Iterable[float]) -> Floats:
    return np.array([*values], dtype=np.float32)


def _edges(pairs: Iterator[tuple[int, int]]) -> Edges:
    found = [*pairs]
    return Edges(_rows(place for place, _ in found), _rows(row for _, row in found))
