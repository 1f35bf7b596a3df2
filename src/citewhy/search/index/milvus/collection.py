"""`Collection`: rows in a collection of a Milvus server, by number, in partitions by year.

    number      the paper's or sentence's number in the library, the primary key
    year        0 if unknown; of a sentence, not before that of its paper
    abstract    whether a paper has one
    seal        a hash of everything else in the row, by which it is told whether it is up to date
    name        the paper's id; in row -1, the collection's state
    vector      [d], compared by inner product
    words       a sparse vector (`words`), where the server has such

Each row is in the partition of its year. Row -1 is in a partition of its own, which no search reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.errors import StorageError
from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.milvus.server import ASKING, LOADING, AbsentError, Server, data_types

MOST = 16_384
"""Rows that a server returns at most."""

_LAYOUT = 1

_STATE = -1
"""The number of the row with the state."""

_STATE_PARTITION = "_default"

_LONGEST_NAME = 4096
"""Bytes of a name."""

_WINDOW = 8_192
"""Numbers whose seals are read at once."""

_ONE_CALL = 60.0
"""Seconds within which one call is answered."""

_SPARSE_SINCE = (2, 4)
"""The version of servers that have sparse vectors."""

_EARLIEST, _LATEST = 1950, 2099
"""Years with a partition of their own; those before and after share one, as servers limit their number."""

_OFFERED = 512
"""Neighbours that an approximate search by HNSW keeps in view, at least. Under filters, few of them count."""

_UNLOADED = re.compile(r"not loaded|call load|released", re.IGNORECASE)
"""What errors say of a collection that a server does not serve, as after it was started again."""

SparseRow = dict[int, float]


@dataclass(frozen=True, slots=True)
class Stored:
    """The state of a collection, as it says itself."""

    library: str
    """Of which library it is."""
    generation: int
    mark: int
    """Of the library's commit (`Library.mark_of`)."""
    complete: bool
    """Whether all rows of that generation are there; false while they are written."""
    encoder: str
    """Its fingerprint."""
    dimensions: int
    words: float = 0.0
    """The mean length of texts for which the sparse vectors were made; 0 without such vectors."""
    k1: float = 0.0
    b: float = 0.0
    rows: int = 0
    layout: int = _LAYOUT


def partition_of(year: int) -> str:
    """The name of the partition for the rows of a year."""
    return "undated" if not year else f"y{min(max(year, _EARLIEST - 1), _LATEST + 1)}"


