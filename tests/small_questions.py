"""Makes scoped queries for tests, with an encoder that knows one pair of synonyms."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.encode import TextKind, Vectors
from citewhy.index import open_index
from citewhy.index.arrays import Rows
from citewhy.library.store import Library
from citewhy.records import Query
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.rules import QueryRows, Rules
from hash_encoder import HashEncoder

__all__ = ["Questions", "Synonyms"]


class Synonyms(HashEncoder):
    """A `HashEncoder` that gives "photographs" and "pictures" the same vector."""

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        return super().encode([text.lower().replace("photographs", "pictures") for text in texts], kind)


class Questions:
    """Makes scoped queries on the index of a library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.encoder = Synonyms("synonyms", dimensions=256)
        self.index = open_index(library, self.encoder)

    def scoped(self, query: Query, rules: Rules | None = None) -> ScopedQuery:
        """The scoped query that the pipeline would make."""
        rows = self.library.numbers(
            [*query.known_ids, *query.member_ids, *query.excluded_ids, query.citing_id]
        )

        def there(ids: Sequence[str]) -> tuple[int, ...]:
            return tuple(rows[name] for name in ids if name in rows)

        asked = QueryRows(
            rows.get(query.citing_id, -1),
            there(query.known_ids),
            there(query.member_ids),
            there(query.excluded_ids),
        )
        return ScopedQuery(query, asked, self.index, rules or Rules(), self.encoder)

    def ids(self, rows: Rows) -> list[str]:
        return self.index.ids(rows)
