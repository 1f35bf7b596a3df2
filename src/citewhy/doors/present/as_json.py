"""Answers as plain values for JSON, with the field names of the records; unknown values are null, nothing is
omitted. `docs/data.md` lists the documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from citewhy.answers.answer import Answer, DraftAnswer
from citewhy.base.records import Advice, Manuscript, Paper, Passage, Place, Resolution, Suggestion, UnitAnswer
from citewhy.base.reports import (
    AddReport,
    AdoptedReport,
    Classified,
    EncodeReport,
    EnrichPlan,
    EnrichReport,
    Finding,
    LibraryInfo,
    PaperPassages,
    SyncReport,
    TakenReport,
)
from citewhy.doors.present.documents import (
    AdviceFields,
    DraftDocument,
    FindDocument,
    PaperFields,
    PassageFields,
    PassagesDocument,
    PlaceFields,
    ResolutionFields,
    ReviewDocument,
    SuggestionFields,
    TextDocument,
    UnitFields,
)


def dumps(document: Mapping[str, Any]) -> str:
    """The document as indented JSON, without a line feed at its end. Halves of characters, which stand for
    bytes of file names that are not UTF-8, are written as JSON can: ``\\udcff``."""
    import orjson  # compiled; answers for people do without it

    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return json.dumps(document, indent=2, ensure_ascii=True)


# Documents ------------------------------------------------------------------------------------------------


def draft_document(answer: DraftAnswer) -> DraftDocument:
    """The answers to a draft: its citations in `places`, its paragraphs, and the draft as a whole, each in
    reading order; `whole` is null if it was not requested."""
    answers = list(answer)
    whole = [unit_answer(answer) for answer in answers if answer.unit.kind == "draft"]
    return {
        "library": answer.library,
        "pipeline": answer.pipeline,
        "draft": answer.manuscript.path,
        "places": [unit_answer(answer) for answer in answers if answer.unit.kind in ("place", "set")],
        "paragraphs": [unit_answer(answer) for answer in answers if answer.unit.kind == "paragraph"],
        "whole": whole[0] if whole else None,
        "problems": list(answer.problems),
    }


def review_document(
    manuscript: Manuscript, remarks: Iterable[Advice], library: str, pipeline: str
) -> ReviewDocument:
    """The uncited claims of a draft, most certain first."""
    return {
        "library": library,
        "pipeline": pipeline,
        "draft": manuscript.path,
        "remarks": uncited(remarks),
        "problems": list(manuscript.problems),
    }


def uncited(remarks: Iterable[Advice]) -> list[AdviceFields]:
    """Uncited claims, most certain first."""
    return [
        {
            "rank": rank,
            **place_fields(remark.sentence.place),
            "section": remark.paragraph.section,
            "sentence": remark.sentence.text,
            "probability": round(remark.probability, 6),
            "reasons": [{"kind": reason.kind, "text": reason.text} for reason in remark.reasons],
            "suggestions": suggestions(remark.suggestions),
        }
        for rank, remark in enumerate(remarks, 1)
    ]


def text_document(answer: Answer) -> TextDocument:
    """The answer to one sentence."""
    return {
        "library": answer.library,
        "pipeline": answer.pipeline,
        "text": answer.text,
        "several": _rounded(answer.several),
        "suggestions": suggestions(answer),
    }


def classified_document(
    classified: Sequence[Classified], classifier: str, labels: Sequence[str], draft: str | None
) -> dict[str, Any]:
    """Tells what a classifier says of sentences; `draft` is the path of the draft that they are from."""
    nowhere = dict.fromkeys(("file", "line", "start", "end"))
    return {
        "classifier": classifier,
        "labels": list(labels),
        "draft": draft,
        "sentences": [
            {
                **(nowhere if sentence.place is None else place_fields(sentence.place)),
                "text": sentence.text,
                "label": sentence.label,
                "probabilities": dict(sentence.probabilities),
            }
            for sentence in classified
        ],
    }


def passages_document(passages: PaperPassages, library: str) -> PassagesDocument:
    """Passages of one paper for a claim."""
    return {
        "library": library,
        "id": passages.paper.id,
        "title": passages.paper.title,
        "text": passages.text,
        "source": passages.source,
        "passages": [passage_values(passage) for passage in passages.passages],
    }


def find_document(finding: Finding, library: str) -> FindDocument:
    """The papers found for a text, those that it names first."""
    return {
        "library": library,
        "text": finding.text,
        "corrected": finding.corrected,
        "alternatives": list(finding.alternatives),
        "resolution": resolution(finding.resolution),
        "fitting": finding.fitting,
        "papers": [paper_values(paper) for paper in finding.papers],
    }


def like_document(
    paper: Paper, aspect: str | None, alike: Sequence[Suggestion], library: str
) -> dict[str, Any]:
    """The papers that are like one in an aspect."""
    return {"library": library, "like": paper.id, "aspect": aspect, "suggestions": suggestions(alike)}


def info_document(info: LibraryInfo) -> dict[str, Any]:
    """The contents of a library."""
    return asdict(info)


def report_of(report: EncodeReport | TakenReport | AdoptedReport) -> dict[str, Any]:
    """The fields of a report."""
    return asdict(report)


def added_document(report: AddReport | None, taken: TakenReport | None) -> dict[str, Any]:
    """The effect of adding files, and of taking vectors (``vectors``)."""
    document = {} if report is None else add_document(report)
    return document if taken is None else {**document, "library": taken.library, "vectors": report_of(taken)}


def add_document(report: AddReport) -> dict[str, Any]:
    """The effect of adding files."""
    return {
        "library": report.library,
        "generation": report.generation,
        "changed": report.changed,
        "files": list(report.files),
        "files_not_recognised": list(report.files_not_recognised),
        "files_refused": list(report.files_refused),
        "pdfs": list(report.pdfs),
        "read": dict(report.read),
        "new": dict(report.new),
        "updated": dict(report.updated),
        "unchanged": dict(report.unchanged),
        "refused": dict(report.refused),
        "merged": report.merged,
        "merges": [asdict(merge) for merge in report.merges],
        "papers_before": report.papers_before,
        "papers_after": report.papers_after,
        "withdrawn": dict(report.withdrawn),
        "writings": list(report.writings),
        "missing": list(report.missing),
        "not_kept": {
            source: dict(sorted(names.items(), key=lambda named: (-named[1], named[0])))
            for source, names in report.not_kept.items()
        },
        "skipped": {"count": report.skipped, "first": list(report.skips)},
        "warnings": {"count": report.warned, "first": list(report.warnings)},
    }


def sync_document(report: SyncReport) -> dict[str, Any]:
    """The effect of reading changed files again; `added` is null if nothing has changed."""
    return {
        "library": report.library,
        "dry_run": report.dry_run,
        "sources": report.sources,
        "changed": list(report.changed),
        "missing": list(report.missing),
        "removed": [{"id": paper_id, "title": title} for paper_id, title in report.removed.items()],
        "renamed": dict(report.renamed),
        "added": None if report.added is None else add_document(report.added),
    }


def enrich_document(plan: EnrichPlan, report: EnrichReport | None) -> dict[str, Any]:
    """Tells what is sent to a service, and what it answered; null if nothing was sent."""
    if report is None:
        return {"plan": asdict(plan), "answered": None}
    return {
        "plan": asdict(plan),
        "answered": dict(report.counts),
        "merges": [asdict(merge) for merge in report.merges],
        "papers_before": report.papers_before,
        "papers_after": report.papers_after,
    }


def split_document(papers: Sequence[Paper], library: str) -> dict[str, Any]:
    """The papers that one entry of a library has become."""
    return {"library": library, "papers": [{"id": paper.id, "title": paper.title} for paper in papers]}


def remove_document(removed: Sequence[Paper], library: str) -> dict[str, Any]:
    """The papers that were taken out of a library."""
    return {"library": library, "removed": [{"id": paper.id, "title": paper.title} for paper in removed]}


# Their parts ----------------------------------------------------------------------------------------------


def unit_answer(answer: UnitAnswer) -> UnitFields:
    """The answer to one unit of a draft. Fields of a marker are null if the unit has none."""
    unit = answer.unit
    marker, sentence = unit.marker, unit.sentence
    return {
        "unit": unit.kind,
        **place_fields(unit.place),
        "keys": None if marker is None else list(marker.keys),
        "undefined": list(unit.undefined),
        "resolutions": [resolution(named) for named in answer.resolutions],
        "open": None if marker is None else marker.open,
        "command": None if marker is None else marker.command,
        "in_text": None if marker is None else marker.in_text,
        "note": None if marker is None else marker.note or None,
        "slot": None if marker is None or marker.slot is None else place_fields(marker.slot),
        "section": None if unit.paragraph is None else unit.paragraph.section,
        "sentence": None if sentence is None else sentence.text,
        "offset": None if marker is None else marker.offset,
        "several": _rounded(answer.several),
        "suggestions": suggestions(answer.suggestions),
    }


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 4)


def resolution(named: Resolution) -> ResolutionFields:
    """Tells what a text names."""
    return {
        "text": named.text,
        "kind": named.kind,
        "ids": list(named.paper_ids),
        "certain": named.certain,
    }


def place_fields(place: Place) -> PlaceFields:
    if place.part:
        return {
            "file": place.file,
            "part": place.part,
            "line": place.line,
            "start": place.start,
            "end": place.end,
        }
    return {"file": place.file, "line": place.line, "start": place.start, "end": place.end}


def suggestions(listed: Sequence[Suggestion]) -> list[SuggestionFields]:
    """Suggestions, best first."""
    return [_suggestion(rank, suggestion) for rank, suggestion in enumerate(listed, 1)]


def paper_values(paper: Paper) -> PaperFields:
    """The metadata of a paper, without its abstract."""
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or None,
        "url": paper.url or None,
        "own": paper.own,
    }


def _suggestion(rank: int, suggestion: Suggestion) -> SuggestionFields:
    paper = suggestion.paper
    return {
        "rank": rank,
        **paper_values(paper),
        "key": suggestion.key or None,
        "for_key": suggestion.for_key or None,
        "in_bibliography": suggestion.in_bibliography,
        "library": suggestion.library,
        "proposed": suggestion.proposed,
        "score": round(suggestion.score, 6),
        "probability": suggestion.probability,
        "reasons": [
            {"kind": reason.kind, "text": reason.text, "weight": reason.weight}
            for reason in suggestion.reasons
        ],
        "source": suggestion.source,
        "passages": [passage_values(passage) for passage in suggestion.passages],
    }


def passage_values(passage: Passage) -> PassageFields:
    """One passage."""
    return {
        "text": passage.text,
        "section": passage.section,
        "sid": passage.sid,
        "last_sid": passage.last_sid,
        "facet": passage.facet or None,
        "credits": list(passage.credits),
        "before": passage.before,
        "after": passage.after,
        "score": round(passage.score, 6),
    }
