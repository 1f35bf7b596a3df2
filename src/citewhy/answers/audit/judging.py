"""The verdict on one entry, beside the papers that it may be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from citewhy.answers.audit import titles, venues
from citewhy.answers.audit.fields import Compared, is_of_publisher, published, venue_of
from citewhy.answers.audit.sources import Papers, by_exactly, numbers_of
from citewhy.answers.audit.verdicts import Difference, Judged, Remark
from citewhy.base.records import Paper
from citewhy.text.dedupe import titles_resemble
from citewhy.text.traits import is_preprint, start_page

_PARTS = frozenset(("chapter", "entry", "entry-encyclopedia", "entry-dictionary"))
_WHOLE = frozenset(("book", "collection"))
_LATER = 4
"""Years after which a preprint is hardly published any more."""
_TELLING = 4
"""Words of a title that hardly two papers of one time share."""
_VENUE_PAPERS, _VENUE_DOIS = 20, 5
"""Papers of a venue, or DOIs among them, from which it is known how its DOIs begin."""
_JOURNAL_DOIS = 3
"""DOIs of a journal's papers from which it is known how all of them begin."""
_DOI_STEM = re.compile(r"10\.[^/]++/(?:s\d+|[a-z.]{0,40})")
"""The registrant, and the letters or the number that it gives to a journal."""
_REGISTRANTS = frozenset(
    """1001 1002 1006 1007 1016 1017 1021 1023 1029 1034 1037 1038 1039 1042 1046 1051 1056 1057 1061 1063
    1068 1073 1080 1080 1081 1088 1089 1090 1093 1098 1101 1103 1109 1111 1113 1117 1121 1126 1128 1136
    1142 1145 1146 1147 1152 1155 1162 1167 1175 1177 1182 1186 1190 1214 1215 1257 1287 1353 1371 1515
    1561 1609 2139 2172 2196 2200 2307 2312 2478 3115 3116 3138 3233 3389 3390 3758 3765 3897 4000 4018
    4230 5194 5220 5244 5281 5555 6028 7551 7717 18653 20944 21105 21203 21437 23915 24963 48550 52202
    15607 13140 17863 31234 31219 31235 1613""".split()  # noqa: SIM905
)
"""Registrants of many papers, which no library needs to have: those of seven in eight DOIs that are cited."""


def judge(entry: Paper, candidates: Sequence[Paper], papers: Papers) -> Judged:
    """The verdict on an entry, which may be one of the `candidates`."""
    compared = [Compared(entry, known) for known in candidates]
    fitting = sorted((each for each in compared if _is_it(each)), key=lambda each: each.rank)
    numbered = [
        each for each in compared if each.same_number and each.title == "other" and not _is_part(each)
    ]
    numbered = _owners(numbered)
    if fitting:
        return _of_paper(fitting, numbered, papers)
    if numbered:
        return _of_number(numbered[0])
    return _of_authors(entry, papers, [each.known for each in compared if each.title == "equal"])


def _owners(numbered: Sequence[Compared]) -> list[Compared]:
    """The papers that a number may belong to: none if unrelated papers have it, since some programs give one
    number to many papers, nor one that was there long before or after the number."""
    kept = [each for each in numbered if _same_doi(each) or _is_of_time(each)]
    first = kept[0].known.title if kept else ""
    return [] if any(titles.relation(first, each.known.title) == "other" for each in kept[1:]) else kept


def _same_doi(each: Compared) -> bool:
    """Whether it is the DOI that is the same."""
    return bool(each.entry.doi) and each.entry.doi == each.known.doi


def _is_of_time(each: Compared) -> bool:
    """Whether the paper is of the years of the number at arXiv that it shares with the entry."""
    years = [2000 + int(number[:2]) for number in numbers_of(each.known) if re.match(r"\d{4}\.", number)]
    return not years or each.known.year is None or -1 <= each.known.year - years[0] <= _LATER


