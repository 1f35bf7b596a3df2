"""The peer of `citewhy add`: reads papers as JSON lines, builds a bm25s index of them, saves it. No more.

python benchmarks/bare_bm25.py papers.jsonl.gz FOLDER
"""

from __future__ import annotations

import gzip
import sys

import bm25s
import orjson
import Stemmer


def main(papers: str, folder: str) -> None:
    with gzip.open(papers) as file:
        texts = [f"{row['title']} {row['abstract']}" for row in map(orjson.loads, file)]
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)
    index = bm25s.BM25(k1=2.5, b=0.75)
    index.index(tokens, show_progress=False)
    index.save(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
