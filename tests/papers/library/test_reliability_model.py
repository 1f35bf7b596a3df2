"""Random lives of a library, compared step by step with a model that fits on a page."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from citewhy.base.records import Alias, Citation, Context, Paper
from citewhy.papers.library.store import Library
from citewhy.text.dedupe import clash, merged, same_paper, updated

IDS = [f"p{number}" for number in range(8)]

ids = st.sampled_from(IDS)
papers = st.builds(
    Paper,
    id=ids,
    title=st.sampled_from(["On the Parsing of Trees", "On the Tagging of Words", "Preface", ""]),
    abstract=st.sampled_from(["", "Short.", "Longer."]),
    authors=st.sampled_from([(), ("Ann Smith",), ("Bob Jones", "Ann Smith")]),
    year=st.sampled_from([None, 1999, 2000, 2001]),
    doi=st.sampled_from(["", "", "10.1/a", "10.1/b"]),
)
contexts = st.builds(
    Context,
    id=st.sampled_from(["1", "2", "3"]),
    citing_id=ids,
    cited_ids=st.lists(ids, min_size=1, max_size=3).map(tuple),
    text=st.sampled_from(["As TARGETCIT shows.", "Unlike TARGETCIT."]),
    year=st.sampled_from([None, 2005]),
)


class Model:
    """What a library should say, worked out from all that was ever said."""

    def __init__(self) -> None:
        self.records: dict[str, Paper] = {}
        """In the order in which they came."""
        self.groups: list[set[str]] = []
        self.aliases: set[frozenset[str]] = set()
        self.known: set[str] = set()
        """The names with records when the groups were last seen."""
        self.apart: set[frozenset[str]] = set()
        """Ids that a person took apart."""
        self.contexts: dict[tuple[str, str], Context] = {}
        self.citations: set[tuple[str, str]] = set()
        self.generation = 0

    def add_papers(self, new: list[Paper]) -> None:
        before = dict(self.records)
        for paper in sorted(new, key=lambda each: each.id):
            name, copy = paper.id, 1
            while name in self.records and clash(self.records[name], paper):
                copy += 1
                name = f"{paper.id}#{copy}"
            paper = replace(paper, id=name)
            self.records[name] = updated(self.records[name], paper) if name in self.records else paper
        self.generation += before != self.records

    def remove(self, name: str) -> None:
        group = self.group(name)
        self.groups.remove(group)
        self.records = {key: paper for key, paper in self.records.items() if key not in group}
        self.generation += 1

    def split(self, name: str) -> None:
        """Takes a record out of its group; where names without a record go, the library says."""
        stored = [key for key in self.records if key in self.group(name)]
        leaving = {name} if name != stored[0] else set(stored[1:])
        self.apart |= {frozenset((one, other)) for one in leaving for other in stored if other not in leaving}
        self.groups.remove(self.group(name))
        self.groups += [leaving, set(stored) - leaving]
        self.records = {
            key: paper
            for out in (False, True)
            for key, paper in self.records.items()
            if (key in leaving) is out
        }
        self.generation += 1

    def group(self, name: str) -> set[str]:
        """All names of the entry; empty for an unknown name."""
        return next((group for group in self.groups if name in group), set())

    def entry(self, name: str) -> str | None:
        group = self.group(name)
        return next((key for key in self.records if key in group), None)

    def paper(self, name: str) -> Paper:
        group = self.group(name)
        return merged([paper for key, paper in self.records.items() if key in group])

    def context(self, said: Context) -> Context:
        citing = self.entry(said.citing_id)
        cited = dict.fromkeys(entry for name in said.cited_ids if (entry := self.entry(name)))
        year = self.paper(citing).year if citing and said.year is None else said.year
        return replace(said, citing_id=citing or said.citing_id, cited_ids=tuple(cited), year=year)

    def follow(self, groups: list[set[str]]) -> None:
        """Takes over the `groups` of the library, if they are possible ones: names that were together stay
        together, names without any link stay apart, and so do those that a person took apart. Groups that are
        linked are one where all of their records are the same paper, unless something was split: what it kept
        apart from others is not asked again."""
        for before in self.groups:  # a mere name may have become a record of another paper
            assert sum(bool(before & self.known & group) for group in groups) == 1
        self.known = set(self.records)
        links = [set(pair) for pair in self.aliases]
        said = list(self.records.values())
        links += [{one.id, other.id} for one in said for other in said if same_paper(one, other)]
        linked: list[set[str]] = []
        for some in (*links, *self.groups, *({name} for name in self.records)):
            touching = [group for group in linked if group & some]
            linked = [group for group in linked if not group & some] + [some.union(*touching)]
        for group in groups:
            assert group & self.records.keys()
            assert any(group <= component for component in linked)
            assert not any(pair <= group for pair in self.apart)
        for component in linked:
            records = [paper for paper in said if paper.id in component]
            if all(same_paper(one, other) for one in records for other in records):
                assert self.apart or sum(bool(group & component) for group in groups) <= 1
        self.groups = groups


class LibraryMachine(RuleBasedStateMachine):
    """Adds, updates, merges, splits, removes and reopens."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.library = Library.open(self.folder, create=True)
        self.model = Model()
        self.numbers: dict[str, int] = {}
        self.retired: set[int] = set()

    @rule(new=st.lists(papers, min_size=1, max_size=4))
    def add_papers(self, new: list[Paper]) -> None:
        # Of one id, the order counts: a stable sort by id keeps it, in the library as in the model.
        self.library.add(new)
        self.model.add_papers(new)

    @rule(one=ids, other=ids)
    def add_alias(self, one: str, other: str) -> None:
        pair = frozenset((one, other))
        known = len(pair) < 2 or pair in self.model.aliases
        result = self.library.add([Alias(one, other)])
        assert result.new["aliases"] + result.refused["aliases"] == (not known)
        if result.new["aliases"]:
            self.model.aliases.add(pair)
        assert result.changed or not result.new
        self.model.generation += result.changed  # of an alias that is refused, other names may come back

    @rule(new=contexts)
    def add_context(self, new: Context) -> None:
        key = (new.citing_id, new.id)
        self.library.add([new])
        self.model.generation += self.model.contexts.get(key) != new
        self.model.contexts[key] = new

    @rule(citing=ids, cited=ids)
    def add_citation(self, citing: str, cited: str) -> None:
        self.library.add([Citation(citing, cited)])
        self.model.generation += (citing, cited) not in self.model.citations
        self.model.citations.add((citing, cited))

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        known = sorted(name for group in self.model.groups for name in group)
        if known:
            name = data.draw(st.sampled_from(known))
            self.library.remove([name])
            self.model.remove(name)

    @rule(data=st.data())
    def split(self, data: st.DataObject) -> None:
        known = [{*group} & self.model.records.keys() for group in self.model.groups]
        merged_names = sorted(name for group in known if len(group) > 1 for name in group)
        if merged_names:
            name = data.draw(st.sampled_from(merged_names))
            self.library.split(name)
            self.model.split(name)

    @rule()
    def reopen(self) -> None:
        self.library.close()
        self.library = Library.open(self.folder)

    @invariant()
    def says_what_the_model_says(self) -> None:
        library, model = self.library, self.model
        assert library.generation == model.generation
        names = sorted({*IDS, *model.records})
        groups = defaultdict(set)
        for name in names:
            if (canonical := library.canonical(name)) is not None:
                groups[canonical].add(name)
        model.follow(list(groups.values()))
        assert {name: library.canonical(name) for name in names} == {
            name: model.entry(name) for name in names
        }
        entries = {entry for name in names if (entry := model.entry(name))}
        found = dict(library.numbered_papers())
        assert {paper.id: paper for paper in found.values()} == {
            entry: model.paper(entry) for entry in entries
        }
        told = [model.context(context) for context in model.contexts.values()]
        alive = sorted((context for context in told if context.cited_ids), key=repr)
        assert sorted((context for _, context in library.numbered_contexts()), key=repr) == alive
        edges = {(model.entry(citing), model.entry(cited)) for citing, cited in model.citations}
        edges = {(citing, cited) for citing, cited in edges if citing and cited and citing != cited}
        assert set(library.edges()) == edges

    @invariant()
    def numbers_are_for_life(self) -> None:
        """An entry keeps its number; the number of a removed or merged one is told, and never comes back."""
        now = {paper.id: number for number, paper in self.library.numbered_papers()}
        gone = {number for entry, number in self.numbers.items() if now.get(entry) != number}
        self.retired |= gone
        assert gone <= set(self.library.removed_numbers())
        assert not self.retired & set(now.values())
        self.numbers = now

    def teardown(self) -> None:
        self.library.verify()
        self.library.close()
        shutil.rmtree(self.folder)


def _run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        LibraryMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_random_lives() -> None:
    """Whatever is added, updated, aliased, split, removed and reopened, library and model never differ."""
    _run(examples=20, steps=25)


@pytest.mark.full
def test_random_lives_in_full() -> None:
    """As above, a thousand lives of fifty steps."""
    _run(examples=1000, steps=50)
