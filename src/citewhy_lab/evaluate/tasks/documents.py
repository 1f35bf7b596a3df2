"""Task `documents`: paper embeddings on SciDocs, MDCR or SciRepEval, recognised by the files in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.search.encode import open_encoder
from citewhy.search.encode.encoder import Vectors
from citewhy_lab.evaluate.documents import (
    Score,
    Skipped,
    Texts,
    by_encoder,
    from_files,
    is_mdcr,
    is_scidocs,
    is_scirepeval,
    mdcr,
    scidocs,
    scirepeval,
    write_embeddings,
)
from citewhy_lab.evaluate.making import made, peak_rss_mb
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.evaluate.outcome import Column, Outcome
from citewhy_lab.evaluate.tasks.declared import DocumentsOptions


@dataclass(frozen=True, slots=True)
class DocumentsTask(DocumentsOptions):
    """Embeds the papers of a benchmark, and scores its tasks."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises InputError for a folder of no benchmark, and for one without the data of any task."""
        folder, seed = self.file, self.seed
        embed = (
            from_files(self.embeddings)
            if self.embeddings
            else by_encoder(open_encoder(self.encoder), progress)
        )
        kept: dict[str, Vectors] = {}
        missing: set[str] = set()

        def watched(texts: Texts, words: bool) -> Mapping[str, Vectors]:
            vectors = embed(texts, words)
            kept.update(vectors)
            missing.update(texts.keys() - vectors.keys())
            return vectors

        if is_scidocs(folder):
            name, results = "SciDocs", list(scidocs(folder, watched, seed))
        elif is_mdcr(folder):
            name, results = "MDCR", list[Score | Skipped](mdcr(folder, watched))
        elif is_scirepeval(folder):
            name, results = "SciRepEval", list(scirepeval(folder, watched, seed))
        else:
            raise InputError(
                "this is no folder of a benchmark",
                path=folder,
                hint="expected SciDocs (paper_metadata_….json), MDCR (mdcr_test.json) or SciRepEval"
                " (scirepeval_tasks.jsonl); docs/evaluation.md tells where to get them",
            )
        skipped = [result for result in results if isinstance(result, Skipped)]
        notes = [f"{result.task}: not measured, {result.reason}" for result in skipped]
        if missing:
            notes.append(f"{len(missing):,} papers have no vector")
        scores = [result for result in results if isinstance(result, Score)]
        if not scores:
            hint = "; ".join(notes)
            raise InputError("none of the tasks has its data in this folder", path=folder, hint=hint)
        if self.write_embeddings is not None:
            write_embeddings(self.write_embeddings, kept)
        return self._outcome(name, scores, notes)

    def _outcome(self, benchmark: str, scores: Sequence[Score], notes: Sequence[str]) -> Outcome:
        """Makes the outcome of figures in [0, 1] by measure and task."""
        system = "embeddings" if self.embeddings else self.encoder.name if self.encoder else "built-in"
        options = {"encoder": system, "embeddings": [path.name for path in self.embeddings]}
        by_query = {f"{score.measure}/{score.task}": score.queries for score in scores if score.queries}
        column = Column.of(system, [_scores(name, values) for name, values in by_query.items()], self.seed)
        measures = {f"{score.measure}/{score.task}": score.value for score in scores}
        counts = {name: len(values) for name, values in by_query.items()}
        return Outcome(
            "documents",
            self.file.name,
            {"benchmark": benchmark, "file": self.file.name},
            replace(column, measures=measures, details={"queries": counts}),
            self.seed,
            notes=notes,
            peak_rss_mb=peak_rss_mb(),
            made=made(self.embeddings, None, None, options, self.seed),
            title=f"{benchmark}: {self.file.name}",
        )


def _scores(name: str, values: Sequence[float]) -> Scores:
    ids = tuple(str(number) for number in range(len(values)))
    return Scores(ids, np.ones(len(values)), {name: np.array(values)})
