"""The answers of a service as records about the papers that were asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from citewhy.base.artifact import temporary_folder
from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Citation, Header, Paper, ReferenceList
from citewhy.papers.formats import Record
from citewhy.papers.formats.registry import FORMATS
from citewhy.papers.library.store import Library
from citewhy.session.enrich.services import Service
from citewhy.text.dedupe import same_by_name, same_paper
from citewhy.text.traits import title_words


@dataclass(slots=True)
class Answer:
    """Holds what a service says of the papers that were asked for."""

    records: list[Record] = field(default_factory=list)
    """To be added to the library: headers, which only fill gaps, aliases and references."""
    papers: dict[str, Paper] = field(default_factory=dict)
    """The service's record, by the id of the paper in the library."""
    references: dict[str, int] = field(default_factory=dict)
    """Number of references, by the same id."""
    others: set[str] = field(default_factory=set)
    """Ids of papers for which it has another paper: the same identifier, but another title."""
    refused: bool = False
    """Whether it did not answer: that says nothing of the papers, which are asked for again."""


def read_answer(
    service: Service, data: bytes, asked: Mapping[str, Sequence[Paper]], *, by_title: bool
) -> Answer:
    """Reads an answer. `asked` are papers of the library by identifier, which two may share, or by title.

    A paper that was asked for by an identifier must have the title that it has in the library, or be one with
    it by the rule for papers of one DOI (`dedupe.same_by_name`); one that was asked for by title must be the
    same paper (`dedupe.same_paper`). Raises CiteWhyError for an answer that is not in the service's format.
    """
    answer = Answer()
    by_identifier: dict[str, list[Record]] = defaultdict(list)
    for record in _records(service, data, len(asked), by_title=by_title):
        name = record.citing_id if isinstance(record, Citation | ReferenceList) else getattr(record, "id", "")
        by_identifier[name].append(record)
    for records in by_identifier.values():
        paper = next((record for record in records if isinstance(record, Paper)), None)
        if paper is None:
            continue
        names = _names(paper, records)
        if by_title:
            titled = (other for some in asked.values() for other in some)
            ours = [other for other in titled if same_paper(other, replace(paper, doi=""))]
        else:
            ours = [other for name, some in asked.items() if name.lower() in names for other in some]
        for one in ours:
            if one.id in answer.papers:
                continue
            if not by_title and not _is_it(one, paper):
                answer.others.add(one.id)
                continue
            answer.papers[one.id] = paper
            about = _about(one, paper, records)
            answer.records += about
            answer.references[one.id] = sum(
                len(record.references) if isinstance(record, ReferenceList) else isinstance(record, Citation)
                for record in about
            )
    answer.others -= answer.papers.keys()
    return answer


def leave_out_dois_of_others(library: Library, answer: Answer) -> int:
    """Takes out of an answer the DOIs that other papers of the library have, except where the rule for papers
    of one DOI joins both; returns their number."""
    left_out = 0
    for place, record in enumerate(answer.records):
        if isinstance(record, Header) and record.paper.doi and _is_of_other(library, record.paper):
            left_out += 1
            paper = replace(record.paper, doi="")
            answer.records[place] = Header(paper)
            answer.papers[paper.id] = paper
    return left_out


def _is_of_other(library: Library, paper: Paper) -> bool:
    holders = library.papers(library.with_doi(paper.doi))
    holders.pop(library.canonical(paper.id) or "", None)
    return bool(holders) and not any(_is_it(holder, library.paper(paper.id)) for holder in holders.values())


def _is_it(ours: Paper, theirs: Paper) -> bool:
    """Whether a record that is said to be about a paper of the library may be."""
    return title_words(ours.title) == title_words(theirs.title) or same_by_name(ours, theirs)


def _records(service: Service, data: bytes, asked: int, *, by_title: bool) -> list[Record]:
    """The records of the answer to a request for so many papers, which is read like a file."""
    try:
        if service.results is not None:
            keys = service.results_by_title if by_title else service.results
            data = _results(data, keys, asked if service.one_each and not by_title else None)
        with temporary_folder() as folder:
            path = folder / service.name
            path.write_bytes(data)
            return list(FORMATS[service.format].read(path, ImportReport()))
    except Exception as error:  # whatever the service sends
        why = getattr(error, "problem", None) or str(error) or type(error).__name__
        raise CiteWhyError(
            f"{service.host}: the answer cannot be read ({why[:200]})",
            hint="it is not noted as asked; does this network ask you to sign in first?",
        ) from error


def _results(data: bytes, keys: Sequence[str], count: int | None) -> bytes:
    """The answer without results of null, by which a service with a result for each of `count` papers says
    that it does not know one.

    Raises ValueError if there is no list of results: an error message may be good JSON, too.
    """
    answer = results = orjson.loads(data)
    for key in keys:
        results = results.get(key) if isinstance(results, dict) else None
    kinds = (dict,) if count is None else (dict, type(None))
    if not isinstance(results, list) or not all(isinstance(one, kinds) for one in results):
        raise ValueError("there is no list of results")
    if count not in (None, len(results)):
        raise ValueError(f"there are {len(results):,} results for {count:,} papers")
    results[:] = [one for one in results if one is not None]
    return orjson.dumps(answer)


def _names(paper: Paper, records: Sequence[Record]) -> set[str]:
    """The identifiers of a service's record, in lower case."""
    names = {paper.id.lower(), f"doi:{paper.doi}"}
    names |= {record.same_as.lower() for record in records if isinstance(record, Alias)}
    number = paper.doi.removeprefix("10.48550/arxiv.")
    return names | ({f"arxiv:{number}"} if number != paper.doi else set())


def _about(ours: Paper, paper: Paper, records: Sequence[Record]) -> list[Record]:
    """The records of a service's paper under the id that it has in the library."""
    about: list[Record] = [Header(replace(paper, id=ours.id))]
    if paper.id not in (paper.doi, ours.id):
        about.append(Alias(ours.id, paper.id))
    for record in records:
        if isinstance(record, Alias) and record.same_as != ours.id:
            about.append(replace(record, id=ours.id))
        elif isinstance(record, Citation | ReferenceList):
            about.append(replace(record, citing_id=ours.id))
    return about
