"""Papers for whole paragraphs in other fields, with an author's own bibliography: BM25, hybrid, default.

    python benchmarks/paragraphs.py --documents DIR --out FILE.json [--manifest FILE] [--libraries DIR]
        [--paragraphs N] [--encoder DIR …]

The documents are those of `fields.py`: by held-out authors, each with a library of its own bibliography. A
question is a paragraph whose first sentence cites nothing and whose other sentences cite at least two papers
of the library; of long documents, N are drawn. It is asked as `citewhy suggest --unit paragraph` asks: the
first sentence, and what is known of the rest of the draft. The other sentences of the paragraph are taken out
of the draft, and so are the citations of near-duplicates of them. Measures are averaged over the paragraphs
of a document, then over documents, with intervals by bootstrap over documents. Each --encoder (such as those
of `citewhy train qpcr`) adds a column: all papers ordered by its vectors. FILE is written after each
document, and an interrupted run with the same options goes on.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.config import DEFAULT_SEED
from citewhy.draft_evidence import DraftCitations
from citewhy.encode import open_encoder
from citewhy.evaluate.bootstrap import interval, resampled_means
from citewhy.evaluate.datasets.paragraphs import TASK
from citewhy.evaluate.datasets.topics import Topic
from citewhy.evaluate.measures import score
from citewhy.evaluate.runs import Ranking
from citewhy.library.store import Library
from citewhy.manuscript import read
from citewhy.pipeline import Recommender
from citewhy.questions import DraftQuestions
from citewhy.records import Advice, DraftSentence, Manuscript, Paragraph
from citewhy.text.alike import near_duplicates
from citewhy.train.drafts import YEAR, Draft, open_library, read_manifest, use_of
from fields import PIPELINES

ROOT = Path(__file__).parents[1]
DEPTH = 1000
LEAST_CITED, LEAST_WORDS = 2, 4


def questions(library: Library, manuscript: Manuscript) -> list[Topic]:
    """The paragraphs that can be asked for, in reading order."""
    whole = DraftQuestions.of(library, manuscript, YEAR)
    found = []
    for number, paragraph in enumerate(manuscript.paragraphs):
        relevant = tuple(dict.fromkeys(cited(paragraph.sentences[1:], whole.papers)))
        relevant = tuple(each for each in relevant if each != whole.itself)
        first = paragraph.sentences[0] if paragraph.sentences else None
        if first is None or first.markers or paragraph.aside or len(relevant) < LEAST_CITED:
            continue
        if len(first.text.split()) < LEAST_WORDS:
            continue
        draft = without(manuscript, number)
        asked = replace(whole, manuscript=draft, citations=DraftCitations.of(draft, whole.papers))
        bare = draft.paragraphs[number]
        query = asked.query(Advice("paragraph", first.place, sentence=first, paragraph=bare))
        found.append(Topic(replace(query, id=f"{number}:{first.place.line}"), relevant))
    return found


def cited(sentences: Sequence[DraftSentence], papers: Mapping[str, str]) -> Iterator[str]:
    """Paper ids, in reading order."""
    for sentence in sentences:
        for marker in sentence.markers:
            yield from (papers[key] for key in marker.keys if key in papers)


def without(manuscript: Manuscript, number: int) -> Manuscript:
    """The draft as it was when only the first sentence of a paragraph was written, and without the citations
    of sentences that are near-duplicates of the others."""
    first, *hidden = manuscript.paragraphs[number].sentences

    def bared(sentence: DraftSentence) -> DraftSentence:
        copied = sentence.markers and any(near_duplicates(sentence.text, each.text) for each in hidden)
        return replace(sentence, markers=()) if copied else sentence

    def kept(place: int, paragraph: Paragraph) -> Paragraph:
        sentences = (first,) if place == number else tuple(map(bared, paragraph.sentences))
        return replace(paragraph, sentences=sentences)

    return replace(
        manuscript, paragraphs=tuple(kept(place, each) for place, each in enumerate(manuscript.paragraphs))
    )


def measured(library: Library, draft: Draft, most: int, encoders: Sequence[Path]) -> dict[str, Any]:
    """Measures of one document by system; empty without questions."""
    topics = questions(library, read(draft.root))
    if not topics:
        return {}
    if len(topics) > most:
        topics = random.Random(draft.name).sample(topics, most)
    systems = {pipeline: Recommender(library, pipeline) for pipeline in PIPELINES}
    found = {str(name): means(system, topics) for name, system in systems.items()}
    for folder in encoders:
        found[folder.name] = means(Recommender(library, "dense", encoder=open_encoder(folder)), topics)
    return {"paragraphs": len(topics), "cited": sum(len(t.relevant) for t in topics), "measures": found}


def means(system: Recommender, topics: Sequence[Topic]) -> dict[str, float]:
    run = {each.query.id: Ranking.of(system.rank(each.query, DEPTH)) for each in topics}
    relevant = {each.query.id: each.relevant for each in topics}
    return score(run, relevant, TASK.measures, "queries").means()


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means over documents with intervals, and the default minus each of the others."""
    told: dict[str, Any] = {}
    ones = np.ones(len(rows))
    for measure in TASK.measures:
        table = {
            name: np.array([row["measures"][name][measure] for row in rows]) for name in rows[0]["measures"]
        }
        told[measure] = {
            name: {
                "mean": float(values.mean()),
                "interval": interval(resampled_means(values, ones, DEFAULT_SEED)),
            }
            for name, values in table.items()
        }
        told[measure]["default minus"] = {
            name: {
                "mean": float((table["full"] - values).mean()),
                "interval": interval(resampled_means(table["full"] - values, ones, DEFAULT_SEED)),
            }
            for name, values in table.items()
            if name != "full"
        }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("CITEWHY_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--documents", type=Path, required=True, help="folder of the unpacked documents")
    parser.add_argument("--manifest", type=Path, default=shared / "external" / "documents.manifest.jsonl")
    parser.add_argument("--libraries", type=Path, help="folder in which libraries are kept")
    parser.add_argument("--paragraphs", type=int, default=20, metavar="N", help="of a document")
    parser.add_argument("--encoder", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    areas = {row["name"]: row["area"] for row in map(orjson.loads, given.manifest.read_bytes().splitlines())}
    drafts = [
        each for each in read_manifest(given.manifest, given.documents) if use_of(each.author) == "measuring"
    ]
    options = {"paragraphs": given.paragraphs, "encoders": [each.name for each in given.encoder]}
    rows = earlier(given.out, options)
    done = {row["name"] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            if draft.name in done:
                continue
            with open_library(draft, (given.libraries or Path(folder)) / draft.name) as library:
                row = measured(library, draft, given.paragraphs, given.encoder)
                papers = library.counts()["papers"]
            rows.append({"name": draft.name, "area": areas[draft.name], "papers": papers, **row})
            write(given.out, options, rows)
            shown = (f"{m['Rprec']:.3f}/{m['RR']:.3f}" for m in row.get("measures", {}).values())
            print(f"{draft.name[:40]:40} {row.get('paragraphs', 0):3}", *shown, flush=True)
    print(given.out.read_text(encoding="utf-8").partition('"rows"')[0])


def earlier(out: Path, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents of an interrupted run with the same options."""
    found = orjson.loads(out.read_bytes()) if out.exists() else {}
    rows: list[dict[str, Any]] = found["rows"] if found.get("options") == options else []
    return rows


def write(out: Path, options: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    asked = [row for row in rows if "measures" in row]
    document = {
        "options": options,
        "documents": len(asked),
        "paragraphs": sum(row["paragraphs"] for row in asked),
        "cited": sum(row["cited"] for row in asked),
        "summary": summary(asked) if asked else {},
        "rows": rows,
    }
    out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))


if __name__ == "__main__":
    main()
