"""What all tasks share."""

from __future__ import annotations

import pytest
from shelf import Shelf, small_shelf

from citewhy.base.errors import QueryError
from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets import TASKS, task
from citewhy_lab.evaluate.datasets.topics import Topic, hide
from citewhy_lab.evaluate.measures import parse


@pytest.fixture
def shelf() -> Shelf:
    return small_shelf()


def topics(*relevant: str) -> list[Topic]:
    return [Topic(Query("local", id=f"q{n}"), tuple(papers)) for n, papers in enumerate(relevant)]


@pytest.mark.parametrize("name", TASKS)
def test_every_task_describes_itself(name: str) -> None:
    """A task's module has a description under its name, with measures that exist."""
    found = task(name)
    assert found.name == name
    assert [str(*parse(measure)) for measure in found.measures] == list(found.measures)


def test_unknown_task() -> None:
    """A task that does not exist is refused with those that do."""
    with pytest.raises(QueryError, match="there is no task 'locale'; known: local, global"):
        task("locale")


@pytest.mark.parametrize("relevant", [(), ("A", "A")])
def test_a_topic_needs_answers(relevant: tuple[str, ...]) -> None:
    """A question without a right answer, or with the same one twice, is a mistake of its maker."""
    with pytest.raises(ValueError, match="relevant papers, each once"):
        Topic(Query("local", id="q"), relevant)


def test_hide(shelf: Shelf) -> None:
    """Only hidden papers are judged, only queries that ask for one are kept; papers not there are not
    sampled."""
    asked, hidden = hide(topics("AB", "BC", "Z", "DZ"), 4, seed=7, papers=shelf)
    assert hidden == {"A", "B", "C", "D"}
    judged = {topic.query.id: topic.relevant for topic in asked}
    assert judged == {"q0": ("A", "B"), "q1": ("B", "C"), "q3": ("D",)}


def test_hide_some(shelf: Shelf) -> None:
    """The sample depends on the seed alone, not on the order of the topics."""
    forth, back = topics("AB", "CD", "EF"), topics("FE", "DC", "BA")
    samples = {seed: hide(forth, 2, seed, shelf)[1] for seed in range(20)}
    assert samples == {seed: hide(back, 2, seed, shelf)[1] for seed in range(20)}
    assert all(len(hidden) == 2 for hidden in samples.values())
    assert len(set(samples.values())) > 5
    asked, hidden = hide(forth, 2, 7, shelf)
    assert {paper for topic in asked for paper in topic.relevant} == hidden


@pytest.mark.parametrize("count", [-1, 0, 3])
def test_hide_too_many(shelf: Shelf, count: int) -> None:
    """More papers than there are cannot be hidden, and none is no experiment; how many there are is said."""
    with pytest.raises(QueryError, match=f"--unseen {count} papers cannot be hidden; give 1 to 2"):
        hide(topics("AB", "Z"), count, seed=7, papers=shelf)
