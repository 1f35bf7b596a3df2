"""`Answer` to a text and `DraftAnswer` to a draft: all that a door needs to know in order to present them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from citewhy.answers.edits import AT_LEAST, Choices, first_choices, fits_own_entry, notes_own_entry
from citewhy.answers.entries_beside import KIND
from citewhy.answers.options import DraftOptions
from citewhy.base.errors import QueryError
from citewhy.base.records import Manuscript, Paper, Resolution, Suggestion, Unit, UnitAnswer
from citewhy.drafts.files import DISK, DraftFiles

_HARDLY_PROBABLE = 0.01
"""Probability below which a suggestion after the first is hardly worth showing."""


@dataclass(frozen=True, slots=True)
class Answer(Sequence[Suggestion]):
    """The answer to a text: a sequence of suggestions, best first."""

    text: str
    suggestions: tuple[Suggestion, ...]
    resolutions: tuple[Resolution, ...] = ()
    """Names what the text means: papers that the library has, then names and printed citations of which it
    has no paper."""
    remarks: tuple[str, ...] = ()
    """Tells people what they should know of the answer, a sentence each."""
    library: str = ""
    """The folder of the library that was asked."""
    pipeline: str = ""
    """The pipeline that ranked the papers."""
    several: float | None = None
    """Probability, in [0, 1], that the sentence is to be cited with several papers; None for other texts."""

    @overload
    def __getitem__(self, position: int) -> Suggestion: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Suggestion, ...]: ...
    def __getitem__(self, position: int | slice) -> Suggestion | tuple[Suggestion, ...]:
        return self.suggestions[position]

    def __len__(self) -> int:
        return len(self.suggestions)

    def exported(self) -> list[tuple[str, Paper]]:
        """The suggested papers, each with the key that it has in an export: its id."""
        return [(suggestion.paper.id, suggestion.paper) for suggestion in self.suggestions]


@dataclass(slots=True)
class DraftAnswer(Sequence[UnitAnswer]):
    """The answer to a draft: a sequence of the answers to its units, which are computed while it is iterated,
    and then kept."""

    manuscript: Manuscript
    units: Sequence[Unit]
    """The units that are answered, in the order of the answers."""
    coming: Iterator[UnitAnswer]
    """The answers that are not computed yet."""
    options: DraftOptions = field(default_factory=DraftOptions)
    remarks: tuple[str, ...] = ()
    """Tells people what they should know of the answer, a sentence each."""
    library: str = ""
    """The folder of the library that was asked."""
    pipeline: str = ""
    """The pipeline that ranked the papers."""
    encoded: bool = True
    """Whether it is an answer with vectors; without, nothing is sure enough to be written unasked."""
    cancelled: Callable[[], bool] | None = None
    """Asked before each unit whether the answer is no longer wanted; once it is not, no further units are
    answered, and the answer ends with those that are."""
    _ready: list[UnitAnswer] = field(default_factory=list)
    _error: Exception | None = None
    _ended: bool = False
    """Whether it was cancelled."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Tells what could not be read or resolved in the draft, with file and line."""
        return self.manuscript.problems

    def __iter__(self) -> Iterator[UnitAnswer]:
        position = 0
        while position < len(self._ready) or self._compute_next():
            yield self._ready[position]
            position += 1

    def __reversed__(self) -> Iterator[UnitAnswer]:
        return reversed(list(iter(self)))

    def __len__(self) -> int:
        """The number of units, answered or not yet; once the answer was cancelled, of those answered."""
        return len(self._ready if self._ended else self.units)

    @overload
    def __getitem__(self, position: int) -> UnitAnswer: ...
    @overload
    def __getitem__(self, position: slice) -> list[UnitAnswer]: ...
    def __getitem__(self, position: int | slice) -> UnitAnswer | list[UnitAnswer]:
        return list(iter(self))[position]

    def _compute_next(self) -> bool:
        """Computes one more answer; False if there is none, or none is wanted."""
        if not self._ended and self.cancelled is not None and self.cancelled():
            self._ended = True
            self.coming = iter(())  # lets go of what computes them
        if self._error is not None:
            raise self._error
        try:
            answer = next(self.coming, None)
        except Exception as error:  # the iterator has ended with it, which must not look like the last answer
            self._error = error
            raise
        if answer is None:
            return False
        self._ready.append(answer)
        return True

    def exported(self) -> list[tuple[str, Paper]]:
        """The suggested papers under their keys in the draft, each once; those that its bibliography has only
        if no others were asked for."""
        references = () if self.options.only == "mine" else self.manuscript.references
        defined = {reference.key for reference in references}
        suggestions = (suggestion for answer in self for suggestion in answer.suggestions)
        papers = {
            suggestion.key: suggestion.paper for suggestion in suggestions if suggestion.key not in defined
        }
        return list(papers.items())

    def first_choices(self, files: DraftFiles = DISK, at_least: float | None = None) -> Choices:
        """The first suggestions with a probability of `at_least` (None: as wished), which are probable enough
        to be written (`edits.first_choices`). Raises QueryError if the pipeline gives no probabilities, and
        for an answer without vectors."""
        if not self.encoded:
            raise QueryError(
                "the library is not all encoded yet, and nothing is sure enough to be written",
                hint="encode it with citewhy sync, or choose yourself with --choose",
            )
        at_least = self.options.at_least if at_least is None else at_least
        # Entries of the draft alone, and papers that a key names for certain, have none in any pipeline.
        ranked = (
            suggestion
            for answer in self
            for suggestion in answer.suggestions
            if suggestion.reasons[0].kind not in (KIND, "key")
        )
        if at_least is not None and any(suggestion.probability is None for suggestion in ranked):
            raise QueryError(
                f"the pipeline {self.pipeline} gives no probabilities",
                hint="omit --at-least, or use the pipeline full",
            )
        least = AT_LEAST if at_least is None else at_least
        return first_choices(self, self.manuscript, least, files, outside=self.options.outside)


