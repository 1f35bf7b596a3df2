"""What costs time and is asked for again: kept, up to a number, by threads together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["Kept"]

_Value = TypeVar("_Value")


class Kept(Generic[_Value]):
    """At most `most` values by key; the oldest one gives way. Values must be fit to be shared."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, _Value] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """The value, made where it is not there. Threads that ask at once may each make one; all get the
        first."""
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values and len(self._values) >= self._most:
                del self._values[next(iter(self._values))]
            return self._values.setdefault(key, value)
