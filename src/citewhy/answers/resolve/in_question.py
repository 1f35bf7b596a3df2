"""Which papers a question names: one typed or pasted sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from citewhy.answers.resolve.at_gap import named_at_gap, written
from citewhy.answers.resolve.notes import authors_before
from citewhy.answers.resolve.resolver import Resolver
from citewhy.base.records import Resolution
from citewhy.base.trace import traced
from citewhy.text.author_year import Group
from citewhy.text.markers import OTHER, TARGET, find, mask
from citewhy.text.placeholders import OPEN_BRACKET
from citewhy.text.system_names import marked_names

_PLURAL = re.compile(r"(?<=[A-Z])s$")


@dataclass(frozen=True, slots=True)
class NamedInText:
    """Tells what a raw text names."""

    resolved: tuple[Resolution, ...] = ()
    """Holds what is at its placeholder (`named_at_gap`), or without one its printed citations ("Och and Ney
    (2003)"), for which the library has papers."""
    unknown_names: tuple[str, ...] = ()
    """Names of systems, data sets and the like, written as only names are ("GloVe", "word2vec"), of which the
    library has nothing."""
    unknown_citations: tuple[str, ...] = ()
    """Printed citations of which the library has no paper by these authors and of this year, and surnames
    directly before the placeholder that no paper has."""

    @property
    def resolutions(self) -> tuple[Resolution, ...]:
        """All of it: `resolved`, then what the library does not have, without papers."""
        names = (Resolution(name, "name") for name in self.unknown_names)
        citations = (Resolution(citation, "authors") for citation in self.unknown_citations)
        return (*self.resolved, *names, *citations)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Tells people what they should know of it, a sentence each."""
        remarks = []
        if self.unknown_names:
            names = " or ".join(self.unknown_names)
            remarks.append(f"no title or abstract in the library has the name {names}")
        if self.unknown_citations:
            citations = " or ".join(self.unknown_citations)
            remarks.append(f"the library has no paper that is cited as {citations}")
        return tuple(remarks)


@traced("what the text names")
def named_in_text(resolver: Resolver, text: str) -> NamedInText:
    """Resolves all that a raw text names, each once."""
    gap = OPEN_BRACKET.search(text)
    groups = list(_printed_groups(text))
    if gap:
        at_gap = named_at_gap(resolver, gap[0], text[: gap.start()], text[gap.end() :])
        resolutions = [resolution for resolution in at_gap if resolution.paper_ids]
        unresolved = groups
    else:
        exact = [(group, resolver.cited(group)) for group in groups]
        resolutions = [
            replace(papers, text=written(group), kind="key") for group, papers in exact if papers.paper_ids
        ]
        unresolved = [group for group, papers in exact if not papers.paper_ids]
    citations = dict.fromkeys(written(group) for group in unresolved if not _has_paper(resolver, group))
    names = authors_before(text[: gap.start()]) if gap else ()
    if names and not resolver.finds(" ".join(names)):
        citations[f"{names[0]} et al." if len(names) == 1 else " and ".join(names)] = None
    return NamedInText(tuple(resolutions), _unknown_names(resolver, text), tuple(citations))


def _printed_groups(text: str) -> Iterator[Group]:
    """The printed citations with surnames and a year."""
    for marker in find(text):
        yield from (group for group in marker.groups if group.year is not None and group.names)


def _has_paper(resolver: Resolver, group: Group) -> bool:
    """Whether the library has a paper that surnames and year name as a citation key."""
    return bool(resolver.resolve(f"{' '.join(group.names)} {group.year}").paper_ids)


def _unknown_names(resolver: Resolver, text: str) -> tuple[str, ...]:
    plain = mask(OPEN_BRACKET.sub(" ", text)).replace(OTHER, " ").replace(TARGET, " ")
    names = (_PLURAL.sub("", name) for name in marked_names(plain))
    return tuple(name for name in names if not resolver.finds(name))
