"""Task `audit`: which entries of reference lists are invented, told by a library of the valid ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.answers.audit import ListedEntries, ListedPapers, audit
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Reference
from citewhy_lab.evaluate.audits import AuditedRow, are_there, by_kind, measures, restyled
from citewhy_lab.evaluate.datasets.hallmark import Row, rows_of
from citewhy_lab.evaluate.making import made, peak_rss_mb
from citewhy_lab.evaluate.outcome import Column, Outcome, Section, number
from citewhy_lab.evaluate.tasks.declared import AuditOptions


@dataclass(frozen=True, slots=True)
class AuditTask(AuditOptions):
    """Audits every row beside a library that has the valid rows in another style."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises InputError for other files, QueryError where no row is valid or none is left to judge."""
        judged = rows_of(self.file)
        apart = rows_of(self.made_on) if self.made_on else []
        names = {row.name for row in apart}
        judged = [row for row in judged if row.name not in names]
        valid = list({row.name: row for row in (*judged, *apart) if row.valid}.values())
        if not valid:
            raise QueryError(
                "no row is valid, so that the library is empty", hint="name a folder, or --made-on FILE"
            )
        if not judged:
            raise QueryError("every row is one of --made-on", hint="omit it, or name other rows")
        progress(f"auditing {len(judged) + len(apart):,} entries", None)
        rng = random.Random(self.seed)
        library = ListedPapers([restyled(row.paper, rng) for row in valid])
        rows = _audited(judged, valid, library)
        found, intervals = measures(rows, self.seed)
        sections = [Section("By kind", by_kind(rows))]
        details = {}
        if apart:
            others = _audited(apart, valid, library)
            theirs, _ = measures(others, self.seed)
            lines = [f"{name:28} {number(value)}" for name, value in theirs.items()]
            title = f"Rows of {self.made_on.name if self.made_on else ''}, apart"
            sections.append(Section(title, [*lines, "", *by_kind(others)]))
            details = {"made_on": {"queries": len(others), "measures": theirs}}
        head = {
            "queries": len(rows),
            "judgements": sum(not row.row.valid for row in rows),
            "library": len(valid),
        }
        files = [file for given in (self.file, self.made_on) if given for file in _files(given)]
        return Outcome(
            "audit",
            self.file.name,
            head,
            Column("audit", found, intervals, kind="", details=details),
            self.seed,
            facts=[
                f"{len(rows):,} entries, {head['judgements']:,} of them invented; "
                f"the library has {len(valid):,} valid ones in another style",
                "intervals: 95 %, bootstrap over entries",
            ],
            sections=sections,
            peak_rss_mb=peak_rss_mb(),
            made=made(files, None, None, {}, self.seed),
        )


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.jsonl")) if path.is_dir() else [path]


def _audited(rows: Sequence[Row], valid: Sequence[Row], library: ListedPapers) -> list[AuditedRow]:
    references = tuple(Reference(row.paper.id, row.paper) for row in rows)
    entries = audit([ListedEntries("rows", references)], library).entries
    verdicts = {id(entry.reference): entry.verdict for entry in entries}
    there = are_there(rows, valid)
    return [
        AuditedRow(row, verdicts.get(id(reference), "unknown"), where)
        for row, reference, where in zip(rows, references, there, strict=True)
    ]
