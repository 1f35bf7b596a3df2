"""Papers by words: of their titles and abstracts, and surnames of their authors."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from citewhy.search.index import Index
from citewhy.search.index.arrays import Rows, common
from citewhy.search.retrieve.parameters import Parameters
from citewhy.search.retrieve.sparse import best, relative, union
from citewhy.search.rules import Scope
from citewhy.text.names import without_umlauts
from citewhy.text.tokens import fold, stems

_SEARCHED = 500
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_YEAR = re.compile(r"\b(?:1[6-9]\d\d|20\d\d)\b")


def papers_with_words(index: Index, text: str, k: int) -> tuple[Rows, int]:
    """The best `k` papers for a few words, best first; none if no paper has any of them. And the number of
    papers that have all of them.

    A score is the sum of the share of the best BM25 score by title and abstract, of the share of the title's
    words, and of the shares of words that are surnames of the paper's authors and of years that are its own.
    """
    view, parameters = index.view(Scope()), Parameters()
    terms = {term: float(count) for term, count in Counter(stems(text)).items()}
    written = dict.fromkeys(_WORD.findall(text))
    otherwise = [other for word in written for other in spelled_otherwise(word)]
    terms |= {term: 1.0 for term in stems(" ".join(otherwise)) if term not in terms}
    surnames = list(dict.fromkeys((*map(fold, written), *otherwise)))
    years = [int(year) for year in _YEAR.findall(text)]
    by_authors = [index.named("author", [surname]) for surname in surnames]
    rankings = [view.search(field, terms, parameters.text, _SEARCHED).rows for field in ("text", "title")]
    rows = union(*rankings, *by_authors)
    if not len(rows):
        return rows, 0
    scores = relative(view.scores("text", terms, parameters.text, rows)) + view.title_cover(terms, rows)
    for by_author in by_authors:
        scores = scores + np.isin(rows, by_author) * np.float32(2 / max(len(terms), 1))
    if years:
        scores = scores + np.isin(view.facts(rows).years, years) * np.float32(1 / max(len(terms), 1))
    asked = [papers_with(index, word) for word in written if stems(word)] + [*map(index.papers, years)]
    having = common(asked) if asked else rows
    return best(index, rows, scores.astype(np.float32), k).rows, len(having)


def papers_with(index: Index, word: str, *, stemmed: bool = False) -> Rows:
    """The papers that have a word in their titles or abstracts, or as the surname of an author; ascending. A
    word with signs in it may be several, of which they have all. One that is `stemmed` is no surname."""
    terms = [word] if stemmed else list(dict.fromkeys(stems(word)))
    having = index.text.matches(terms)
    ends = np.cumsum(having.counts)
    rows = common([np.sort(rows) for rows in np.split(having.documents, ends[:-1])]).astype(np.int64)
    if stemmed:
        return rows
    return union(rows, index.named("author", [fold(word), *spelled_otherwise(word)]))


def spelled_otherwise(word: str) -> list[str]:
    """The word with the umlauts of German written the other way, folded."""
    folded = fold(word)
    spellings = (fold(word.casefold().translate(_UMLAUTS)), without_umlauts(folded))
    return [spelling for spelling in dict.fromkeys(spellings) if spelling != folded]
