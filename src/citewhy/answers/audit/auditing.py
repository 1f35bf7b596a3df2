"""`audit`: the verdicts on all entries of reference lists."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from citewhy.answers.audit.entries import duplicates, keys_of, of_entry
from citewhy.answers.audit.impossible import impossible, is_placeholder
from citewhy.answers.audit.judging import judge
from citewhy.answers.audit.lists import ListedEntries
from citewhy.answers.audit.notices import FindNotices, of_all, remarks_on
from citewhy.answers.audit.sources import Papers
from citewhy.answers.audit.verdicts import VERDICTS, Audit, AuditedEntry, KeyRemark, Remark
from citewhy.base.records import Paper, Reference


def audit(
    lists: Sequence[ListedEntries],
    papers: Papers,
    name: str = "",
    this_year: int | None = None,
    notices: FindNotices | None = None,
) -> Audit:
    """Compares every entry of the lists with the papers that are known, which people know by `name`, and with
    the `notices` on papers. `this_year` None: that of today."""
    year = datetime.datetime.now(tz=datetime.UTC).year if this_year is None else this_year
    entries: list[AuditedEntry] = []
    keys: list[KeyRemark] = []
    titled = [(each, reference) for each in lists for reference in each.references if reference.paper.title]
    twice = duplicates([reference for _, reference in titled])
    found = papers.candidates([reference.paper for _, reference in titled])
    for place, ((each, reference), candidates) in enumerate(zip(titled, found, strict=True)):
        remarks = []
        if place in twice:
            where, earlier = titled[twice[place]]
            beside = "" if where is each else f" in {where.file}"
            remarks = [Remark("duplicate", f"the same paper as {earlier.key}{beside}")]
        entries.append(_entry(reference, each.file, candidates, papers, year, remarks))
    for each in lists:
        keys += each.repeated
        if each.manuscript is not None:
            keys += keys_of(each.manuscript)
    entries = _with_notices(entries, notices or of_all([]))
    counts = Counter(entry.verdict for entry in entries)
    return Audit(
        name,
        tuple(each.file for each in lists),
        tuple(entries),
        tuple(keys),
        tuple(problem for each in lists for problem in each.problems),
        {verdict: counts[verdict] for verdict in VERDICTS},
    )


def _entry(
    reference: Reference,
    file: str,
    candidates: Sequence[Paper],
    papers: Papers,
    year: int,
    remarks: list[Remark],
) -> AuditedEntry:
    paper = reference.paper
    judged = judge(paper, [] if is_placeholder(paper.title) else candidates, papers)
    reasons = tuple(impossible(paper, year))
    known, source = judged.paper, paper.source
    itself = bool(
        source and known and known.source and known.source.text == source.text and judged.verdict == "known"
    )
    return AuditedEntry(
        "impossible" if reasons else judged.verdict,
        judged.paper,
        judged.other,
        judged.parts,
        judged.differences,
        reasons or judged.reasons,
        (*judged.remarks, *remarks, *of_entry(paper)),
        reference=reference,
        file=reference.place.file if reference.place else file,
        listed_in=file,
        itself=itself,
    )


def _with_notices(entries: Sequence[AuditedEntry], notices: FindNotices) -> list[AuditedEntry]:
    """The entries with remarks on what was said of their papers after they appeared."""
    records = [[entry.reference.paper, *([entry.meant] if entry.meant else [])] for entry in entries]
    found = iter(notices([paper for papers in records for paper in papers]))
    noticed = []
    for entry, papers in zip(entries, records, strict=True):
        remarks = tuple(remarks_on(papers, [one for _ in papers for one in next(found)]))
        noticed.append(replace(entry, remarks=(*remarks, *entry.remarks)) if remarks else entry)
    return noticed
