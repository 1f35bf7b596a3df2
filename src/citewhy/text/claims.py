"""Which sentences may need a citation, by their words and by the heading of their part.

Not these: the abstract, acknowledgements and what follows them, formulas and scraps, pointers to the paper's
own tables and sections, and what the authors themselves found.
"""

from __future__ import annotations

import re

_FEWEST_WORDS = 6
_LONGEST = 600
"""Characters; longer sentences are lists or broken text."""

_LEAST_LETTERS = 0.6
"""Minimum share of letters among the characters of a sentence."""

_NO_BODY = re.compile(
    r"abstract|summary of thesis|acknowl|thanks|dedicat|declar|statement of|reference|bibliograph|appendi"
    r"|content|list of|glossar|abbreviat|acronym|notation|nomenclature|funding|contribut|availability"
    r"|conflict of|competing interest|ethic|author|supplement|keyword|curriculum|preface|title",
    re.IGNORECASE,
)
"""Headings of parts in which a review expects no citations."""

_PUBLICATIONS = re.compile(
    r"^\W*(?:(?:list of|own|my|author[’']?s|selected|associated|included|scientific|research|peer-reviewed"
    r"|thesis|other|original|(?:first|co)[- ]?author) ){1,3}publications?\b"
    r"|^\W*publications(?: (?:list|by|and|arising|related|from)\b|\W*$)"
    r"|^\W*publication (?:list|of the author)",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|tab(?:le|\.)|algorithm|listing|equation)\s*\d*[a-z]?\s*[:.]", re.IGNORECASE
)
_POINTER = re.compile(
    r"\b(?:fig(?:ure|s?\.)|tables?|tab\.|sections?|sec\.|chapters?|appendix|eqs?\.|equations?|algorithm)\s*"
    r"(?:\d|[A-Z]\b|\(|MATH|~|[IVX]+\b)|\b(?:above|below|left|right|following|next|previous|this) "
    r"(?:figure|table|section|chapter|equation)|^in\s*,|^(?:figures?|tables?|sections?) ",
    re.IGNORECASE,
)
_SELF = r"(?:we|i|this (?:paper|work|thesis|study|article|chapter|dissertation))"
_WORDS = r"(?:\w+\s){0,2}?"
_OWN = re.compile(
    rf"\b{_SELF}\s{_WORDS}(?:find|found|show|shows|showed|observe[ds]?|achieve[ds]?|obtain(?:ed|s)?|outperform\w*"
    r"|improve[ds]?|report(?:ed|s)?|conclude[ds]?|demonstrate[ds]?|see|saw|propose[ds]?|present(?:ed|s)?"
    r"|introduce[ds]?|describe[ds]?|discuss\w*|contribut\w*|hypothesi\w+|investigate[ds]?|explore[ds]?|examine[ds]?"
    r"|thank|focus(?:ed|es)?|aim(?:s|ed)?|plan|hope|believe|leave|think)\b"
    r"|\bour\s(?:\w+\s){0,3}?(?:results?|experiments?|findings?|contributions?|evaluations?|analys[ie]s|goals?)\b"
    r"|\bour\s(?:\w+\s){0,3}?(?:achieve[ds]?|outperform(?:ed|s)?|improve[ds]?|performs?|performed|shows?|showed)\b"
    r"|\bno (?:previous|prior|other|existing|earlier)\b|\bto (?:the best of )?our knowledge\b",
    re.IGNORECASE,
)
"""These phrases state what the authors themselves found, or are going to say."""
_QUESTION = re.compile(r"\?\s*$")


def is_of_body(section: str) -> bool:
    """Whether the heading is not of a part without citations, such as the acknowledgements."""
    return not _NO_BODY.search(section)


def lists_publications(section: str) -> bool:
    """Whether the heading is that of a list of the authors' own publications, in which nobody looks for a
    paper.

    >>> [lists_publications(name) for name in ("List of Publications", "Publications", "Publication Bias")]
    [True, True, False]
    """
    return _PUBLICATIONS.search(section) is not None


def may_need_citation(text: str) -> bool:
    """Whether a sentence, without its citations, is a whole one that may be a claim about the work of
    others."""
    if len(text.split()) < _FEWEST_WORDS or len(text) > _LONGEST or not text[0].isupper():
        return False
    letters = sum(character.isalpha() or character == " " for character in text.replace("MATH", "0000"))
    if letters < _LEAST_LETTERS * len(text) or text[-1] not in '.!?”")’;':
        return False
    if _CAPTION.match(text) or _POINTER.search(text) or _QUESTION.search(text):
        return False
    return not _OWN.search(text)


# What says that nothing has to be cited -------------------------------------------------------------------