def _is_it(each: Compared) -> bool:
    """Whether an entry is meant to be a paper, whatever else it says of it."""
    near = each.same_number
    if each.is_elsewhere and (each.title != "equal" or each.people.kind not in ("same", "order", "part")):
        return False  # a paper with a similar title
    if each.is_elsewhere and not titles.distinctive(each.entry.title):
        return False  # another number of a series
    if each.title == "other" and not (near and titles_resemble(each.entry.title, each.known.title)):
        return False
    kind = each.people.kind  # titles are compared much faster
    if each.title == "other":
        return kind not in ("none", "unclear")
    if each.title == "near":
        if near:
            return kind != "none" or titles.distinctive(each.entry.title)
        if kind == "none":
            return (
                each.years_apart == 0
                and each.venue == "same"
                and titles.nearly_equal(each.entry.title, each.known.title)
            )
        return (
            kind in ("same", "part", "order")
            and each.years_apart <= 1
            and each.venue != "other"
            and not _books(each)
        )
    long = titles.distinctive(each.entry.title)
    if kind in ("same", "order", "part"):
        return long or near or each.same_time or each.venue == "same"
    if kind == "unclear":
        return near or (each.same_time and not _books(each) and (long or each.venue == "same"))
    if kind == "names":
        return long or near or (each.same_time and each.venue != "other" and not _books(each))
    if near:
        return True
    if each.title != "equal" or _books(each):
        return False
    if len(titles.plain_words(each.entry.title)) >= _TELLING and each.years_apart <= 1:
        return True
    return (long and each.years_apart <= 3) or (each.years_apart == 0 and each.venue == "same")


def _books(each: Compared) -> bool:
    kinds = {published(each.entry).type, published(each.known).type}
    return not kinds.isdisjoint(
        {"book", "collection", "chapter", "thesis", "report", "webpage", "software", "dataset"}
    )


def _is_part(each: Compared) -> bool:
    """Whether an entry may give the number of the book of which it is a part."""
    kinds = published(each.entry).type, published(each.known).type
    container = venue_of(each.entry), venue_of(each.known)
    inside = titles.relation(container[0], each.known.title) != "other" if container[0] else False
    around = titles.relation(container[1], each.entry.title) != "other" if container[1] else False
    return inside or around or kinds[0] in _PARTS | _WHOLE or kinds[1] in _PARTS | _WHOLE


def _of_paper(fitting: Sequence[Compared], numbered: Sequence[Compared], papers: Papers) -> Judged:
    best = fitting[0]
    agreeing = [each for each in fitting if not each.differences() and each.title in ("equal", "variant")]
    if agreeing:
        best = agreeing[0]
    entry, known = best.entry, best.known
    if numbered and not any(each.same_number for each in fitting):
        wrong = numbered[0]
        what = "doi" if entry.doi and entry.doi == wrong.known.doi else "arXiv number"
        authors = (
            ("authors",)
            if best.people.kind == "none" and wrong.people.kind in ("same", "order", "part")
            else ()
        )
        return Judged("mixed", known, wrong.known, (what, *authors), best.differences())
    differences = best.differences()
    plural = best.is_preprint and titles.differ_in_plurals(entry.title, known.title)
    if best.title in ("near", "other") and not plural:
        differences = (Difference("title", entry.title, known.title), *differences)
    if not differences and (doubtful := _foreign_doi(best, papers) or _foreign_venue(best, papers)):
        differences = (doubtful,)
    if best.people.kind in ("none", "names") and (itself := _of_same_title(best, papers)):
        return Judged("known", itself)
    if best.people.kind in ("none", "names") and (others := _whose(best, papers)):
        return Judged("mixed", known, others, ("authors",), differences)
    remarks = _published(entry, fitting)
    return Judged("differs" if differences else "known", known, differences=differences, remarks=remarks)


def _whose(best: Compared, papers: Papers) -> Paper | None:
    """Another paper that has exactly the authors of an entry."""
    return next((paper for paper in by_exactly(papers, best.entry) if paper.id != best.known.id), None)


def _of_same_title(best: Compared, papers: Papers) -> Paper | None:
    """Another paper of exactly the authors of an entry whose title begins as that of the entry."""
    title = "".join(titles.plain_words(best.entry.title))
    begun = (paper for paper in by_exactly(papers, best.entry) if paper.id != best.known.id)
    return next(
        (paper for paper in begun if "".join(titles.plain_words(paper.title)).startswith(title)), None
    )


def _of_number(wrong: Compared) -> Judged:
    """An entry with a title that is not known, and with the number of another paper."""
    what = "doi" if wrong.entry.doi and wrong.entry.doi == wrong.known.doi else "arXiv number"
    if wrong.people.kind in ("same", "order", "part"):
        difference = Difference("title", wrong.entry.title, wrong.known.title)
        return Judged("differs", wrong.known, differences=(difference, *wrong.differences()))
    return Judged("mixed", None, wrong.known, (what,))