class Collection:
    """A collection. Methods raise as `Server.call`. Thread-safe."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self.name = name
        self._partitions: set[str] | None = None

    # Its life ---------------------------------------------------------------------------------------------

    def state(self) -> Stored | None:
        """The state that it says of itself; None if there is no collection, or none of CiteWhy's layout. What
        was written last counts."""
        try:
            found = self._query(f"number == {_STATE}", ["name"], [_STATE_PARTITION])
        except AbsentError:
            return None
        for row in found:
            facts = orjson.loads(row["name"])
            if facts.get("layout") == _LAYOUT:
                return Stored(**facts)
        return None

    def exists(self) -> bool:
        """Whether there is a collection with this name."""
        return bool(self._server.call(lambda client: client.has_collection(self.name, timeout=_ONE_CALL)))

    @property
    def has_sparse_vectors(self) -> bool:
        """Whether the server can have them."""
        version = re.search(r"(\d+)\.(\d+)", self._server.version)
        return version is not None and (int(version[1]), int(version[2])) >= _SPARSE_SINCE

    def create(self, dimensions: int, sparse: bool) -> None:
        """Creates it, empty. One that is there and empty is taken, if it is alike."""
        if self.exists():
            self._require_own()
            return
        kind, types = self._server.address.kind, data_types()

        def make(client: Any) -> None:
            schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("number", types.INT64, is_primary=True)
            schema.add_field("year", types.INT64)
            schema.add_field("abstract", types.BOOL)
            schema.add_field("seal", types.INT64)
            schema.add_field("name", types.VARCHAR, max_length=_LONGEST_NAME)
            schema.add_field("vector", types.FLOAT_VECTOR, dim=dimensions)
            indexes = client.prepare_index_params()
            of_kind = {"M": 32, "efConstruction": 360} if kind == "HNSW" else {}
            indexes.add_index("vector", index_type=kind, metric_type="IP", params=of_kind)
            if sparse:
                schema.add_field("words", types.SPARSE_FLOAT_VECTOR)
                indexes.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
            if not client.has_collection(self.name, timeout=_ONE_CALL):  # an earlier attempt may have made it
                client.create_collection(
                    self.name, schema=schema, consistency_level="Bounded", timeout=LOADING
                )
            # It is empty: waiting until it is indexed would be half a second for nothing, for each index.
            client.create_index(self.name, indexes, timeout=LOADING, sync=False)

        self._server.call(make, LOADING)
        self._partitions = None
        self.serve()

    def serve(self) -> None:
        """Has the server load it, which a search needs after the server was started again."""
        self._server.call(lambda client: client.load_collection(self.name, timeout=LOADING), LOADING)

    def drop(self) -> None:
        """Removes it, if it is there."""
        self._server.call(lambda client: client.drop_collection(self.name, timeout=_ONE_CALL), LOADING)
        self._partitions = None

    def _require_own(self) -> None:
        described = self._server.call(lambda client: client.describe_collection(self.name, timeout=_ONE_CALL))
        fields = {field["name"] for field in described["fields"]} - {"words"}
        if fields != {"number", "year", "abstract", "seal", "name", "vector"}:
            raise StorageError(
                f"{self._server.address}: the collection {self.name} is not CiteWhy's "
                f"(its fields: {', '.join(sorted(fields))})",
                hint="name another one, which is then created",
            )

    # Rows -------------------------------------------------------------------------------------------------

    def write_state(self, state: Stored, sparse: bool) -> None:
        """Replaces what it says of itself."""
        row: dict[str, Any] = {
            "number": _STATE,
            "year": 0,
            "abstract": False,
            "seal": 0,
            "name": orjson.dumps(asdict(replace(state, layout=_LAYOUT))).decode(),
            "vector": np.zeros(state.dimensions, dtype=np.float32),
        }
        self._upsert(_STATE_PARTITION, [row | {"words": {0: 1.0}} if sparse else row])

    def write(self, year: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes rows of a year. Those whose numbers it has in this partition are replaced; in others, they
        must have been deleted."""
        name = partition_of(year)
        if name not in self.partitions:
            self._server.call(lambda client: self._make_partition(client, name), LOADING)
            self._partitions = None
        self._upsert(name, rows)

    def delete(self, numbers: Sequence[int]) -> None:
        """Deletes rows, in whichever partitions they are."""
        self._server.call(lambda client: client.delete(self.name, ids=[*numbers], timeout=_ONE_CALL), LOADING)

    def count(self, low: int = 0, high: int | None = None) -> int:
        """The number of rows with numbers from `low` to before `high`, after all that was written; a number
        with two rows counts twice."""
        within = f"number >= {low}" + ("" if high is None else f" and number < {high}")
        return int(self._query(within, ["count(*)"])[0]["count(*)"])

    def seals(self, most: int) -> tuple[Rows, NDArray[np.int64]]:
        """The numbers of all rows, ascending, of which most are below `most`, and their seals. A number that
        may have two rows is there with a seal of 0, which no row has."""
        found: dict[int, int] = {}
        low = 0
        while low < most or self.count(low):
            within = f"number >= {low} and number < {low + _WINDOW}"
            rows = self._query(within, ["number", "seal"])
            found.update((int(row["number"]), int(row["seal"])) for row in rows)
            low += _WINDOW
        if self.count() != len(found):
            for low in {number // _WINDOW * _WINDOW for number in found}:
                of_window = [number for number in found if low <= number < low + _WINDOW]
                if self.count(low, low + _WINDOW) != len(of_window):
                    found.update(dict.fromkeys(of_window, 0))
        numbers = sorted(found)
        return (
            np.array(numbers, dtype=np.int64),
            np.array([found[number] for number in numbers], dtype=np.int64),
        )

    @property
    def partitions(self) -> frozenset[str]:
        """The names of the partitions of years."""
        if self._partitions is None:
            names = self._server.call(lambda client: client.list_partitions(self.name, timeout=_ONE_CALL))
            self._partitions = {*names} - {_STATE_PARTITION}
        return frozenset(self._partitions)

    # Searches ---------------------------------------------------------------------------------------------

    def search(
        self,
        field: str,
        query: Vectors | SparseRow,
        count: int,
        partitions: Sequence[str],
        condition: str,
    ) -> tuple[Rows, Floats]:
        """The numbers of at most `count` ≤ `MOST` rows with the largest inner products with `query` in a
        field, and these products, largest first, among the rows of `partitions` that meet `condition`."""
        params = (
            {"ef": min(max(_OFFERED, 4 * count), 2 * MOST)} if self._server.address.kind == "HNSW" else {}
        )

        def ask(client: Any) -> Any:
            return client.search(
                self.name,
                [query],
                anns_field=field,
                limit=count,
                filter=condition,
                partition_names=[*partitions],
                search_params={"metric_type": "IP", "params": params},
                timeout=_ONE_CALL,
            )

        (hits,) = self._served(ask, ASKING)
        return np.array(hits.ids, dtype=np.int64), np.array(hits.distances, dtype=np.float32)

    def _query(
        self, condition: str, fields: Sequence[str], partitions: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """Rows as they are after all that was written."""

        def ask(client: Any) -> Any:
            return client.query(
                self.name,
                filter=condition,
                output_fields=[*fields],
                partition_names=None if partitions is None else [*partitions],
                consistency_level="Strong",
                timeout=_ONE_CALL,
            )

        return [*self._served(ask, LOADING)]

    def _served(self, ask: Any, patience: float) -> Any:
        """Asks for something that needs the collection to be loaded."""

        def asked(client: Any) -> Any:
            try:
                return ask(client)
            except Exception as error:
                if not _UNLOADED.search(str(error)):
                    raise
                client.load_collection(self.name, timeout=LOADING)
                return ask(client)

        return self._server.call(asked, patience)

    def _upsert(self, partition: str, rows: Sequence[Mapping[str, Any]]) -> None:
        self._server.call(
            lambda client: client.upsert(
                self.name, [dict(row) for row in rows], partition_name=partition, timeout=_ONE_CALL
            ),
            LOADING,
        )

    def _make_partition(self, client: Any, name: str) -> None:
        if not client.has_partition(self.name, name, timeout=_ONE_CALL):
            client.create_partition(self.name, name, timeout=_ONE_CALL)
