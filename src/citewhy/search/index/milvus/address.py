"""``milvus://host:port/collection``: which server and collection is meant, and how it searches."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from citewhy.base.errors import QueryError
from citewhy.search.index.fields import BM25

SCHEME = "milvus"

TOKEN_VARIABLE = "CITEWHY_MILVUS_TOKEN"
"""Environment variable with the token, or ``user:password``, for a server that asks for one."""

_PORT = 19530

_KINDS = ("FLAT", "HNSW", "AUTOINDEX")
"""Indexes of vectors: exact; approximate, in memory; what the server thinks best."""

_BM25 = BM25(k1=2.5, b=0.75)
"""As of `retrieve.parameters` for the field ``text``, which most searches by words ask."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")

_EXAMPLE = "write it as milvus://localhost:19530/papers"


@dataclass(frozen=True, slots=True)
class Address:
    """A collection of a server."""

    host: str
    port: int
    collection: str
    """Of papers; that of citing sentences is called the same, with ``_sentences`` behind it."""
    kind: str = "FLAT"
    """The index of vectors: ``FLAT`` is exact."""
    bm25: BM25 = _BM25
    """The parameters of the searches by words that the server answers."""
    encrypted: bool = False

    @classmethod
    def of(cls, text: str) -> Address:
        """Reads an address, whose options stand behind a question mark: ``index`` (FLAT, HNSW, AUTOINDEX),
        ``k1``, ``b`` and ``tls`` (1: encrypted). Raises QueryError."""
        try:
            parts = urlsplit(text)
            port = parts.port or _PORT
        except ValueError as error:
            raise _wrong(text, str(error)) from error
        name = parts.path.strip("/")
        if parts.scheme != SCHEME or not parts.hostname:
            raise _wrong(text, "it names no server")
        if parts.username or parts.password:
            raise QueryError(
                f"the address of {parts.hostname} has a password in it, which others can read",
                hint=f"put user:password into the variable {TOKEN_VARIABLE}",
            )
        if not _NAME.fullmatch(name):
            raise _wrong(text, "the name of its collection must be of letters, digits and _")
        given = dict(parse_qsl(parts.query, keep_blank_values=True))
        if unknown := sorted(given.keys() - {"index", "k1", "b", "tls"}):
            raise _wrong(text, f"there is no option {unknown[0]!r} (index, k1, b, tls)")
        kind = given.get("index", "FLAT").upper()
        if kind not in _KINDS:
            raise _wrong(text, f"index is {kind!r}, expected one of {', '.join(_KINDS)}")
        try:
            bm25 = BM25(float(given.get("k1", _BM25.k1)), float(given.get("b", _BM25.b)))
        except ValueError as error:
            raise _wrong(text, str(error)) from error
        return cls(parts.hostname, port, name, kind, bm25, given.get("tls", "0") == "1")

    @property
    def uri(self) -> str:
        """The server, as its client is given it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.encrypted else 'http'}://{host}:{self.port}"

    @property
    def token(self) -> str:
        """What the server is shown; empty if it asks for nothing."""
        return os.environ.get(TOKEN_VARIABLE, "")

    def __str__(self) -> str:
        return f"{SCHEME}://{self.host}:{self.port}/{self.collection}"


def _wrong(text: str, why: str) -> QueryError:
    return QueryError(f"{text!r} is no address of a Milvus collection: {why}", hint=_EXAMPLE)