def _of_authors(entry: Paper, papers: Papers, titled: Sequence[Paper]) -> Judged:
    """An entry that is none of the `titled` papers, and whose numbers are not known. If another paper has
    exactly its authors, volume and first page, it is that one under another title; if another paper has its
    authors, venue and year, it is mixed where it gives nothing by which it could be found."""
    publication = published(entry)
    bare = not (entry.url or publication.pages or publication.volume or publication.arxiv)
    of_series = venues.series(venue_of(entry)) if bare else ""
    if not of_series and not start_page(publication):
        return Judged("unknown")
    for paper in by_exactly(papers, entry):
        beside = Compared(entry, paper)
        same_pages = beside.same_place and beside.venue != "other" and beside.years_apart == 0
        if same_pages and not _is_part(beside):
            if titled:
                return Judged("mixed", titled[0], paper, ("authors", "venue", "pages"))
            return Judged("differs", paper, differences=(Difference("title", entry.title, paper.title),))
        if entry.doi and paper.doi:
            continue
        if of_series and of_series == venues.series(venue_of(paper)) and entry.year == paper.year:
            return Judged("mixed", None, paper, ("authors", "venue", "year"))
    return Judged("unknown")


def _foreign_doi(best: Compared, papers: Papers) -> Difference | None:
    """A DOI that the library cannot check, and that begins as none of the venue's papers has one."""
    doi = best.entry.doi
    if (
        not doi
        or doi.startswith("10/")
        or best.known.doi
        or best.is_preprint
        or best.is_other_version
        or best.venue == "other"
    ):
        return None
    if not venues.series(venue_of(best.known)):
        return None
    registrant = doi.removeprefix("10.").partition("/")[0]
    if registrant in _REGISTRANTS:
        return None
    beside = papers.of_venue(best.known.venue)
    dois = [paper.doi for paper in beside if paper.doi]
    if any(other.startswith(f"10.{registrant}/") for other in dois):
        return None
    if len(beside) < _VENUE_PAPERS and len(dois) < _VENUE_DOIS:
        return None
    return Difference("doi", doi, f"of {len(beside)} papers of this venue, none has a DOI of this registrant")


def _foreign_venue(best: Compared, papers: Papers) -> Difference | None:
    """Another journal than the library's, of which no table knows that it is another: the library has papers
    of both, the names share no word, and the DOIs of the one's papers begin otherwise than all of the
    other's. Names of one journal, such as a translation of its title, have its DOIs."""
    ours, theirs = venue_of(best.entry), venue_of(best.known)
    if best.venue != "unclear" or best.is_preprint or not (ours and theirs) or best.is_other_version:
        return None
    if venues.share_a_word(ours, theirs):
        return None
    mine = _stems_of_dois(papers.of_venue(ours))
    yours = _stems_of_dois([best.known, *papers.of_venue(theirs)])
    if sum(mine.values()) < _JOURNAL_DOIS or not yours:
        return None
    return None if mine.keys() & yours.keys() else Difference("venue", ours, theirs)


def _stems_of_dois(papers: Sequence[Paper]) -> Counter[str]:
    """How often the DOIs of the papers begin with each registrant and name of a journal."""
    found = (_DOI_STEM.match(paper.doi) for paper in papers if is_of_publisher(paper.doi))
    return Counter(stem[0] for stem in found if stem)


def _published(entry: Paper, fitting: Sequence[Compared]) -> tuple[Remark, ...]:
    """Says of a preprint that the library has what was published of it."""
    if not is_preprint(entry):
        return ()
    for each in fitting:
        known = each.known
        where = venue_of(known)
        if known.doi == entry.doi and (entry.doi or venues.relation(venue_of(entry), where) == "same"):
            return ()  # it is no preprint
        if is_preprint(known) or not where or each.title not in ("equal", "variant"):
            continue
        if each.people.kind not in ("same", "order") or (known.year or 0) < (entry.year or 0) - 1:
            continue
        sure = each.title == "equal" and each.people.kind == "same" and titles.distinctive(entry.title)
        text = f"published: {where}{f', {known.year}' if known.year else ''}"
        return (Remark("published", text, certain=sure, paper=known),)
    return ()
