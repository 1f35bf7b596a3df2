"""Networks in ONNX files: how they are loaded, and run for many inputs, for all kinds of models."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError
from citewhy.models.shapes import Shapes

_HINT = "train or export the model again"

_EXACT_SUMS = ("session.x64quantprecision", "1")
"""On x86 processors without VNNI, pairs of 8-bit products are added in 16 bits and cut off, so that vectors
of papers have a cosine of .99 with those of other processors. With this, sums are exact; where they are so
anyway, it would only take half as long again."""

_LARGEST_SUMS = (
    b'\x08\x08:\x93\x01\n\x18\n\x01a\n\x01b\x12\x01c"\rMatMulInteger\x12\x00*K\x08\x08\x08\x08\x10\x03B\x01bJ@'
    + b"\x7f" * 64
    + b"Z\x13\n\x01a\x12\x0e\n\x0c\x08\x02\x12\x08\n\x02\x08\x01\n\x02\x08\x08"
    + b"b\x13\n\x01c\x12\x0e\n\x0c\x08\x06\x12\x08\n\x02\x08\x01\n\x02\x08\x08B\x04\n\x00\x10\r"
)
"""An ONNX file with one node, `c = MatMulInteger(a, b)`: `a` of shape (1, 8) without sign, and a constant `b`
of shape (8, 8) that holds the largest number with a sign, 127."""

_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"
"""Environment variable that onnxruntime reads while it is imported. Without it, its official builds (1.31)
put events about the computer into the user's cache, and send them to Microsoft."""

Device = Literal["cpu", "cuda"]
"""Where a network runs."""

_CUDA = "CUDAExecutionProvider"

N = TypeVar("N", bound=np.generic)


def onnxruntime() -> Any:
    """The module, imported so that it neither records nor sends anything. To be called before parts of it are
    imported, too."""
    os.environ[_NO_TELEMETRY] = "1"
    import onnxruntime as module

    return module


class Network:
    """A network in an ONNX file, run by onnxruntime with one thread a run, or on a graphics card.
    Thread-safe."""

    def __init__(self, content: bytes, path: Path, device: Device = "cpu") -> None:
        """`path` is for error messages. Loaded from memory, so that a graph cannot refer to other files.
        Raises what onnxruntime raises for a network that it cannot load; ModelError if it has no `device`."""
        self._path = path
        self._session = _session(content, exact=not sums_are_exact(), device=device)
        if device == "cuda" and _CUDA not in self._session.get_providers():
            # Where the card does not answer, onnxruntime takes the processor, and only warns.
            raise ModelError(
                "onnxruntime cannot use a graphics card here, expected its build for CUDA",
                path=path,
                hint="install onnxruntime-gpu in the place of onnxruntime, or leave out --device",
            )
        self._session._model_bytes = None  # kept only for changing providers, and as large as the model

    @property
    def inputs(self) -> Shapes:
        """Shapes by name, in their order."""
        return {tensor.name: tuple(tensor.shape) for tensor in self._session.get_inputs()}

    @property
    def outputs(self) -> Shapes:
        """Shapes by name, in their order."""
        return {tensor.name: tuple(tensor.shape) for tensor in self._session.get_outputs()}

    def __call__(self, given: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """The first output for arrays by the names of the inputs. Raises ModelError if the network fails, or
        returns values that are not finite."""
        with _answering("network", self._path):
            output: NDArray[Any] = self._session.run(None, given)[0]
        return finite(output, self._path)


def _session(content: bytes, *, exact: bool, device: Device = "cpu") -> Any:
    """A session for a network's content, with one thread a run; `exact`: asking for exact sums."""
    runtime = onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if exact:
        options.add_session_config_entry(*_EXACT_SUMS)
    wanted = [*([_CUDA] if device == "cuda" else []), "CPUExecutionProvider"]
    providers = [provider for provider in wanted if provider in runtime.get_available_providers()]
    return runtime.InferenceSession(content, options, providers=providers)


@functools.cache
def sums_are_exact() -> bool:
    """Whether this processor adds 8-bit products without cutting sums off, when it is not asked to. Tried
    with the largest products that there are, since names of processors tell little."""
    largest = np.full((1, 8), 255, dtype=np.uint8)
    sums = _session(_LARGEST_SUMS, exact=False).run(None, {"a": largest})[0]
    return bool((sums == 8 * 255 * 127).all())


def tokens(tokenizer: Any, texts: Sequence[str], path: Path) -> list[list[int]]:
    """The ids of each text's tokens. Raises ModelError if the tokenizer in `path` cannot split a text."""
    with _answering("tokenizer", path):
        return [encoding.ids for encoding in tokenizer.encode_batch_fast([*texts])]


def finite(values: NDArray[N], path: Path) -> NDArray[N]:
    """`values`, which a network in `path` returned. Raises ModelError if any is not finite."""
    if not np.isfinite(values).all():
        raise ModelError(
            "the network returns values that are not finite",
            path=path,
            hint=_HINT,
        )
    return values


@contextmanager
def _answering(what: str, path: Path) -> Iterator[None]:
    """Raises ModelError for whatever runtimes raise, also for panics of Rust, which are no Exception."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise ModelError(
            f"the {what} fails ({type(error).__name__}: {error})",
            path=path,
            hint=_HINT,
        ) from error


def on_cores(run: Callable[[int], None], positions: Sequence[int], threads: int = 0) -> None:
    """Calls `run` for each of `positions`, on several cores at a time; a session releases the interpreter's
    lock while it works. `threads` 0: one for each core. Raises what `run` raises."""
    if len(positions) <= 1:
        for position in positions:
            run(position)
        return
    for _ in _pool(threads or _cores(), os.getpid()).map(run, positions):
        pass


def _cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Kept, because starting threads takes as long as a short text. One for each `process`: threads do not
    survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"networks {process}")
