"""Task `documents`: paper embeddings on SciDocs, MDCR or SciRepEval, recognised by the files in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.search.encode import open_encoder
from citewhy.search.encode.encoder import Vectors
from citewhy_lab.evaluate.documents.embeddings import Embed, Texts, by_encoder, from_files, write_embeddings
from citewhy_lab.evaluate.documents.mdcr import is_mdcr, mdcr
from citewhy_lab.evaluate.documents.report import DocumentsReport
from citewhy_lab.evaluate.documents.scidocs import is_scidocs, scidocs
from citewhy_lab.evaluate.documents.scirepeval import is_scirepeval, scirepeval
from citewhy_lab.evaluate.documents.scoring import Score, Skipped
from citewhy_lab.evaluate.making import made, peak_rss_mb
from citewhy_lab.evaluate.tasks import Evaluator

__all__ = ["EVALUATOR", "Settings", "evaluate"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    encoder: Path | None
    """Folder of a trained encoder; None: the built-in one."""
    embeddings: tuple[Path, ...]
    """Files of vectors, used instead of an encoder."""
    write_embeddings: Path | None
    seed: int


def evaluate(settings: Settings, progress: Progress) -> DocumentsReport:
    """Embeds the papers of the benchmark, and scores its tasks."""
    folder, seed = settings.file, settings.seed
    embed = from_files(settings.embeddings) if settings.embeddings else _encoder(settings, progress)
    kept: dict[str, Vectors] = {}
    missing: set[str] = set()

    def watched(texts: Texts, words: bool) -> Mapping[str, Vectors]:
        found = embed(texts, words)
        kept.update(found)
        missing.update(texts.keys() - found.keys())
        return found

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
    notes = [f"{each.task}: not measured, {each.reason}" for each in results if isinstance(each, Skipped)]
    if missing:
        notes.append(f"{len(missing):,} papers have no vector")
    scores = [each for each in results if isinstance(each, Score)]
    if not scores:
        raise InputError("none of the tasks has its data in this folder", path=folder, hint="; ".join(notes))
    if settings.write_embeddings is not None:
        write_embeddings(settings.write_embeddings, kept)
    system = (
        "embeddings" if settings.embeddings else settings.encoder.name if settings.encoder else "built-in"
    )
    options = {"encoder": system, "embeddings": [path.name for path in settings.embeddings]}
    return DocumentsReport(
        name,
        folder.name,
        system,
        scores,
        seed,
        notes,
        made(settings.embeddings, None, None, options, seed),
        peak_rss_mb(),
    )


EVALUATOR = Evaluator(Settings, evaluate)


def _encoder(settings: Settings, progress: Progress) -> Embed:
    return by_encoder(open_encoder(settings.encoder), progress)
