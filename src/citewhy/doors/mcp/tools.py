"""The tools of the server for assistants, each a question to the session."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from citewhy.answers.audit import VERDICTS, AuditedEntry
from citewhy.answers.missing import MissingWork, MissingWorks
from citewhy.base.errors import QueryError
from citewhy.base.records import Advice
from citewhy.base.reports import Finding
from citewhy.base.trace import traced
from citewhy.doors.mcp import short
from citewhy.doors.mcp.short import Answer
from citewhy.doors.present.audit_json import found_of
from citewhy.session.draft_places import DraftPlace
from citewhy.session.open_draft import OpenDraft
from citewhy.session.session import Session

_FOR_A_PLACE = 3
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_MOST = 20


class Tools:
    """Answers an assistant from one session. Thread-safe. Drafts stay open, so that what is asked twice is
    answered at once, and what was suggested can be chosen."""

    def __init__(self, session: Session, allowed: Callable[[], Sequence[Path]]) -> None:
        """`allowed` returns the folders under which files are read and drafts are edited."""
        self._session = session
        self._allowed = allowed
        self._drafts: dict[Path, OpenDraft] = {}
        self._lock = threading.Lock()

    def path(self, name: str) -> Path:
        """A file or folder that may be read. Raises QueryError for others."""
        folders = [folder.resolve() for folder in self._allowed()]
        path = Path(name).expanduser()
        path = (path if path.is_absolute() or not folders else folders[0] / path).resolve()
        if not any(path.is_relative_to(folder) for folder in folders):
            shown = ", ".join(map(str, folders)) or "none"
            raise QueryError(f"{name} is outside of the folders that may be read", hint=f"these are: {shown}")
        return path

    def _draft(self, name: str) -> OpenDraft:
        path = self.path(name)
        with self._lock:
            if path not in self._drafts:
                self._drafts[path] = OpenDraft(self._session, path)
            return self._drafts[path]

    # Questions ------------------------------------------------------------------------------------------

    @traced("tool suggest")
    def suggest(self, text: str, draft: str, k: int, first: int) -> Answer:
        """Papers for a sentence or, with a draft, for its open citations."""
        k = min(max(k, 1), _MOST)
        if not draft:
            answer = self._session.suggest(text, k)
            found = short.listed("suggestions", map(short.suggestion, answer.suggestions))
            return found if answer.suggestions else {**found, "note": short.NOTHING_FITS}
        opened = self._draft(draft)
        if text:
            places = [place for place in opened.state().places if text in place.sentence]
            if not places:
                raise QueryError(
                    "the draft has no open citation in such a sentence", hint="leave out the text"
                )
        else:
            places = list(opened.state().places)[max(first, 1) - 1 :]
        return short.listed("places", self._answered(opened, places, k if text else _FOR_A_PLACE), first)

    def _answered(self, opened: OpenDraft, places: Sequence[DraftPlace], k: int) -> Iterable[Answer]:
        for place in places[:_MOST]:
            suggestions = opened.ask(place, k).answer.suggestions if place.unit.sentence else ()
            yield {
                "place": place.id,
                "line": place.unit.place.line,
                "file": opened.name_of(place.unit.place.file),
                "sentence": short.cut(place.sentence),
                "suggestions": [short.suggestion(one) for one in suggestions],
                **({} if suggestions else {"note": short.NOTHING_FITS}),
            }

    @traced("tool find")
    def find(self, text: str, k: int) -> Answer:
        """Papers that a text names, or with its words."""
        finding = self._session.find(text, min(max(k, 1), _MOST))
        found = short.listed("papers", map(short.paper, finding.papers), certain=_names_one(finding))
        if not finding.papers:
            return {**found, "note": short.UNKNOWN}
        return found if found["certain"] else {**found, "note": short.SIMILAR}

    @traced("tool paper")
    def paper(self, name: str) -> Answer:
        """What the library has of a paper."""
        one = self._session.paper(name)
        fields: Answer = {**short.paper(one), "venue": one.venue, "abstract": short.cut(one.abstract, 2400)}
        fields |= {"doi": one.doi}
        return {name: value for name, value in fields.items() if value}

    @traced("tool passages")
    def passages(self, paper: str, claim: str, k: int) -> Answer:
        """The sentences of a paper that a claim may rest on."""
        found = self._session.passages(paper, claim, min(max(k, 1), _MOST))
        items = ({"text": short.cut(one.text, 600)} for one in found.passages)
        answer = short.listed("passages", items, source=found.source)
        if found.passages:
            return answer
        return {**answer, "note": "The library has no sentence of it that shares words with the claim."}

    @traced("tool review")
    def review(
        self, draft: str, first: int, part: Literal["uncited", "missing", "all"] = "uncited"
    ) -> Answer:
        """Sentences of a draft that probably need a citation, works that it misses, or all with an audit."""
        start = max(first, 1) - 1
        if part == "missing":
            found = self._session.missing(self._draft(draft).state().manuscript)
            return short.listed("missing", map(_work, found.works[start:]), first, **_known(found))
        if part == "all":
            report = self._session.report(self._draft(draft).state().manuscript)
            undefined = ({"part": "audit", "key": one.key, "says": [one.kind]} for one in report.keys)
            entries = ({"part": "audit", **_entry(one)} for one in report.entries)
            works = ({"part": "missing", **_work(one)} for one in report.missing.works)
            remarks = ({"part": "uncited", **_remark(one)} for one in report.uncited)
            every = [*undefined, *entries, *works, *remarks]
            counts = asdict(report.found)
            return short.listed("remarks", every[start:], first, found=counts, **_known(report.missing))
        claims = self._draft(draft).state(claims=True).claims or ()
        items = (
            {
                "place": one.id,
                "line": one.unit.place.line,
                "sentence": short.cut(one.sentence),
                "probability": round(one.claim.probability, 3) if one.claim else None,
            }
            for one in claims[max(first, 1) - 1 :]
        )
        return short.listed("claims", items, first)

    @traced("tool audit")
    def audit(self, name: str, first: int) -> Answer:
        """What the library says of the entries of a bibliography or a draft: those of which nothing is to be
        said are only counted."""
        found = self._session.audit([self.path(name)])
        order = {verdict: number for number, verdict in enumerate(VERDICTS)}
        entries = [
            one for one in found.entries if one.verdict != "known" or any(found_of(one, verbose=False))
        ]
        entries.sort(key=lambda one: (not one.certain, order[one.verdict]))
        undefined = [one.key for one in found.keys if one.kind == "undefined"]
        others = {"undefined_keys": undefined[:_MOST]} if undefined else {}
        return short.listed(
            "entries", map(_entry, entries[max(first, 1) - 1 :]), first, counts=dict(found.counts), **others
        )

    # Changes --------------------------------------------------------------------------------------------

    @traced("tool add")
    def add(self, paths: Sequence[str]) -> Answer:
        """Adds files to the library."""
        report = self._session.add([self.path(name) for name in paths])
        refused = [*report.files_refused, *report.files_not_recognised, *report.pdfs]
        return {"new": dict(report.new), "papers": report.papers_after, "not_read": refused[:5]}

    @traced("tool library")
    def library(self) -> str:
        """What the library holds, in a few lines."""
        info = self._session.info()
        counts = {
            "library": info.library,
            "papers": info.papers,
            "with abstract": info.with_abstract,
            "citing sentences": info.contexts,
            "years": f"{info.first_year or '?'} to {info.last_year or '?'}",
            "titles by language": ", ".join(f"{name} {count}" for name, count in info.languages.items()),
        }
        return "\n".join(f"{name}: {value}" for name, value in counts.items() if value)

    @traced("tool edit")
    def edit(
        self, draft: str, choices: dict[str, list[str]], do: Literal["preview", "apply", "undo"]
    ) -> Answer:
        """The edit that writes papers at open citations: shown, applied, or taken back."""
        opened = self._draft(draft)
        if do == "undo":
            return {"restored": list(opened.undo())}
        for place, papers in choices.items():
            opened.choose(place, [self._id(opened, place, paper) for paper in papers])
        edition = opened.write() if do == "apply" else opened.edition()
        left = [{"place": place, "why": one.why} for place, one in edition.left]
        diff = "" if edition.patch is None else edition.patch.diff()
        return {"applied": do == "apply", "places": list(edition.places), "left": left, "diff": diff[:3000]}

    @staticmethod
    def _id(opened: OpenDraft, place: str, name: str) -> str:
        """The id of a paper that is named by its key or its id."""
        for _, one in opened.suggested(_MOST):
            if name in (one.key, one.paper.id):
                return one.paper.id
        return name


def _known(found: MissingWorks) -> Answer:
    """What the missing works rest on."""
    return {"year": found.year, "cited": found.cited, "known": found.references}


def _work(one: MissingWork) -> Answer:
    """A work that a draft should consider."""
    fields = short.suggestion(one.suggestion)
    if one.section:
        fields["section"] = short.cut(one.section, 80)
    if one.place is not None:
        fields["line"] = one.place.line
    return fields


def _remark(one: Advice) -> Answer:
    """A sentence that probably needs a citation."""
    return {
        "line": one.sentence.place.line,
        "sentence": short.cut(one.sentence.text),
        "probability": round(one.probability, 3),
        "suggestions": [short.paper(each.paper, each.key) for each in one.suggestions],
    }


def _entry(one: AuditedEntry) -> Answer:
    """An entry of a reference list with its verdict."""
    found = found_of(one, verbose=False)
    said = [short.cut(text if kind == one.verdict else f"{kind}: {text}") for kind, text, _ in found]
    fields = {
        "key": one.reference.key,
        "title": short.cut(one.reference.paper.title, 120),
        "verdict": one.verdict,
        "certain": one.certain,
        "says": said,
        "paper": one.paper.id if one.paper is not None else "",
    }
    return {name: value for name, value in fields.items() if value not in ("", [])}


def _names_one(finding: Finding) -> bool:
    """Whether a text names one paper: for certain, or by author and year, which no other paper has."""
    named = finding.resolution
    if named.certain or len(named.paper_ids) != 1 or finding.corrected:
        return named.certain and not finding.corrected
    years = (paper.year for paper in finding.papers if paper.id in named.paper_ids)
    return any(str(year) in _YEAR.findall(finding.text) for year in years)
