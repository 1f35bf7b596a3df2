"""Divides the citing sentences of other fields: half of the citing papers for training the encoder, half for
the last step of the ranker, none of the fields that measure.

    python benchmarks/other_fields.py ../shared/data/external OUT

`OUT/encoder` is a collection for `citewhy train encoder --fields`: sentences, and the papers that they cite.
`OUT/ranker` has one file of sentences a field, for `citewhy train drafts --sentences`.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import orjson

from citewhy_lab.train.drafts import Use, use_of

FIELDS = ("IR", "Cryptography")
"""The other two, Graphics and Robotics, measure."""


def main(data: Path, out: Path) -> None:
    """Writes both folders."""
    halves: tuple[Use, Use] = ("encoder", "ranker")
    for half in halves:
        (out / half).mkdir(parents=True, exist_ok=True)
    learned: list[bytes] = []
    for field in FIELDS:
        name = f"reasons-{field}.contexts.jsonl.gz"
        lines = gzip.decompress((data / name).read_bytes()).splitlines()
        uses = [use_of(orjson.loads(line)["citing_id"]) for line in lines]
        learned += [line for line, use in zip(lines, uses, strict=True) if use == "encoder"]
        kept = [line for line, use in zip(lines, uses, strict=True) if use in ("ranker", "measuring")]
        (out / "ranker" / name.removesuffix(".gz")).write_bytes(b"\n".join(kept) + b"\n")
    cited = {each for line in learned for each in orjson.loads(line)["cited_ids"]}
    papers = gzip.decompress((data / "reasons.papers.jsonl.gz").read_bytes()).splitlines()
    (out / "encoder" / "contexts.jsonl").write_bytes(b"\n".join(learned) + b"\n")
    shown = [line for line in papers if orjson.loads(line)["id"] in cited]
    (out / "encoder" / "papers.jsonl").write_bytes(b"\n".join(shown) + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
