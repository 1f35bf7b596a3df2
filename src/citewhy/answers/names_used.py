"""Names of systems and data sets that a draft uses, and whose introducing papers it does not cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from citewhy.base.records import DraftSentence, Manuscript, Paper, Place
from citewhy.drafts.claims import is_read
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.search.retrieve.naming import Introducers
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.text.counted import counted
from citewhy.text.system_names import introduced_names, is_marked, spellings

_FEWEST = 2
"""Sentences that must use a name."""

_USERS = 2
"""Other papers that must use it, for it to be the name of what was introduced."""

_ORIGINAL = 0.9
"""Minimum share of its uses that are not older than its introduction."""

_BESIDE = 25
"""Characters after a name among which a citation is of it."""


@dataclass(frozen=True, slots=True)
class NameUsed:
    """A name that a draft uses, and the paper that introduces it."""

    name: str
    paper: Paper
    place: Place
    """The first sentence that uses it."""
    why: str


def names_used(
    index: Index, library: Library, scoped: ScopedQuery, manuscript: Manuscript
) -> Iterator[NameUsed]:
    """The names whose introducing papers the draft does not cite, those that it uses most often first. Left
    out are names that a citation follows somewhere, that a reference has in its title, that the draft itself
    introduces, and that are older than the paper that seems to introduce them."""
    uses = _uses(manuscript)
    most_used = sorted(uses, key=lambda name: (-len(uses[name]), name))
    for name in most_used:
        sentences = uses[name]
        if len(sentences) < _FEWEST:
            continue
        introducers = Introducers(
            index.named("introduced", [name]), index.named("titled", [name]), name, True, False
        )
        row = _introduced_by(introducers, index, scoped)
        if row < 0:
            continue
        paper_id = index.ids(np.array([row]))[0]
        paper = library.papers([paper_id]).get(paper_id)
        if paper is None:
            continue
        spelling = spellings(sentences[0].text)[name]
        why = f"introduces the name {spelling}, which you use in {counted(len(sentences), 'sentence')}"
        yield NameUsed(spelling, paper, sentences[0].place, why)


def _uses(manuscript: Manuscript) -> dict[str, list[DraftSentence]]:
    """The sentences of the body that use each name, by its folded form."""
    cited = manuscript.cited_keys
    titles = [one.paper.title for one in manuscript.references if one.key in cited]
    known = {name for title in titles for name in spellings(title)}
    known.update(introduced_names(manuscript.title, manuscript.abstract), spellings(manuscript.title))
    uses: dict[str, list[DraftSentence]] = {}
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences if is_read(paragraph) else ():
            for name, spelling in spellings(sentence.text).items():
                if is_marked(spelling) and spelling[0].isalpha():
                    uses.setdefault(name, []).append(sentence)
                    if _is_cited(sentence, spelling):
                        known.add(name)
    return {name: sentences for name, sentences in uses.items() if name not in known}


def _is_cited(sentence: DraftSentence, spelling: str) -> bool:
    """Whether a citation follows the name, or stands before it in the same few words, wherever the sentence
    has it as a whole word."""
    return any(
        use.start() - 2 <= marker.offset < use.end() + _BESIDE
        for use in re.finditer(rf"(?<!\w){re.escape(spelling)}(?!\w)", sentence.text)
        for marker in sentence.markers
    )


def _introduced_by(introducers: Introducers, index: Index, scoped: ScopedQuery) -> int:
    """The row of the one paper whose title introduces a name that others use and none used before; -1 if
    there is none, or if a paper that the draft cites introduces it, too."""
    view, bm25 = scoped.view, scoped.parameters.text
    if not len(introducers.in_title) or np.isin(introducers.rows, scoped.known).any():
        return -1
    if introducers.users(view, bm25) < _USERS or introducers.uses(view, bm25).original < _ORIGINAL:
        return -1
    standings = introducers.standings(index, view, introducers.in_title)
    best = int(standings.argmax())
    return int(introducers.in_title[best]) if standings[best] == 1 else -1
