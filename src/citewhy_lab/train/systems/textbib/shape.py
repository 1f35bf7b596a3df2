"""The architecture of a TEXTBIB network: variant and sizes. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["VARIANTS", "Shape", "Variant"]

Variant = Literal["TEXTCON", "TEXTENH", "TEXTBIBCON-S", "TEXTBIBCON-WS", "TEXTBIBENH-S", "TEXTBIBENH-WS"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
"""``CON``: the context alone; ``ENH``: enhanced by title and abstract of the citing paper. ``BIB``: with the
bibliographic module, whose score is added (``S``) or weighed by the context (``WS``)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes are dimensions of vectors."""

    variant: Variant = "TEXTBIBENH-WS"
    word: int = 300
    state: int = 96
    """Of the LSTM, in each direction; a token's state is twice as long."""
    attention: int = 64
    author: int = 50
    people: int = 50
    """Of the convolution over authors."""
    span: int = 3
    """Width of the convolution, in authors; odd."""
    recent: int = 3
    """Citations of the last so many years before the query's are also counted apart, as recent."""
    context_tokens: int = 60
    paper_tokens: int = 80
    """Tokens that are read of a context, and of a title with its abstract."""
    function_words: bool = False
    """Whether function words are read, too."""

    @property
    def enhanced(self) -> bool:
        return "ENH" in self.variant

    @property
    def bibliographic(self) -> bool:
        return "BIB" in self.variant

    @property
    def weighted(self) -> bool:
        return self.variant.endswith("-WS")
