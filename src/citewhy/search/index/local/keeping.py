"""A small thread-safe cache of costly values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["Kept"]

_Value = TypeVar("_Value")


class Kept(Generic[_Value]):
    """At most `most` values by key; the oldest one is dropped first. Values are shared between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, _Value] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """The value, which is made if it is missing. Threads that ask at the same time may each make one; all
        get the first."""
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values and len(self._values) >= self._most:
                del self._values[next(iter(self._values))]
            return self._values.setdefault(key, value)
