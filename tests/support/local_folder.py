"""Makes a small data set in the usual layout, in which only words can be learned."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["make_folder"]

TOPICS = ("parsing", "tagging", "speech", "alignment", "summaries", "dialogue")


def make_folder(folder: Path) -> Path:
    """Writes twelve cited papers, two per topic, and six citing papers: 24 contexts, half of them for
    training."""
    folder.mkdir()
    papers = {
        f"P0{number % 8}-10{number:02d}": {
            "title": f"{topic} {word}",
            "abstract": f"On {topic} with {word} models.",
            "authors": [f"Ann {topic.title()}", "Bo Both"],
        }
        for number, (topic, word) in enumerate(
            (topic, word) for topic in TOPICS for word in ("early", "late")
        )
    }
    cited = list(papers)
    citing = [f"D{year}-1001" for year in ("09", "10", "11", "12", "13", "14")]
    papers |= {
        name: {"title": f"Writing {name}", "abstract": "We write.", "authors": ["Cy Citer"]}
        for name in citing
    }
    contexts = {
        f"{name}_{paper}_0": {
            "masked_text": f"Much was said of {papers[paper]['title']} TARGETCIT and OTHERCIT before",
            "citing_id": name,
            "refid": paper,
        }
        for place, name in enumerate(citing)
        for paper in cited[place % 3 :: 3]
    }
    splits = {"train": citing[:3], "val": citing[3:4], "test": citing[4:]}
    (folder / "papers.json").write_text(json.dumps(papers))
    (folder / "contexts.json").write_text(json.dumps(contexts))
    for split, names in splits.items():
        rows = [
            {"context_id": name, "positive_ids": [context["refid"]]}
            for name, context in contexts.items()
            if context["citing_id"] in names
        ]
        (folder / f"{split}.json").write_text(json.dumps(rows))
    return folder
