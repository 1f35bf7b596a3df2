"""Flips a bit in a record of a library, as a bad disk does: records are packed, so that no text can be found
in the file."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path


def flip_a_record(file: Path, number: int = 1) -> None:
    """Flips the lowest bit of the last byte of the record of the paper with this number."""
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        ((data,),) = db.execute("SELECT data FROM paper_bodies WHERE number = ?", (number,))
        flipped = data[:-1] + bytes([data[-1] ^ 1])
        db.execute("UPDATE paper_bodies SET data = ? WHERE number = ?", (flipped, number))
