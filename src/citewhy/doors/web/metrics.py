"""Figures of a running server, in Prometheus' text form."""

from __future__ import annotations

import resource
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from citewhy.base.log import most_memory

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Upper bounds of the classes into which the time of an answer falls."""


class Metrics:
    """Counts requests. Thread-safe."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._times: dict[str, list[int]] = defaultdict(lambda: [0] * (len(_SECONDS) + 1))
        self._sums: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, route: str, status: int, seconds: float) -> None:
        """Counts a request that was answered."""
        with self._lock:
            self._requests[route, status] += 1
            self._times[route][bisect_left(_SECONDS, seconds)] += 1
            self._sums[route] += seconds  # type: ignore[assignment]

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All figures; `gauges` are further ones, each with what it says."""
        with self._lock:
            return "\n".join([*self._counted(), *_gauges({**gauges, **_of_process()}), ""])

    def _counted(self) -> Iterator[str]:
        yield "# HELP citewhy_requests_total Requests that were answered."
        yield "# TYPE citewhy_requests_total counter"
        for (route, status), number in sorted(self._requests.items()):
            yield f'citewhy_requests_total{{route="{route}",status="{status}"}} {number}'
        yield "# HELP citewhy_request_seconds Time until a request was answered whole."
        yield "# TYPE citewhy_request_seconds histogram"
        for route, numbers in sorted(self._times.items()):
            total = 0
            for bound, number in zip((*map(str, _SECONDS), "+Inf"), numbers, strict=True):
                total += number
                yield f'citewhy_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'citewhy_request_seconds_sum{{route="{route}"}} {self._sums[route]:.6f}'
            yield f'citewhy_request_seconds_count{{route="{route}"}} {total}'


def _gauges(gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    for name, (what, value) in gauges.items():
        yield f"# HELP citewhy_{name} {what}"
        yield f"# TYPE citewhy_{name} gauge"
        yield f"citewhy_{name} {value:g}"


def _of_process() -> dict[str, tuple[str, float]]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "processor_seconds": ("Processor time of the server.", used.ru_utime + used.ru_stime),
        "most_memory_bytes": ("The most memory that the server has had.", most_memory()),
    }
