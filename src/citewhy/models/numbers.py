"""Numbers in the files of models, and in their answers: which of them can be used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError

LARGEST = 1e6
"""Largest magnitude of a weight, or of a value in a tree: far beyond those that are learned, and so small
that sums of their products with features stay finite in 32 bits."""

_ROUNDING = 1e-4
"""By so much a sum of rounded numbers may be larger than one."""

_LEAVE_OUT = "train the model again, or leave it out"


def bounded(values: NDArray[Any] | float) -> bool:
    """Whether a number, or all of an array, is finite and at most `LARGEST` in magnitude. Raises TypeError
    for what is no number."""
    if isinstance(values, np.ndarray):
        return bool((np.abs(values) <= LARGEST).all())
    return abs(values) <= LARGEST


def require_numbers(values: Any, shape: tuple[int | None, ...], model: str, *, whole: bool = False) -> None:
    """Raises ModelError if what a `model` of another package answers is not an array of finite numbers of
    this shape (None: any length), or of `whole` ones. What is not finite would be sorted somewhere."""
    if isinstance(values, np.ndarray):
        of_kind = values.dtype.kind in ("iu" if whole else "iuf")
        fits = len(values.shape) == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, values.shape, strict=True)
        )
        if of_kind and fits and np.isfinite(values).all():
            return
    answered = f"{values.dtype} of shape {values.shape}" if isinstance(values, np.ndarray) else "no array"
    raise ModelError(
        f"{model} does not answer with finite numbers of shape {shape} ({answered})",
        hint=_LEAVE_OUT,
    )


def require_probabilities(values: Any, shape: tuple[int | None, ...], model: str) -> None:
    """The same for probabilities."""
    require_numbers(values, shape, model)
    if not ((values >= -_ROUNDING) & (values <= 1 + _ROUNDING)).all():
        raise ModelError(f"{model} answers with probabilities that are none", hint=_LEAVE_OUT)
