"""Encodes the texts of a library, or of files, on a machine of its own, and takes what others encoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress, encoding, silent
from citewhy.base.reports import EncodeReport, TakenReport, ToEncode
from citewhy.papers.formats.files import find, records
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder, TextKind, default_encoder
from citewhy.search.index import choose, chosen
from citewhy.search.index.local.vector_cache import VectorCache, cached_vectors, vector_key
from citewhy.search.index.local.vector_file import VectorFile, VectorWriter, facts_of, is_vector_file
from citewhy.search.index.local.vectors import CACHE, proved
from citewhy.search.index.texts_to_encode import Text, of_shard, texts_in, texts_of
from citewhy.session.encoding import encode

if TYPE_CHECKING:
    from citewhy.session.session import Session

__all__ = ["encode_to_file", "is_vector_file", "take_vectors"]

_BATCH = 64
"""Texts after which vectors are saved; at most these are lost by an interruption."""

_ASKED = 1024
"""Texts that are looked up at once."""


def encode_to_file(
    session: Session,
    out: Path,
    shard: tuple[int, int] = (1, 1),
    *,
    paths: Sequence[Path] = (),
    texts: ToEncode | None = None,
    progress: Progress = silent,
) -> EncodeReport:
    """Encodes a shard, (number from 1, of how many), of the texts of the session's library, or of the papers
    and citing sentences in the files `paths`, and writes the vectors to the file `out`; what the library has
    encoded already is copied.

    `texts` says what is encoded (None: what was chosen for the library; of files, everything). The same call
    goes on with what was interrupted. Raises QueryError for a shard that there is not, or if nothing is to
    be encoded; InputError if `out` exists, or a file cannot be read; StorageError if it cannot be written.
    """
    number, of = shard
    if not 1 <= number <= of:
        raise QueryError(f"there is no shard {number} of {of}", hint="shards are numbered from 1")
    encoder = session.models.encoder or default_encoder()
    with ExitStack() as stack:
        cache: Path | None = None
        if paths:
            wanted: ToEncode = texts or "full"
            found = _in_files(paths, wanted)
        else:
            library = stack.enter_context(Library.open(session.folder))
            wanted = texts or chosen(library.folder)
            cache = library.folder / CACHE
            stack.enter_context(library.reading())
            found = texts_in(library, wanted)
        if wanted == "words-only":
            raise QueryError(
                "nothing of the library is to be encoded", hint="choose: --encode titles, or full"
            )
        writer = stack.enter_context(VectorWriter(out, facts_of(encoder, shard)))
        keyed = ((vector_key(text, encoder.fingerprint, kind), (kind, text)) for kind, text in found)
        made = _write(writer, of_shard(keyed, shard), encoder, cache, progress)
        return EncodeReport(str(out), encoder.name, number, of, vectors=writer.finish(), encoded=made)


def _in_files(paths: Sequence[Path], texts: ToEncode) -> Iterator[Text]:
    """Yields the texts of the papers and citing sentences in files. Raises InputError for the first file that
    cannot be read."""
    with find(paths) as files:
        for error in files.refused:
            raise error
        macros = files.macros()
        for file in files.known:
            for record in records(file, ImportReport(), macros):
                yield from texts_of(record, texts)


def _write(
    writer: VectorWriter,
    keyed: Iterable[tuple[bytes, Text]],
    encoder: Encoder,
    cache: Path | None,
    progress: Progress,
) -> int:
    """Writes the vectors of texts, and returns how many were encoded for it."""
    made = done = 0
    tell = encoding(progress)
    for some in pieces(keyed, _ASKED):
        texts = dict(some)
        missing = writer.missing(texts)
        kept = cached_vectors(cache, missing, encoder.dimensions) if cache else {}
        if kept:
            writer.put(kept)
        left = [key for key in missing if key not in kept]
        kinds: tuple[TextKind, ...] = ("paper", "query")
        for kind in kinds:
            of_kind = [key for key in left if texts[key][0] == kind]
            for start in range(0, len(of_kind), _BATCH):
                keys = of_kind[start : start + _BATCH]
                vectors = proved(encoder.encode([texts[key][1] for key in keys], kind), len(keys), encoder)
                writer.put(dict(zip(keys, vectors.astype(np.float16), strict=True)))
                made += len(keys)
                tell(done + made, done + made)
        done += len(texts) - len(left)
    return made


def take_vectors(
    session: Session,
    paths: Sequence[Path],
    vectors: bool | ToEncode = False,
    *,
    progress: Progress = silent,
) -> TakenReport:
    """Takes from files of `encode_to_file` the vectors of the texts that the session's library has, once all
    files are proved whole and of the session's encoder; nothing is taken from any if one is not.

    `vectors`: whether the texts that still have none are encoded here, and what is to be, as for
    `Session.add`. Raises InputError and DamagedError as `VectorFile`, and QueryError if nothing of the
    library is to be encoded.
    """
    folder, encoder = session.own_folder(), session.models.encoder or default_encoder()
    if isinstance(vectors, str):
        choose(folder, vectors)
    wanted = chosen(folder)
    if wanted == "words-only":
        raise QueryError(
            "nothing of the library is to be encoded, as was chosen", hint="choose again, with --encode"
        )
    known = taken = missing = 0
    with ExitStack() as stack:
        progress("checking the vectors", None)
        files = [stack.enter_context(VectorFile(path, encoder)) for path in paths]
        library = stack.enter_context(Library.open(folder))
        with VectorCache(folder / CACHE, encoder.dimensions) as cache, library.reading():
            keys = (vector_key(text, encoder.fingerprint, kind) for kind, text in texts_in(library, wanted))
            for some in pieces(keys, _ASKED):
                unique = list(dict.fromkeys(some))
                have = cache.get(unique)
                left = [key for key in unique if key not in have]
                found = {key: vector for file in files for key, vector in file.get(left).items()}
                cache.put(found)
                known, taken = known + len(have), taken + len(found)
                missing += len(left) - len(found)
                progress(f"taking vectors: {taken:,}", None)
        if vectors or not missing:
            encode(library, session._engine, encoder, progress)
    return TakenReport(str(folder), tuple(map(str, paths)), known=known, taken=taken, missing=missing)
