"""The file of a layer: what a library has beyond another one, on which it lies.

A layer has the tables of a library with the rows that differ from those of the library below. It belongs to
one state of that library, and is made again when that has changed.
"""

from __future__ import annotations

from pathlib import Path

from citewhy.base.errors import LibraryError, VersionError
from citewhy.papers.library.checked import HIDDEN, SUMS_TABLE, LayeredDatabase
from citewhy.papers.library.database import Database, connect, typed_errors
from citewhy.papers.library.opening import SCHEMA_VERSION, pragma, schema_sum
from citewhy.papers.library.schema import (
    BELOW,
    COMMITS,
    CONTEXTS,
    PAPER_BODIES,
    PAPERS,
    STATES,
    TABLES,
    TEXT_BODIES,
    TEXTS,
    Below,
    read_state,
)

__all__ = ["LAYER_FILE", "create_layer", "open_layer"]

LAYER_FILE = "layer.db"
APPLICATION_ID = 0x4369576C  # "CiWl"


def create_layer(folder: Path, below: Database) -> LayeredDatabase:
    """Creates an empty layer over the state of the database `below` in an empty folder."""
    path = folder / LAYER_FILE
    with typed_errors(path):
        db = LayeredDatabase(lambda: connect(path, "mode=rwc"), path, below)
    try:
        with below.reading(), Database.writing(db):
            state = read_state(below)
            (commit,) = COMMITS.where(below, "generation", [state.generation])
            db.run(f"PRAGMA application_id = {APPLICATION_ID}")
            db.run(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.run(SUMS_TABLE)
            for table in (*TABLES, BELOW, HIDDEN):
                table.create(db)
            at = Below(commit.generation, commit.mark, state.next_paper, state.next_context, state.next_text)
            BELOW.insert(db, [at])
            _lay(db, at)
            STATES.put(db, [state._replace(schema_sum=schema_sum(db))])
    except BaseException:
        db.close()
        raise
    return db


def open_layer(folder: Path, below: Database) -> LayeredDatabase:
    """Opens a layer over the database `below`. Raises LibraryError if it was made over another state, and
    VersionError or DamagedError if it is no layer of this version."""
    path = folder / LAYER_FILE
    with typed_errors(path):
        db = LayeredDatabase(lambda: connect(path, "mode=rw"), path, below)
    try:
        with db.reading():
            if pragma(db, "application_id") != APPLICATION_ID or pragma(db, "user_version") != SCHEMA_VERSION:
                raise VersionError("the layer is of another version", path=path, hint="remove it")
            (at,) = BELOW.own_rows(db)
            _lay(db, at)
            if read_state(db).schema_sum != schema_sum(db):
                raise db.damaged("its tables have been altered")
            commits = COMMITS.where(below, "generation", [at.generation])
            if at.mark not in {commit.mark for commit in commits}:
                raise LibraryError("the layer belongs to another library", path=path, hint="remove it")
    except BaseException:
        db.close()
        raise
    return db


def _lay(db: LayeredDatabase, at: Below) -> None:
    db.made_over = at.generation
    db.first_numbers = {
        PAPERS.name: at.next_paper,
        PAPER_BODIES.name: at.next_paper,
        CONTEXTS.name: at.next_context,
        TEXTS.name: at.next_text,
        TEXT_BODIES.name: at.next_text,
    }
