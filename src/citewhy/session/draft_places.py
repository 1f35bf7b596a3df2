"""The places of a draft that is open, with ids that last while other text changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from citewhy.base.records import Advice, Manuscript, Unit
from citewhy.drafts.edit.decisions import Decision, Decisions, Where, place_id
from citewhy.text.alike import near_duplicates

PlaceKind = Literal["open", "undefined", "paragraph", "uncited"]
"""``open``: a citation without papers; ``undefined``: one with keys that no bibliography has; ``paragraph``:
a paragraph for which papers are asked; ``uncited``: a sentence without an open citation that may need one."""

NameOf = Callable[[str], str]
"""What a file of a manuscript is called, relative to the folder of the root file."""


@dataclass(frozen=True, slots=True)
class DraftPlace:
    """A place of a draft that lacks a citation."""

    id: str
    kind: PlaceKind
    unit: Unit
    claim: Advice | None = None
    """What was found of a sentence that cites nothing."""

    @property
    def sentence(self) -> str:
        """The text of its sentence."""
        return "" if self.unit.sentence is None else self.unit.sentence.text


def places_of(units: Iterable[Unit], name_of: NameOf) -> Iterator[DraftPlace]:
    """Units of a draft, in reading order, as places with their ids."""
    numbers: Counter[tuple[str, str]] = Counter()
    for unit in units:
        yield DraftPlace(_id(unit, name_of, numbers), _kind(unit), unit)


def _id(unit: Unit, name_of: NameOf, numbers: Counter[tuple[str, str]]) -> str:
    """The id of the next unit, where so many with the same sentence were before, by file and sentence."""
    text = f"{unit.kind == 'paragraph'}{unit.sentence.text if unit.sentence else ''}"
    where = name_of(unit.place.file), text
    numbers[where] += 1
    return place_id(*where, numbers[where] - 1)


def _kind(unit: Unit) -> PlaceKind:
    if unit.marker is None:
        return "paragraph"
    return "undefined" if unit.undefined else "open"


class Sentences:
    """The sentences of a draft where no citation is open, as places that may need one. The id of each is the
    one that an open citation in it would have."""

    def __init__(self, manuscript: Manuscript, places: Sequence[DraftPlace], name_of: NameOf) -> None:
        """Takes the draft, and its `places`, as `places_of` tells them."""
        self.manuscript = manuscript
        numbers: Counter[tuple[str, str]] = Counter()
        for place in places:
            _id(place.unit, name_of, numbers)
        lacking = {
            one.unit.sentence.place
            for one in places
            if one.unit.sentence is not None and one.kind != "paragraph"
        }
        found = (
            Unit("place", sentence.place, None, sentence, paragraph)
            for paragraph in manuscript.paragraphs
            for sentence in paragraph.sentences
            if sentence.place not in lacking
        )
        uncited = [DraftPlace(_id(unit, name_of, numbers), "uncited", unit) for unit in found]
        self.by_id = {one.id: one for one in uncited}
        """In reading order."""
        self.at = {one.unit.place: one for one in uncited}
        """By the places of the sentences."""


def successors(
    gone: Mapping[str, Where], now: Sequence[DraftPlace], name_of: NameOf
) -> dict[str, DraftPlace]:
    """For places that are gone, by their ids, the ones of `now` that they have become: in the order of each
    file, those in a sentence that is nearly the same."""
    become: dict[str, DraftPlace] = {}
    new = list(now)
    for identifier, (file, sentence) in gone.items():
        for one in new:
            if name_of(one.unit.place.file) == file and near_duplicates(sentence, one.sentence):
                become[identifier] = one
                new.remove(one)
                break
    return become


def moved(
    decisions: Decisions, gone: Mapping[str, Where], now: Sequence[DraftPlace], name_of: NameOf
) -> dict[str, Decision]:
    """What is decided when what was decided for places that are `gone` is for those of `now` that they have
    become and that have no decision of their own, by id."""
    become = successors(gone, [one for one in now if not decisions[one.id]], name_of)
    changes = dict.fromkeys(become, Decision())
    for identifier, one in become.items():
        file = name_of(one.unit.place.file)
        changes[one.id] = replace(decisions[identifier], file=file, sentence=one.sentence)
    return changes