# What is worth showing ------------------------------------------------------------------------------------


def worth_showing(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """The suggestions without those after the first that are hardly probable. A paper that a key names, or
    that is proposed for the citation, is worth showing however improbable it is."""
    return [
        suggestion
        for position, suggestion in enumerate(suggestions)
        if not position or suggestion.proposed or not _is_hardly_probable(suggestion)
    ]


def _is_hardly_probable(suggestion: Suggestion) -> bool:
    probability = suggestion.probability
    return probability is not None and probability < _HARDLY_PROBABLE and not is_by_key(suggestion)


def is_by_key(suggestion: Suggestion) -> bool:
    """Whether it is suggested because of its key, for which its probability at the place says nothing."""
    return bool(suggestion.for_key) or any(reason.kind == "key" for reason in suggestion.reasons)


def is_likely(answer: UnitAnswer) -> bool:
    """Whether a paper is likely for a unit: the first one (`likely`)."""
    return bool(answer.suggestions) and likely(answer.suggestions[0], answer)


def likely(suggestion: Suggestion, answer: UnitAnswer) -> bool:
    """Whether a paper is more likely right than wrong, or named at the place, for certain or by a key or
    a note that fits an entry of the draft (`fits_own_entry`, `notes_own_entry`)."""
    if is_by_key(suggestion):
        if (suggestion.for_key and fits_own_entry(suggestion)) or notes_own_entry(suggestion, answer):
            return True
        naming = (named for named in answer.resolutions if suggestion.paper.id in named.paper_ids)
        return any(named.certain for named in naming)
    return suggestion.probability is not None and suggestion.probability >= AT_LEAST


def seems_complete(answer: UnitAnswer) -> bool:
    """Whether nothing is proposed for a citation that has papers, though something was ranked."""
    unit = answer.unit
    if unit.kind != "set" or (unit.marker is not None and unit.marker.open) or unit.marker is None:
        return False
    ranked = any(suggestion.probability is not None for suggestion in answer.suggestions)
    return ranked and not any(suggestion.proposed for suggestion in answer.suggestions)
