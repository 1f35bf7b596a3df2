"""How many negatives of which kind are drawn for a positive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from citewhy.base.errors import QueryError

Strategy = Literal["random", "prefiltered", "neighbours", "most-cited", "cited"]

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""Where hard negatives come from (Medić and Šnajder 2022): ``prefiltered`` the first stage's candidates for
the context; ``neighbours`` second and third order of the citing paper in the citation graph; ``most-cited``
the papers that are cited most often; ``cited`` all that are cited at all. ``random`` is any paper."""

DEFAULT_COUNT = 10
"""Negatives, and so triplets, for each pair of a context and a cited paper."""

_ONLY = " (only)"


@dataclass(frozen=True, slots=True)
class Mix:
    """`hard`: number of negatives by strategy; `easy`: number from outside of all of these strategies."""

    hard: Mapping[Strategy, int]
    easy: int = 0

    @classmethod
    def named(cls, name: str) -> Mix:
        """Reads a strategy's name: five hard negatives by it and five easy ones; followed by `` (only)``: ten
        hard ones. ``random``: ten of any papers. ``prefiltered=3,cited=4,easy=3``: these numbers. Raises
        QueryError for anything else."""
        if "=" in name:
            return cls._counted(name)
        strategy = name.removesuffix(_ONLY)
        if strategy not in STRATEGIES:
            raise _unknown(name)
        if strategy == "random" or name.endswith(_ONLY):
            return cls({strategy: DEFAULT_COUNT})
        return cls({strategy: DEFAULT_COUNT // 2}, DEFAULT_COUNT - DEFAULT_COUNT // 2)

    @classmethod
    def _counted(cls, text: str) -> Mix:
        counts: dict[str, int] = {}
        for part in text.split(","):
            name, _, number = part.strip().partition("=")
            if name not in (*STRATEGIES, "easy") or name in counts or not number.isdecimal():
                raise _unknown(text)
            counts[name] = int(number)
        mix = cls(
            {strategy: counts[strategy] for strategy in STRATEGIES if counts.get(strategy)},
            counts.get("easy", 0),
        )
        if not mix.count:
            raise _unknown(text)
        return mix

    @property
    def count(self) -> int:
        """Negatives a positive."""
        return sum(self.hard.values()) + self.easy

    def __str__(self) -> str:
        return ",".join(
            f"{name}={count}" for name, count in (*self.hard.items(), ("easy", self.easy)) if count
        )


def _unknown(name: str) -> QueryError:
    return QueryError(
        f"there are no negatives {name!r}",
        hint=f"choose from: {', '.join(STRATEGIES)}, each also with{_ONLY};"
        " or count: prefiltered=3,cited=4,easy=3",
    )