_POINTS = re.compile(
    r"\b(?:in|of|see|by|to|(?:seen|evident|clear) from|(?:in|see) (?:section|chapter|figure|table))\s?[.,;:)]"
    r"|\b(?:in|of|see|to)\s?and(?:,| (?!out|of|fro|around))|(?<!\w)\(\s?(?:see )?[a-z]?\s?\)|^(?:in|see)\s?,",
    re.IGNORECASE,
)
"""What is left of a reference to the paper's own parts: "as shown in.", "( b)"."""
_OF_ITSELF = re.compile(
    r"\b(?:this|the present|the current|our) (?:thesis|chapter|dissertation|section|paper|article|manuscript"
    r"|report|project|analysis)\b|\b(?:presented|described|used|proposed|reported|considered|discussed|studied"
    r"|given|shown) (?:here|above|below|earlier|later)\b|\bthe above \w"
    r"|\b(?:present|current) (?:study|work|investigation)\b"
    r"|\bno (?:studies|study|works?|papers?) (?:was|were|could be|have been|has been) (?:found|identified)\b",
    re.IGNORECASE,
)
_NUMBERED = "".join(
    f"(?<![{word[0].upper()}{word[0]}]{word[1:]} )"
    for word in ("type", "class", "phase", "war", "part", "stage", "grade", "level", "group", "complex")
)
_DOES = (
    r"(?:am|was|have|had|will|would|shall|should|can|cannot|could|may|might|must|do|did|also|then|first|now|only"
    r"|here|therefore|too|just|even|never|always|further|use|find|found|show|think|thought|believe|know|knew|make|made"
    r"|take|took|give|gave|see|saw|write|wrote|begin|began|focus|argue|propose|present|describe|introduce|discuss"
    r"|assume|consider|define|compute|compare|apply|train|test|want|need|hope|thank|say|said|call|refer|follow|choose"
    r"|chose|draw|drew|study|look|build|built|ran|run|set|put|let|report|examine|explore|investigate|analy[sz]e|suggest"
    r"|provide|develop|derive|prove|call|note|start|turn|explain|outline|review|summari[sz]e|conclude|\w{1,20}(?:ed|ly))"
)
_FIRST_PERSON = re.compile(rf"\b(?:[Ww]e|[Oo]ur|us|[Mm]y|me)\b|{_NUMBERED}\bI(?:[’']\w|,? {_DOES}\b)")
"""An "I" that no verb follows is a number: "type I errors"."""
_PROCEDURE = re.compile(
    r"\b(?:was|were) (?:\w{1,20}ly |then |also |first |therefore )?(?:performed|carried out|conducted"
    r"|computed|calculated|measured|recorded|collected|selected|chosen|estimated|imputed|fitted|fit|set|placed|prepared"
    r"|extracted|excluded|removed|normali[sz]ed|repeated|analy[sz]ed|tested|compared|plotted|assigned|sampled"
    r"|trained|evaluated|implemented|discarded|applied|added|averaged|simulated)\b"
    r"(?![^.;]{0,80}\bby (?:many|several|other|others|various|different|numerous|multiple) )"
    r"|\b(?:is|are) (?:\w{1,20}ly )?(?:estimated|imputed|left to|available (?:online|at|from|(?:up)?on))\b",
    re.IGNORECASE,
)
_OUTLOOK = re.compile(
    r"\b(?:future|further) (?:work|research|stud(?:y|ies)|investigations?|directions?)\b|\bremains? to be\b"
    r"|\b(?:research|studies|work) (?:can|could|should|may|might) "
    r"|\b(?:could|should|might) be (?:\w{1,20}ly )?(?:investigated|explored|extended|studied|examined)\b",
    re.IGNORECASE,
)
_ARGUES = re.compile(
    r"(?:therefore|thus|hence|consequently|accordingly|as a (?:result|consequence)|overall|so,"
    r"|in (?:conclusion|summary|other words|short)|to summari[sz]e"
    r"|this (?:means|implies|suggests|shows|indicates|allows|is because|leads|ensures))\b",
    re.IGNORECASE,
)
_OTHERS_GO_ON = re.compile(
    r"\b(?:they|the authors?) (?:also |then |further )?(?:includ|argu|f[io]und|us|show"
    r"|suggest|report|propos|develop|state|claim|conclud|appl)(?:e|es|ed|s)?\b|^the proposed ",
    re.IGNORECASE,
)
_ONE_PERSON = re.compile(r"(?<!or )(?<!/)\b(?:s?he|his|her)\b(?! or\b|/)", re.IGNORECASE)
_GOES_ON = re.compile(
    r"(?:it|they|their|its|these|those|this|both|here|then|such an?|the (?:former|latter|same|resulting"
    r"|authors?|method|model|approach|tool|system|algorithm|framework|platform|study|idea|technique|design"
    r"|analytic|types?|data|results?)|(?:in|for|with|on|to|by|at|under|using|given|despite|from) "
    r"(?:this|these|those|their|his|her|such|its|the same))\b"
    r"|(?:samples|participants|results|responses|observations) ",
    re.IGNORECASE,
)


_OWN_PARTS = re.compile(
    r"(?<!related )(?<!known )(?<!previous )(?<!prior )(?<!existing )\bresults?\b"
    r"|\bvariables\b|\bderiv|\bproofs?\b|\boutline\b|\bexperimental set-?\s?up\b|\bprocedure\b"
    r"|\bstatistical analys|\bdata (?:analysis|collection|processing)\b"
    r"|^(?:aims?|objectives?|contributions?)\b",
    re.IGNORECASE,
)
"""Headings of parts in which authors say what they did and found."""


def needs_none(text: str, section: str = "", *, after_citation: bool = False) -> str:
    """Why a sentence below the heading `section` needs no citation of its own: ``pointer`` to a part of the
    paper; ``self`` or ``own`` for what the authors say of their paper, their procedure and what they found;
    ``outlook``; ``argument`` drawn from what is said before it; ``continuation`` of what others are said to
    have done, or of a work just cited (`after_citation`: in the sentence before). Empty if nothing tells so.

    >>> needs_none("Their tool reads these files.", after_citation=True)
    'continuation'
    >>> needs_none("The samples were carefully prepared at room temperature.")
    'own'
    """
    if _POINTS.search(text):
        return "pointer"
    if _OF_ITSELF.search(text):
        return "self"
    if _FIRST_PERSON.search(text) or _PROCEDURE.search(text) or _OWN_PARTS.search(section):
        return "own"
    if _OUTLOOK.search(text):
        return "outlook"
    if _ARGUES.match(text):
        return "argument"
    goes_on = _OTHERS_GO_ON.search(text) or (
        after_citation and (_ONE_PERSON.search(text) or _GOES_ON.match(text))
    )
    return "continuation" if goes_on else ""
