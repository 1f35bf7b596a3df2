"""The kind of a publication, as far as the name of its venue and its DOI tell it."""

from __future__ import annotations

import re
from typing import Literal

from citewhy.base.records import Paper

__all__ = ["PublicationKind", "publication_kind"]

PublicationKind = Literal["journal", "proceedings", "chapter", "book", "other"]
"""``journal``, ``proceedings``, ``chapter``: the venue is what the work appeared in; ``book``: its publisher;
``other``: there is no venue, or it is an institution or an address."""

_MEETING = re.compile(
    r"\b(?:conference|workshop|symposium|meeting|findings|(?<!library of )congress|colloquium|"
    r"advances in neural information processing systems)\b",
    re.IGNORECASE,
)
_PROCEEDINGS = re.compile(r"\bproceedings\b", re.IGNORECASE)
_SOCIETY = re.compile(
    r"(?:the )?proceedings of (?:the )?(?:"
    r"(?:ieee|ire)(?:$|\W+[a-h]\b)|acm on\b|vldb endowment\b|pnas\b|"
    r"(?:[^\W\d]\S*\s+){0,6}(?:academy|society|institut(?:e|ion))\b\D*$)",
    re.IGNORECASE,
)
"""Journals of academies and societies. What has a number is the volume of a meeting."""

_JOURNAL = re.compile(
    r"\b(?:journals?|transactions|reviews?|annals|quarterly|letters|bulletin|magazine|gazette|archives?|zeitschrift|"
    r"revue|rivista|revista|proceedings)\b",
    re.IGNORECASE,
)
_PRESS = re.compile(
    r".*\b(?:press|publish(?:ers|ing)|publications|verlag|books|éditions|editions|edizioni|uitgeverij)|"
    r"(?:press(?:es)? universit|éditions )\w+.*"
)
_PUBLISHERS = frozenset(
    """academic, addison wesley, alfred a knopf, allen and unwin, allyn and bacon, ashgate, basil
    blackwell, birkhäuser, blackwell, bloomsbury, brill, butterworth, butterworth heinemann, c h
    beck, cengage, cengage learning, chapman and hall, de gruyter, de gruyter mouton, doubleday,
    dover, edward elgar, einaudi, elsevier, erlbaum, faber and faber, farrar straus and giroux,
    gallimard, garland, greenwood, harcourt, harcourt brace, harper, harper and brothers, harper and
    row, harpercollins, holt rinehart and winston, houghton mifflin, houghton mifflin harcourt, john
    benjamins, john wiley, karger, kluwer, kluwer academic, knopf, lawrence erlbaum, lawrence
    erlbaum associates, little brown, longman, macmillan, mcgraw hill, methuen, mohr siebeck, morgan
    and claypool, morgan kaufmann, mouton, mouton de gruyter, niemeyer, north holland, norton,
    oreilly, palgrave, palgrave macmillan, pantheon, pearson, pearson education, penguin, plenum,
    polity, prentice hall, putnam, random house, reclam, routledge, routledge and kegan paul, rowman
    and littlefield, sage, scribners, seuil, simon and schuster, springer, springer nature, springer
    science, st martins, suhrkamp, taylor and francis, teubner, thames and hudson, vandenhoeck and
    ruprecht, verso, viking, vintage, vrin, w w norton, wadsworth, walter de gruyter, wiley, wiley
    blackwell, wiley interscience, world scientific""".replace("\n    ", " ").split(", ")
)
"""Publishers that are known by their name, in small letters, without what is added for companies."""

_OF_COMPANIES = frozenset(
    """and berlin books business co company gmbh group heidelberg inc international limited llc london ltd
    media new press publications publishers publishing sons the uk us usa verlag york""".split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W_]+")
_COLLECTION = re.compile(r"\b(?:handbook|encyclop(?:a?e|æ)dia|companion to|festschrift)\b", re.IGNORECASE)
_INSTITUTION = re.compile(
    r"(?:https?:|www\.).*|"
    r".*\b(?:technical reports?|working papers?|discussion papers?|dissertations?|thesis)\b.*|"
    r"(?:[^\W\d][\w.&'’-]*,?\s+){0,6}(?:universit(?:y|é|ät|eit|à)|universidade?|"
    r"institute of technology|college)(?:,.*| (?:of|de|di|van|at|zu)\b.*)?",
    re.IGNORECASE,
)
_BOOK_DOI = re.compile(r"/(?:[a-z.]*)97[89][-\d]{10,}")
"""DOIs of books and of their chapters contain the ISBN."""


def publication_kind(paper: Paper) -> PublicationKind:
    """Tells what kind of publication a paper is; a venue of which nothing is known is taken for a journal."""
    venue = paper.venue.strip()
    if not venue:
        return "other"
    if _MEETING.search(venue):
        return "proceedings"
    if _PROCEEDINGS.search(venue):
        return "journal" if _SOCIETY.match(venue) else "proceedings"
    if _JOURNAL.search(venue):
        return "journal"
    if _is_publisher(venue):
        return "book"
    if _INSTITUTION.fullmatch(venue):
        return "other"
    return "chapter" if _COLLECTION.search(venue) or _BOOK_DOI.search(paper.doi) else "journal"


def _is_publisher(venue: str) -> bool:
    words = _WORD.findall(re.sub("['’]", "", venue.casefold()).replace("&", " and "))
    while words:
        name = " ".join(words).removeprefix("the ")
        if name in _PUBLISHERS or _PRESS.fullmatch(name):
            return True
        if words.pop() not in _OF_COMPANIES:
            break
    return False
