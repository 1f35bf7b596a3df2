"""The LSTM states of a library's papers, stored in a folder: the part of TEXTBIB's work that is independent
of the query.

    states.npy   [N, H] half precision, memory-mapped: only what is needed is read from disk
    starts.npy   [P + 1] where each paper's states begin
    texts.npy    [P] hashes of the papers' texts, ascending: a paper whose text changed is not found

A folder takes 2 · H bytes for each word; `keep_states` returns the total.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside, read_manifest, write_manifest
from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy_lab.train.systems.textbib.served import Opened, Scorer, States

_AT_ONCE = 2048
"""Papers in memory while their states are written."""


def keep_states(
    opened: Opened, papers: Sequence[Paper], folder: Path, progress: Callable[[int, int], None] | None = None
) -> int:
    """Encodes every paper, writes the folder, and returns its size in bytes. Raises StorageError."""
    hashes, first = np.unique(
        np.array([_text_hash(paper) for paper in papers], dtype=np.int64), return_index=True
    )
    lengths = np.array([len(opened.reader.paper(papers[position])) for position in first], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    scorer = Scorer(opened.network, opened.reader)
    with folder_aside(folder) as aside:
        shape = (int(starts[-1]), 2 * opened.reader.shape.state)
        states = np.lib.format.open_memmap(aside / "states.npy", mode="w+", dtype=np.float16, shape=shape)
        for begin in range(0, len(first), _AT_ONCE):
            part = [papers[position] for position in first[begin : begin + _AT_ONCE]]
            read = np.concatenate(scorer.read(part))
            states[starts[begin] : starts[begin] + len(read)] = read
            if progress is not None:
                progress(min(begin + _AT_ONCE, len(first)), len(first))
        states.flush()
        del states
        np.save(aside / "starts.npy", starts, allow_pickle=False)
        np.save(aside / "texts.npy", hashes, allow_pickle=False)
        write_manifest(aside, {"kind": "textbib-states", "model": opened.fingerprint, "papers": len(first)})
    return sum(file.stat().st_size for file in folder.iterdir())


class PaperStates:
    """Opens such a folder for a model. Raises InputError where it was made by another one, DamagedError."""

    def __init__(self, folder: Path, opened: Opened) -> None:
        facts = read_manifest(folder, verify=False)  # sizes are checked; a gigabyte is not read to open it
        if facts.get("model") != opened.fingerprint:
            raise InputError(
                "these states were made by another model", path=folder, hint="make them again for this one"
            )
        self._states: NDArray[np.float16] = np.load(folder / "states.npy", mmap_mode="r", allow_pickle=False)
        self._starts: NDArray[np.int64] = np.load(folder / "starts.npy", allow_pickle=False)
        self._texts: NDArray[np.int64] = np.load(folder / "texts.npy", allow_pickle=False)

    def find(self, paper: Paper) -> States | None:
        """None for a paper that is not there, or whose text was another one."""
        wanted = _text_hash(paper)
        position = int(np.searchsorted(self._texts, wanted))
        if position == len(self._texts) or self._texts[position] != wanted:
            return None
        return self._states[self._starts[position] : self._starts[position + 1]]


def _text_hash(paper: Paper) -> int:
    text = f"{paper.title}\n{paper.abstract}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
