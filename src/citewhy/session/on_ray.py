"""Adds files with a cluster: its machines read files and encode texts, by Ray (`citewhy add --ray`).

What is read on another machine is what is read here (`staging.read_source`), and is stored here, in one
commit, in the same order; a text has the same vector wherever it is encoded. So the library is that of one
process. A machine that is lost costs what it was doing: Ray gives its files and texts to another one. If this
process is lost, what was encoded is in the library's cache, part by part, and the same command goes on.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from citewhy.base.artifact import temporary_folder
from citewhy.base.errors import CiteWhyError, MissingExtraError, ModelError
from citewhy.base.progress import Progress, encoding, silent
from citewhy.base.reports import AddReport, ToEncode
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.staging import Reading, Source
from citewhy.papers.library.store import Library
from citewhy.search.encode import Device, Encoder, TextKind, default_encoder, open_encoder
from citewhy.search.index import choose, chosen
from citewhy.search.index.local.vector_cache import VectorCache, cached_vectors, vector_key
from citewhy.search.index.local.vectors import CACHE, proved
from citewhy.search.index.texts_to_encode import texts_in
from citewhy.session.encoding import encode
from citewhy.session.importing import add_files
from citewhy.session.starter import folder_to_add_to

if TYPE_CHECKING:
    from citewhy.session.session import Session

_PART = 512
"""Texts that a worker encodes at once: some seconds. They are lost together, and kept together."""

_WINDOW = 256
"""Parts between which the workers are started anew; their texts are in memory here."""

_AHEAD = 2
"""Files that are read, for each processor, before the first of them is stored."""

_KEY = 16
"""Bytes of a key."""

_NO_STATISTICS = "RAY_USAGE_STATS_ENABLED"
"""Ray sends statistics of its use to its makers, unless this is 0."""

_QUIET = {"log_to_driver": False, "logging_level": "error", "include_dashboard": False}

Part = tuple[TextKind, list[str]]


def add_on_ray(
    session: Session,
    paths: Sequence[str],
    address: str,
    *,
    strict: bool = False,
    vectors: bool | ToEncode = True,
    follow_outside: bool = False,
    encoder_folder: Path | None = None,
    device: Device = "cpu",
    more: Sequence[Source] = (),
    progress: Progress = silent,
) -> AddReport:
    """Adds files as `Session.add` does, with the cluster at `address`: ``host:port``, ``auto`` for the one
    that this machine belongs to, ``local`` for one of this machine's own processors. The machines need
    CiteWhy, and to see the files under the same paths, or elsewhere (`more`, `remote.remote_sources`);
    `encoder_folder` is that of the session's encoder, which is sent to them, to run on their `device`.

    Raises what `add_files` raises, CiteWhyError if there is no such cluster, MissingExtraError without Ray.
    """
    folder = folder_to_add_to(session._given)
    encoder = session.models.encoder or default_encoder()
    with cluster(address) as ray:
        report = add_files(
            folder,
            paths,
            strict=strict,
            vectors=False,
            engine=session._engine,
            follow_outside=follow_outside,
            progress=progress,
            mapper=lambda read, tasks: _mapped(ray, read, tasks),
            more=more,
        )
        if isinstance(vectors, str):
            choose(folder, vectors)
        if vectors:
            with Library.open(folder) as library:
                encode_on_ray(ray, library, encoder, encoder_folder, device, progress)
                encode(library, session._engine, encoder, progress)
    return report


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Any]:
    """Ray, connected to the cluster at an address (`add_on_ray`) within the block; one that is connected
    already is taken. Raises CiteWhyError if there is none."""
    os.environ.setdefault(_NO_STATISTICS, "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("--ray", "ray") from error
    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(address=address, **_QUIET)
    except Exception as error:  # of many kinds
        why = " ".join(str(error).split())[:300]
        raise CiteWhyError(
            f"there is no cluster of Ray at {address} ({why})", hint="start one with: ray start --head"
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _mapped(
    ray: Any,
    read: Callable[[tuple[Source, int, bool]], Reading],
    tasks: Iterable[tuple[Source, int, bool]],
) -> Iterator[Reading]:
    """Yields what is read of each source, in order; some are read ahead."""
    elsewhere = ray.remote(num_cpus=1, max_retries=-1)(read)
    most = max(2, int(_AHEAD * ray.cluster_resources().get("CPU", 1)))
    coming: deque[Any] = deque()
    for task in tasks:
        coming.append(elsewhere.remote(task))
        if len(coming) >= most:
            yield ray.get(coming.popleft())
    while coming:
        yield ray.get(coming.popleft())


def encode_on_ray(
    ray: Any,
    library: Library,
    encoder: Encoder,
    folder: Path | None,
    device: Device = "cpu",
    progress: Progress = silent,
) -> int:
    """Encodes what is to be encoded of a library and is not in its cache yet, on a cluster, and puts each
    part there as it comes. Returns the number of texts. `folder` is that of the encoder; None: that of the
    package. Raises ModelError if a machine has another encoder, or its vectors are none."""
    if chosen(library.folder) == "words-only":
        return 0
    done, found, tell = 0, 0, encoding(progress)
    files = None if folder is None else {file.name: file.read_bytes() for file in folder.iterdir()}
    held = ray.put(files)  # as long as a worker may be started again
    with VectorCache(library.folder / CACHE, encoder.dimensions) as cache, library.reading():
        for window in pieces(_parts(library, encoder), _WINDOW):
            found += sum(len(some) for _, some in window)
            for keys, vectors in _encoded(ray, window, encoder, held, device):
                cache.put(dict(zip(keys, vectors, strict=True)))
                done += len(keys)
                tell(done, found)
    return done


def _parts(library: Library, encoder: Encoder) -> Iterator[Part]:
    """Yields the texts that have no vector in the cache, in parts of one kind, none twice within a part."""
    waiting: dict[TextKind, dict[bytes, str]] = {"paper": {}, "query": {}}
    for some in pieces(texts_in(library, chosen(library.folder)), _PART):
        keyed = {vector_key(text, encoder.fingerprint, kind): (kind, text) for kind, text in some}
        known = cached_vectors(library.folder / CACHE, list(keyed), encoder.dimensions)
        for key, (kind, text) in keyed.items():
            if key not in known:
                waiting[kind][key] = text
        for kind, new in waiting.items():
            if len(new) >= _PART:
                yield kind, list(new.values())
                new.clear()
    yield from ((kind, list(new.values())) for kind, new in waiting.items() if new)


def _encoded(
    ray: Any, parts: Sequence[Part], encoder: Encoder, files: Any, device: Device
) -> Iterator[tuple[list[bytes], np.ndarray[Any, np.dtype[np.float16]]]]:
    """Yields keys and vectors of parts, as they come."""
    import ray.data as data

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    data.DataContext.get_current().enable_progress_bars = False
    rows = [{"kind": kind, "texts": texts} for kind, texts in parts]
    kind_of_worker, needs = ("GPU", {"num_gpus": 1}) if device == "cuda" else ("CPU", {"num_cpus": 1})
    most = max(1, min(int(ray.cluster_resources().get(kind_of_worker, 1)), len(rows)))
    encoded = data.from_items(rows, override_num_blocks=len(rows)).map_batches(
        EncodingWorker,
        fn_constructor_args=([files], device),
        batch_size=1,
        compute=data.ActorPoolStrategy(min_size=1, max_size=most),
        **needs,
    )
    for row in encoded.iter_rows():
        count = len(row["keys"]) // _KEY
        keys = [row["keys"][_KEY * one : _KEY * (one + 1)] for one in range(count)]
        vectors = np.frombuffer(row["vectors"], dtype=np.float16).reshape(count, -1)
        if row["fingerprint"] != encoder.fingerprint:
            raise ModelError(
                f"a machine of the cluster has another version of the encoder {encoder.name}",
                hint="install the same version of citewhy on all of them",
            )
        proved(vectors.astype(np.float32), count, encoder)
        yield keys, vectors


class EncodingWorker:
    """Encodes parts on a machine of the cluster."""

    def __init__(self, files: list[Any], device: Device) -> None:
        """`files`, of which there is one reference, are those of the encoder's folder by name; None: the
        encoder of the package."""
        import ray

        held: dict[str, bytes] | None = ray.get(files[0])
        if held is None:
            self._encoder = open_encoder(None, device)
            return
        with temporary_folder() as folder:
            for name, content in held.items():
                (folder / name).write_bytes(content)
            self._encoder = open_encoder(folder, device)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The keys and vectors of one part."""
        kind: TextKind = batch["kind"][0]
        texts = [str(text) for text in batch["texts"][0]]
        vectors = self._encoder.encode(texts, kind).astype(np.float16)
        keys = b"".join(vector_key(text, self._encoder.fingerprint, kind) for text in texts)
        return {
            "keys": np.array([keys], dtype=object),
            "vectors": np.array([vectors.tobytes()], dtype=object),
            "fingerprint": [self._encoder.fingerprint],
        }
