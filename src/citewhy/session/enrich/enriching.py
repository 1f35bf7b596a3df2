"""Plans what to ask for, asks, and adds the answers to the library, request by request."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress, silent
from citewhy.base.records import Paper
from citewhy.base.reports import EnrichPlan, EnrichReport, Merge
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.index import Engine, find_engine
from citewhy.session.committing import committed, update_index
from citewhy.session.encoding import encode
from citewhy.session.enrich.answers import Answer, leave_out_dois_of_others, read_answer
from citewhy.session.enrich.client import TO_GO_ON, Client, RefusedError, Request, parts_of
from citewhy.session.enrich.journal import Journal
from citewhy.session.enrich.services import Service, identifier, service

FIELDS = ("abstract", "doi", "references")
"""These can be asked for."""

_COUNTED = ("asked", "found", "unknown", "another paper", "refused", "merged", "ids of others", *FIELDS)


class Enrichment:
    """A run: what the papers of a library lack, and a service that may know it.

    Raises QueryError for an unknown service or field, LibraryError if `folder` has no library.
    """

    def __init__(
        self,
        folder: Path,
        name: str = "openalex",
        fields: Sequence[str] = FIELDS,
        *,
        most: int | None = None,
        again: bool = False,
        email: str = "",
        address: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`most`: the number of papers to ask for at most. `again`: ask also for papers that the service was
        asked for before. `email` is told to the service, which answers known people faster. `address`: of a
        mirror of the service."""
        self._service: Service = service(name)
        self._email = email
        self._address = (address or self._service.address).rstrip("/")
        _check(fields, self._address)
        self._sleep = sleep
        self._folder = folder
        self._journal = Journal(folder)
        with Library.open(folder) as library:
            papers = library.papers(library.ids())
            citing = {one for one, _ in library.edges()}
        lacking = {paper_id: _lacks(paper, fields, citing) for paper_id, paper in papers.items()}
        self._lacks = {paper_id: fields_of & self._service.gives for paper_id, fields_of in lacking.items()}
        self._by_id: list[Paper] = []
        self._by_title: list[Paper] = []
        cannot = 0
        connects = self._service.connects_by_id and "references" in fields
        for paper_id, paper in papers.items():
            if paper.own or not (self._lacks[paper_id] or connects):
                continue
            if not again and self._journal.asked(name, paper_id):
                continue
            if len(self._by_id) + len(self._by_title) == most:
                break
            if identifier(paper, self._service.kinds):
                self._by_id.append(paper)
            elif paper.title and self._service.by_title is not None and self._lacks[paper_id]:
                self._by_title.append(paper)
            else:
                cannot += 1
        requests = -(-len(self._by_id) // self._service.batch) + len(self._by_title)
        self.plan = EnrichPlan(
            service=name,
            address=self._address,
            papers=len(papers),
            lacking={field: sum(field in fields_of for fields_of in lacking.values()) for field in fields},
            identifiers=len(self._by_id),
            titles=len(self._by_title),
            cannot_be_asked=cannot,
            requests=requests,
            seconds=requests * self._service.pause,
            email=email,
        )

    def run(
        self,
        *,
        vectors: bool = True,
        encoder: Encoder | None = None,
        engine: Engine | None = None,
        progress: Progress = silent,
    ) -> EnrichReport:
        """Asks and adds; then `engine` (None: that in local files) updates the index.

        Each answer is added in one commit and noted in the library's folder before the next request: an
        interrupted run loses at most one answer, and the next one continues it. Raises NetworkError if the
        service does not answer, CiteWhyError if an answer cannot be read.
        """
        counts: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
        engine = find_engine(engine)
        client = Client(self._service.host, self._service.pause, self._sleep)
        total = len(self._by_id) + len(self._by_title)
        merges: list[Merge] = []
        papers_after = self.plan.papers
        with Library.open(self._folder) as library:
            try:
                for papers, answer in self._answers(client):
                    counts["ids of others"] += leave_out_dois_of_others(library, answer)
                    added = library.add(answer.records, source=self._service.host)
                    counts["ids of others"] += added.refused["aliases"]
                    merges += added.merges
                    papers_after = added.papers
                    if not answer.refused:
                        self._note(papers)
                    self._count(counts, papers, answer)
                    progress(f"asking {self._service.host}", counts["asked"] / total)
            except KeyboardInterrupt as error:
                raise KeyboardInterrupt(*(error.args or [TO_GO_ON])) from error
            finally:
                update_index(engine, library, lambda what, share: progress(f"indexing {what}", share))
            if vectors and total:
                with committed():
                    encode(library, engine, encoder, progress)
        counts["merged"] = len(merges)
        return EnrichReport(
            self._service.name, str(self._folder), dict(counts), tuple(merges), self.plan.papers, papers_after
        )

    def _note(self, papers: Sequence[Paper]) -> None:
        with committed("its last answer is committed; the same command asks for its papers again"):
            self._journal.note(self._service.name, [paper.id for paper in papers])

    def _answers(self, client: Client) -> Iterator[tuple[Sequence[Paper], Answer]]:
        size = self._service.batch
        for start in range(0, len(self._by_id), size):
            yield from self._by_ids(client, self._by_id[start : start + size])
        for paper in self._by_title:
            assert self._service.by_title is not None
            request = self._service.by_title(self._address, paper, self._email)
            yield [paper], self._ask(client, request, {paper.title: [paper]}, by_title=True)

    def _by_ids(self, client: Client, papers: Sequence[Paper]) -> Iterator[tuple[Sequence[Paper], Answer]]:
        """One request, or several if the service refuses it: one identifier that it cannot read must not cost
        the others their answer."""
        asked: defaultdict[str, list[Paper]] = defaultdict(list)
        for paper in papers:
            asked[identifier(paper, self._service.kinds)].append(paper)
        request = self._service.by_id(self._address, list(asked), self._email)
        try:
            yield papers, self._ask(client, request, asked, by_title=False)
        except RefusedError:
            half = len(papers) // 2
            if not half:
                yield papers, Answer(refused=True)
                return
            yield from self._by_ids(client, papers[:half])
            yield from self._by_ids(client, papers[half:])

    def _ask(
        self, client: Client, request: Request, asked: Mapping[str, Sequence[Paper]], *, by_title: bool
    ) -> Answer:
        try:
            data = client.send(request)
        except RefusedError as refused:
            if by_title:
                return Answer(refused=refused.status != self._service.unknown_title)
            raise
        return read_answer(self._service, data, asked, by_title=by_title)

    def _count(self, counts: Counter[str], papers: Sequence[Paper], answer: Answer) -> None:
        for paper in papers:
            answered = answer.papers.get(paper.id)
            counts["asked"] += 1
            counts["found"] += answered is not None
            counts["another paper"] += paper.id in answer.others
            counts["refused"] += answer.refused
            counts["unknown"] += answered is None and not (paper.id in answer.others or answer.refused)
            counts["abstract"] += answered is not None and bool(answered.abstract and not paper.abstract)
            counts["doi"] += answered is not None and bool(answered.doi and not paper.doi)
            counts["references"] += answer.references.get(paper.id, 0)


def _lacks(paper: Paper, fields: Sequence[str], citing: set[str]) -> frozenset[str]:
    has = {"abstract": bool(paper.abstract), "doi": bool(paper.doi), "references": paper.id in citing}
    return frozenset(field for field in fields if not has[field])


def _check(fields: Sequence[str], address: str) -> None:
    for field in fields:
        if field not in FIELDS:
            raise QueryError(
                f"there is no field {field!r} to ask for", hint=f"choose from: {', '.join(FIELDS)}"
            )
    if parts_of(address) is None:
        raise QueryError(f"{address!r} is not an address", hint="it begins with https:// and a host")
