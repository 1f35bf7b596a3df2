"""Makes scoped queries for tests, with an encoder that knows one pair of synonyms."""

from __future__ import annotations

from collections.abc import Sequence

from hash_encoder import HashEncoder

from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.search.encode import TextKind, Vectors
from citewhy.search.index import open_index
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.rules import QueryRows, Rules

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
