"""Encodes the texts of a library: while people wait, or in the background, while queries are answered
without vectors."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from citewhy.base.artifact import open_lock
from citewhy.base.errors import CiteWhyError
from citewhy.base.progress import Progress, encoding
from citewhy.base.reports import ToEncode
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder, EncoderAround, TextKind, Vectors, default_encoder
from citewhy.search.index import Encoded, Engine, choose, chosen

_LOCK = "encoding.lock"
"""Held in the folder of a library by the process that encodes its texts."""

_LOOKS_EVERY = 1.0
"""Seconds between two looks whether another process still encodes."""

_STOPPED_WITHIN = 10.0
"""Seconds to wait for a text that is being encoded."""

_TRIES_AGAIN = 60.0
"""Seconds after which encoding goes on that failed: when others had locked the library, or there was no
space."""

_NICENESS = 10

Encode = Callable[[Encoder, Encoded], object]
"""Encodes all texts of a library by an encoder, and tells how far it is."""


class _StoppedError(Exception):
    """The texts are not needed any more."""


class EncodingInBackground:
    """Encodes in a thread of its own, on one core, one text at a time and after everything else that the
    machine has to do; or, if it is to be done `soon`, on all cores. What is encoded is kept: whoever goes on
    begins there."""

    def __init__(self, encode: Encode, encoder: Encoder, folder: Path, *, soon: bool = False) -> None:
        """`encode` is called with an encoder in the place of `encoder`, and with what it is to tell how far
        it is, which ends it. While another process encodes the library in `folder`, nothing is done."""
        self._stop = threading.Event()
        self._done = threading.Event()
        self.soon = soon
        arguments = (encode, _OneByOne(encoder, self._stop, together=soon), folder, self._stop, self._done)
        self._thread = threading.Thread(target=_run, args=arguments, daemon=True, name="encoding")
        self._thread.start()
        weakref.finalize(self, self._stop.set)

    @property
    def is_done(self) -> bool:
        """Whether all texts are encoded."""
        return self._done.is_set()

    def stop(self) -> None:
        """Ends soon, and waits for it."""
        self._stop.set()
        self._thread.join(_STOPPED_WITHIN)


def _run(
    encode: Encode,
    encoder: _OneByOne,
    folder: Path,
    stop: threading.Event,
    done: threading.Event,
) -> None:
    if sys.platform == "linux" and not encoder.together:  # elsewhere, threads have no niceness of their own
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)

    def tell(_done: int, _total: int) -> None:
        if stop.is_set():
            raise _StoppedError

    while not stop.is_set():
        waits = _LOOKS_EVERY
        try:
            with _encoding_alone(folder) as alone:
                if alone:
                    encode(encoder, tell)
                    done.set()
                    return
        except _StoppedError:
            return
        # A folder that cannot be written, or a library that has changed: the next query tells.
        except (CiteWhyError, OSError, ValueError, sqlite3.Error):
            waits = _TRIES_AGAIN
        stop.wait(waits)


def encode(
    library: Library,
    engine: Engine,
    encoder: Encoder | None,
    progress: Progress,
    vectors: bool | ToEncode = True,
) -> None:
    """Encodes the texts of a library that have no vectors of `encoder` (None: that of the package) yet, and
    are to have some: as was chosen before (`vectors` true), or as is chosen now, which is kept. Sessions in
    other processes do not do the same meanwhile."""
    if isinstance(vectors, str):
        choose(library.folder, vectors)
    if not vectors or chosen(library.folder) == "words-only":
        return
    with _encoding_alone(library.folder):
        engine.open(library, encoder or default_encoder(), encoding(progress))


@contextmanager
def _encoding_alone(folder: Path) -> Iterator[bool]:
    """Tells whether no other process encodes the texts of the library in `folder`; within the block, others
    are told that this one does. Where no lock can be kept, nobody is told."""
    with contextlib.ExitStack() as kept:
        alone = True
        try:
            lock = kept.enter_context(open_lock(folder / _LOCK))
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            alone = False
        except OSError:
            pass
        yield alone


class _OneByOne(EncoderAround):
    """An encoder that looks before each text whether it is to stop; or only before each batch, whose texts
    are encoded `together`."""

    def __init__(self, encoder: Encoder, stop: threading.Event, *, together: bool) -> None:
        super().__init__(encoder)
        self._stop = stop
        self.together = together

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Encodes texts as `Encoder.encode` does. Raises _StoppedError."""
        if self.together:
            if self._stop.is_set():
                raise _StoppedError
            return self._asked(texts, kind)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for position, text in enumerate(texts):
            if self._stop.is_set():
                raise _StoppedError
            vectors[position] = self._asked([text], kind)[0]
        return vectors
