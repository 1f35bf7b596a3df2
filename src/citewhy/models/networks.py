"""Networks in ONNX files: how they are loaded, and run for many inputs, for all kinds of models."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["on_cores", "open_network"]


def open_network(network: bytes) -> Any:
    """An onnxruntime session that uses one thread a run. Loaded from memory, so that a graph cannot refer to
    other files. Raises what onnxruntime raises for a network that it cannot load."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    session._model_bytes = None  # kept only for changing providers, and as large as the model
    return session


def on_cores(run: Callable[[int], None], places: Sequence[int], threads: int = 0) -> None:
    """Calls `run` for each of `places`, on several cores at a time; a session releases the interpreter's lock
    while it works. `threads` 0: one for each core. Raises what `run` raises."""
    if len(places) <= 1:
        for place in places:
            run(place)
        return
    for _ in _pool(threads or _cores(), os.getpid()).map(run, places):
        pass


def _cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Kept, because starting threads takes as long as a short text. One for each `process`: threads do not
    survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"networks {process}")
