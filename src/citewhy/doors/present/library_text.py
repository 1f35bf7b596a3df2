"""The contents of a library, and the effect of adding files, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewhy.base.reports import (
    AddReport,
    AdoptedReport,
    EncodeReport,
    EnrichReport,
    IndexState,
    LibraryInfo,
    Merge,
    SyncReport,
    TakenReport,
)
from citewhy.doors.present.lines import folded
from citewhy.papers.formats.recognise import PDF_HINT
from citewhy.text.counted import counted
from citewhy.text.languages import LANGUAGES

TUNED = {
    "own-citation": "your other citations of a paper",
    "named": "names in the sentence",
    "paragraph": "the paragraph around the sentence",
}
"""Tells what the weights of a tuning are about."""

_UNFINISHED = "unfinished; the next answer finishes it"
_STATES: dict[IndexState, str] = {
    "current": "ready",
    "missing": "not prepared yet; the next answer prepares it",
    "behind": "papers were added; the next answer takes them in",
    "ahead": _UNFINISHED,
    "damaged": _UNFINISHED,
}
"""How far a library is prepared for answers."""

_KINDS = ("papers", "aliases", "contexts", "citations", "full texts", "notices", "identifiers")
_COLUMN = " " * 13
_PROBLEMS_SHOWN = 5
_FIELDS_SHOWN = 12
_LANGUAGES_SHOWN = 4


def info(contents: LibraryInfo, own: str) -> str:
    """The contents of a library; `own` is the folder to which papers will be added, if this is the starter
    library."""
    years = "" if contents.first_year is None else f", {contents.first_year} to {contents.last_year}"
    stand_in = [
        *folded(f"the built-in starter library: nothing has been added to {own} yet", _COLUMN, ""),
        f"{_COLUMN}start your own with: citewhy add FILE…",
    ]
    lines = [
        f"Library      {contents.library}",
        *(stand_in if contents.starter else []),
        f"papers       {contents.papers:,}{years}",
        *([f"{'':12} {contents.own_writings:,} of them your own writings"] if contents.own_writings else []),
        f"{'':12} {contents.with_abstract:,} with an abstract, {contents.with_full_text:,} with full text",
        *_languages(contents.languages),
        *_counts("sentences", contents.contexts, "that cite papers", contents.contexts_waiting),
        *_counts("citations", contents.citations, "of one paper by another", contents.citations_waiting),
        *([f"other ids    {contents.aliases:,}"] if contents.aliases else []),
        f"size         {contents.bytes / 1e6:,.1f} MB",
        f"search       {_STATES[contents.index]}",
        *folded(f"meaning      {_meaning(contents)}", rest=_COLUMN),
        *([] if contents.tuning is None else folded(f"tuned        {_tuned(contents.tuning)}", rest=_COLUMN)),
        "All records are intact.",
        *([] if contents.loss is None else folded(f"But {contents.loss}")),
    ]
    return "\n".join(lines)


def _languages(counts: Mapping[str, int]) -> list[str]:
    """The languages of titles, and what that means, if some are not English."""
    if not set(counts) - {"en"}:
        return []
    ordered = list(counts.items())
    named = [f"{count:,} in {LANGUAGES[code]}" for code, count in ordered[:_LANGUAGES_SHOWN]]
    rest = sum(count for _, count in ordered[_LANGUAGES_SHOWN:])
    listed = ", ".join([*named, *([f"{rest:,} in others"] if rest else [])])
    where = (
        "a text in another language than a paper finds it by names, years and shared words of Latin letters, "
        "not by meaning"
    )
    return folded(f"languages    {listed}: {where}", rest=_COLUMN)


def _tuned(tuning: Mapping[str, Any]) -> str:
    kept = tuning["weights"].items()
    weights = ", ".join(f"{TUNED[kind]} × {1 + weight:g}" for kind, weight in kept if weight)
    fitted = [weights] if weights else []
    fitted += ["probabilities"] if tuning["calibration"] else []
    where = f"on {counted(tuning['drafts'], 'finished draft')}, {counted(tuning['places'], 'citation')}"
    if not tuning["used"]:
        return f"{where}, for another ranker, and not used: fit again with `citewhy tune`"
    return f"{where}: {'; '.join(fitted)}"


def _meaning(contents: LibraryInfo) -> str:
    """What has vectors, and what is to have some."""
    count = counted(contents.unencoded, "text")
    if contents.encode == "words-only" and contents.unencoded:
        return f"{count} not encoded, as was chosen; to encode them: citewhy sync --encode titles"
    state = _STATES[contents.vectors]
    if contents.unencoded:
        state = f"{count} to encode; answers go on with it, or: citewhy sync"
    if contents.encode != "titles":
        return state
    return f"{state}; not the parts of abstracts, as was chosen (all: citewhy sync --encode full)"


def _counts(name: str, count: int, what: str, waiting: int) -> list[str]:
    """A line for what there is, and one for those of it that are about papers elsewhere."""
    elsewhere = f"{'':12} {waiting:,} of them of papers that the library does not have"
    return [f"{name:12} {count:,} {what}", *([elsewhere] if waiting else [])] if count else []


def added(report: AddReport) -> str:
    """The effect of adding files: a table of counts, and what was left out and why."""
    return "\n".join(_added(report))


def encoded(report: EncodeReport) -> str:
    """What encoding a shard wrote."""
    return "\n".join(
        folded(
            f"{report.file}: shard {report.shard} of {report.shards}, {counted(report.vectors, 'vector')} by "
            f"{report.encoder}, {report.encoded:,} of them encoded now; for the library: citewhy add FILE…"
        )
    )


def adopted(report: AdoptedReport) -> str:
    """What an encoder of published vectors has."""
    refused = f"; {report.refused:,} were no vectors of these dimensions" if report.refused else ""
    texts = "" if report.reads_texts else "; it has no vectors of sentences"
    return "\n".join(
        folded(
            f"{report.folder}: vectors of {report.found:,} of {counted(report.papers, 'paper')}, from "
            f"{counted(report.rows, 'row')}{refused}{texts}; to use them: citewhy sync --encoder DIR"
        )
    )


def taken(report: TakenReport) -> str:
    """What files of vectors brought."""
    left = (
        f"; {counted(report.missing, 'text')} without: add the files of the other shards, or: citewhy sync"
        if report.missing
        else ""
    )
    return "\n".join(
        folded(
            f"{counted(report.taken, 'vector')} taken from {counted(len(report.files), 'file')} into "
            f"{report.library}, {report.known:,} there before{left}"
        )
    )


def synced(report: SyncReport) -> str:
    """The effect of reading changed files again: a table of counts as of `added`, and what was removed."""
    return "\n".join(_synced(report))


def _synced(report: SyncReport) -> Iterator[str]:
    if not report.sources:
        yield from folded(f"{report.library} remembers no files; add yours again: citewhy add FILE…")
        return
    of = f"{counted(report.sources, 'source')} of {report.library}"
    if report.added is None:
        yield f"{of}: nothing has changed"
    else:
        outcome = "would be read again" if report.dry_run else "read again"
        yield f"{of}, {counted(len(report.changed), 'file')} {outcome}"
        yield from _effect(report.added)
    removed = [f"{paper_id}: {title}" for paper_id, title in report.removed.items()]
    yield from _problems("Removed, since no source has them any more", removed, len(removed))
    renamed = [f"{new}, before {old}" for old, new in report.renamed.items()]
    yield from _problems("Papers with another key", renamed, len(renamed))
    yield from _problems("Missing, and nothing of them removed", report.missing, len(report.missing))
    if report.dry_run:
        yield "Nothing was changed (--dry-run)."


def _added(report: AddReport) -> Iterator[str]:
    outcome = "added to" if report.changed else "read, nothing new for"
    yield f"{counted(len(report.files), 'file')} {outcome} {report.library}"
    yield from _effect(report)


def _effect(report: AddReport) -> Iterator[str]:
    yield f"{'':12}{'read':>10}{'new':>10}{'updated':>10}{'unchanged':>12}{'refused':>10}"
    for kind in _KINDS:
        columns = (report.read, report.new, report.updated, report.unchanged, report.refused)
        read, new, updated, unchanged, refused = (column.get(kind, 0) for column in columns)
        if read:
            yield f"{kind:12}{read:>10,}{new:>10,}{updated:>10,}{unchanged:>12,}{refused:>10,}"
    yield from _problems("Read as your own writings", report.writings, len(report.writings))
    if report.withdrawn:
        gone = ", ".join(f"{kind} {count:,}" for kind, count in report.withdrawn.items())
        yield from folded(f"No longer in your writings, and taken out: {gone}")
    if report.merged:
        yield from folded(f"Matched with papers of the library under other ids: {report.merged:,}")
        yield from doubtful(report.merges)
    yield papers(report)
    yield from _problems("Files refused", report.files_refused, len(report.files_refused))
    unknown = report.files_not_recognised
    yield from _problems("Files of unknown format, not read", unknown, len(unknown))
    if report.pdfs:
        yield from folded(f"PDFs, not read: {len(report.pdfs):,}; {PDF_HINT}")
    yield from _problems("Not in the library", report.missing, len(report.missing))
    yield from _problems("Records skipped", report.skips, report.skipped)
    yield from _problems("Warnings", report.warnings, report.warned)
    for source, names in report.not_kept.items():
        yield from folded(f"Fields not kept, {source}: {_most(names)}")


def papers(report: AddReport | EnrichReport) -> str:
    """How many papers the library has, and had before."""
    return f"Papers in the library: {report.papers_after:,} (before: {report.papers_before:,})"


def doubtful(merges: Sequence[Merge]) -> Iterator[str]:
    """The merges that a person may disagree with."""
    shown = [_merge(merge) for merge in merges if not merge.certain]
    yield from _problems("Doubtful among these", shown, len(shown))
    if shown:
        yield from folded("If two are not one paper: citewhy split ID", indent="  ")


def _merge(merge: Merge) -> str:
    titles = merge.title if merge.title == merge.into_title else f"{merge.title} / {merge.into_title}"
    return f"{merge.id} = {merge.into}: {titles}"


def _most(names: Mapping[str, int]) -> str:
    """The most frequent fields with their counts."""
    sorted_names = sorted(names.items(), key=lambda named: (-named[1], named[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in sorted_names[:_FIELDS_SHOWN])
    others = len(names) - _FIELDS_SHOWN
    return f"{shown}, and {others:,} more (--json lists them)" if others > 0 else shown


def _problems(what: str, problems: Sequence[str], count: int) -> Iterator[str]:
    if count:
        shown = problems[:_PROBLEMS_SHOWN]
        yield f"{what}: {count:,}" + ("" if count <= len(shown) else f", showing the first {len(shown)}")
        for problem in shown:
            yield from folded(problem, indent="  ")
