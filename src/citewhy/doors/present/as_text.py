"""Suggestions, papers, passages and classified sentences for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from citewhy.answers.answer import Answer, is_by_key, worth_showing
from citewhy.base.records import Paper, Passage, ResolutionKind, Suggestion
from citewhy.base.reports import Classified, Finding, PaperPassages
from citewhy.doors.present.lines import PLAIN, Look, clean, located, shortened, styled, wrapped
from citewhy.text.counted import inflected
from citewhy.text.identifiers import catalogue_number

_INDENT = " " * 7
_AUTHORS_SHOWN = 3
_REASONS_SHOWN = 4
_PASSAGE_SHOWN = 220
_REASONS_SHORT, _LINES_SHORT = 2, 2
"""Reasons, and lines of each reason and of the passage, that are shown unless all are asked for."""

_SEARCHED = {
    "full text": "from its full text:",
    "abstract": "The library has no full text of it; from its abstract:",
    "none": "The library has neither full text nor abstract of it.",
}
_NOTHING = {
    "full text": "No sentence of its full text shares a word with the text.",
    "abstract": "The library has no full text of it; its abstract shares no word with the text.",
    "none": _SEARCHED["none"],
}

_SEVERAL = 0.4
"""Probability of several papers from which on a place is said to want several often."""

_OFTEN_SEVERAL = "Sentences like this often cite several papers."

_WORDS = {2: "two", 3: "three", 4: "four", 5: "five"}
STANDS_IN = "found in the built-in starter library of well-known papers; add your own: citewhy add FILE…"
_ADDRESSES: dict[ResolutionKind, str] = {"doi": "DOI", "arxiv": "arXiv number"}


# Suggestions ----------------------------------------------------------------------------------------------


def text_answer(answer: Sequence[Suggestion], look: Look = PLAIN) -> str:
    """The answer to a text: the suggestions, and what is true of all of them."""
    lacking = wrapped(lacking_text(shown_suggestions(answer, look)), width=look.width)
    several = answer.several if isinstance(answer, Answer) else None
    return "\n".join([suggestions(answer, look, several), *lacking])


def suggestions(answer: Sequence[Suggestion], look: Look = PLAIN, several: float | None = None) -> str:
    """A numbered list with reasons; a sentence if it is empty. Unless the look is verbose, papers after the
    first that are hardly probable are left out. `several`: the probability that several are wanted."""
    if not answer:
        return nothing_fits()
    kept = shown_suggestions(answer, look)
    said = proposal(kept, several)
    together = [f"   {said}", ""] if said else []
    lines = (line for rank, suggestion in enumerate(kept, 1) for line in _suggestion(rank, suggestion, look))
    return "\n".join([*together, *lines])


def nothing_fits() -> str:
    """Says that there are no suggestions."""
    return "   Nothing in the library fits well."


def proposal(answer: Sequence[Suggestion], several: float | None = None) -> str:
    """Says which of the numbered papers are proposed together, or, where only one is, that several are often
    wanted, if the probability `several` is high; empty otherwise, and where the place itself names what it
    needs."""
    if any(map(is_by_key, answer)):
        return ""
    numbers = [str(rank) for rank, suggestion in enumerate(answer, 1) if suggestion.proposed]
    if len(numbers) < 2:
        return _OFTEN_SEVERAL if several is not None and several >= _SEVERAL and len(answer) > 1 else ""
    count = _WORDS.get(len(numbers), str(len(numbers)))
    return f"This place probably needs {count} papers: {', '.join(numbers[:-1])} and {numbers[-1]}."


def lacking_text(answer: Iterable[Suggestion]) -> str:
    """Says how many of the suggested papers have neither an abstract nor a full text; empty if all have."""
    sources = {suggestion.paper.id: suggestion.source for suggestion in answer}
    lacking = sum(source == "none" for source in sources.values())
    if not lacking:
        return ""
    if lacking < len(sources):
        which = (
            f"{lacking} of the {len(sources)} papers above {inflected(lacking, 'has', 'have')} no abstract"
        )
    elif lacking == 1:
        which = "The paper above has no abstract"
    else:
        which = f"None of the {len(sources)} papers above has an abstract"
    return (
        f"{which}; with abstracts, suggestions are better: citewhy add brings your .bib into a "
        "library, and citewhy enrich asks for what it lacks."
    )


def shown_suggestions(answer: Sequence[Suggestion], look: Look = PLAIN) -> list[Suggestion]:
    """The suggestions that `suggestions` shows."""
    return list(answer) if look.verbose else worth_showing(answer)


def authors(paper: Paper) -> str:
    """The first authors' names; empty if none is known."""
    if len(paper.authors) <= _AUTHORS_SHOWN:
        return ", ".join(paper.authors)
    first = paper.authors[: _AUTHORS_SHOWN - 1]
    return f"{', '.join(first)} and {len(paper.authors) - len(first)} others"


def _suggestion(rank: int, suggestion: Suggestion, look: Look) -> Iterator[str]:
    paper = suggestion.paper
    for line in wrapped(paper.title, f"   {rank:>2}  ", _INDENT, look.width):
        yield styled(line, "strong", look)
    if look.verbose:
        yield from wrapped(_facts(paper), _INDENT, width=look.width)
    elif facts := _facts(paper):
        yield f"{_INDENT}{shortened(facts, look.width - len(_INDENT))}"
    for line in wrapped(_naming(suggestion), _INDENT, width=look.width):
        yield styled(line, "key", look)
    for line in _reasons(suggestion, look):
        yield from wrapped(line, f"{_INDENT}– ", f"{_INDENT}  ", look.width)
    yield ""


def sure(suggestion: Suggestion) -> str:
    """How probable it is, or its score; "key" if its key names it, for which neither says anything."""
    if is_by_key(suggestion):
        return "key"
    if suggestion.reasons[0].kind == "looked-up":
        return ""
    probability = suggestion.probability
    return f"{suggestion.score:.2f}" if probability is None else f"{probability:.0%}"


def _naming(suggestion: Suggestion) -> str:
    """Its key, its id, and how sure it is: a score can only be compared with others in the same list, a
    probability has a meaning of its own; a match by key needs neither."""
    if suggestion.reasons[0].kind == "own-entry":  # which the library does not have
        return clean(f"key {suggestion.key}")
    if suggestion.key == suggestion.paper.id:
        named = [f"key and id {suggestion.key}"]
    else:
        named = [f"key {suggestion.key}" if suggestion.key else "", f"id {suggestion.paper.id}"]
    if suggestion.in_bibliography:
        named.append("in your bibliography")
    elif suggestion.library:
        named.append(f"in {suggestion.library}")
    if not is_by_key(suggestion):
        unit = "score " if suggestion.probability is None else ""
        named.append(f"{unit}{sure(suggestion)}{'' if unit else ' sure'}")
    return clean(", ".join(filter(None, named)))


def _reasons(suggestion: Suggestion, look: Look) -> list[str]:
    """The lines that say why; unless the look is verbose, two reasons and the passage, shortened."""
    # Whom the passage credits is shown below it.
    credited = [reason.text for reason in suggestion.reasons if reason.kind == "credits"]
    reasons = [reason.text for reason in suggestion.reasons if reason.kind != "credits"]
    quotes = [(_where(passage), passage.text) for passage in suggestion.passages[:1]]
    if look.verbose:
        passage = [f"{where}: “{shortened(text, _PASSAGE_SHOWN)}”" for where, text in quotes]
        return [*reasons[:_REASONS_SHOWN], *passage, *credited]
    room = _LINES_SHORT * (look.width - len(_INDENT) - 2) - 10  # wrapping between words leaves some free
    passage = [f"{where}: “{shortened(text, room - len(where) - 4)}”" for where, text in quotes]
    return [_cut(text, room) for text in [*reasons[:_REASONS_SHORT], *passage]]


def _cut(text: str, limit: int) -> str:
    """The text in one line of about `limit` characters; a quotation that is cut is still closed."""
    line = shortened(text, limit)
    return f"{line}”" if line.count("“") > line.count("”") else line


def _facts(paper: Paper) -> str:
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.venue]
    return ". ".join(fact for fact in facts if fact)


# Papers ---------------------------------------------------------------------------------------------------


def finding(answer: Finding, look: Look = PLAIN) -> str:
    """The papers that a text names, and then those that have its words, numbered throughout."""
    if not answer.papers:
        return _nothing_found(answer)
    equal = answer.resolution.paper_ids
    named = sum(paper.id in equal for paper in answer.papers)
    papers = ["\n".join(_paper(rank, paper, look)) for rank, paper in enumerate(answer.papers, 1)]
    head = [spelled] if (spelled := spelled_otherwise(answer)) else []
    if len(equal) > 1:
        head.append(f"{len(equal)} papers fit equally{_of_these(named, len(equal))}:")
    elif not equal and answer.fitting > len(papers):
        shown = _of_these(len(papers), answer.fitting)
        head.append(f"{answer.fitting:,} papers have all of these words{shown}:")
    rest = ["Papers with these words:"] if 0 < named < len(papers) else []
    return "\n".join([*head, *papers[:named], *rest, *papers[named:]])


def _nothing_found(answer: Finding) -> str:
    """Says that no paper has a number, or fits a text; and, where nobody has added papers, how to."""
    text = clean(answer.text)
    kind, number = _ADDRESSES.get(answer.resolution.kind, ""), catalogue_number(text)
    where = "the built-in starter library" if answer.stands_in else "the library"
    if kind:
        said = f"no paper in {where} has the {kind} {text.removeprefix(f'{kind.lower()}:').strip()}"
    elif number is not None:
        said = f"no paper in {where} has the number {text}"
    else:
        said = f"nothing in {where} fits {text!r}"
    return f"{said}; add your own papers: citewhy add FILE…" if answer.stands_in else said


def _of_these(shown: int, count: int) -> str:
    return f"; the first {shown}" if shown < count else ""


def spelled_otherwise(answer: Finding) -> str:
    """What was looked for instead of a text of whose words the library does not have all; empty if the text
    itself was."""
    if not answer.corrected:
        return ""
    others = " or ".join(f"“{clean(text)}”" for text in answer.alternatives)
    meant = f" Did you mean {others}?" if others else ""
    return f"Showing results for “{clean(answer.corrected)}”.{meant}"


def _paper(rank: int, paper: Paper, look: Look) -> Iterator[str]:
    for line in wrapped(paper.title, f"   {rank:>2}  ", _INDENT, look.width):
        yield styled(line, "strong", look)
    if facts := _facts(paper):
        yield f"{_INDENT}{shortened(facts, look.width - len(_INDENT))}"
    doi = f", DOI {paper.doi}" if paper.doi else ""
    yield f"{_INDENT}{styled(clean(f'id {paper.id}{doi}'), 'key', look)}"
    yield ""


# Classified sentences ---------------------------------------------------------------------------------------


def classified(answer: Sequence[Classified]) -> str:
    """Each sentence below its label."""
    return "\n".join(line for sentence in answer for line in _classified(sentence))


def _classified(sentence: Classified) -> Iterator[str]:
    place = sentence.place
    where = "" if place is None else f"{located(place)}  "
    yield f"{where}{clean(sentence.label)}, {sentence.probabilities[sentence.label]:.0%} sure"
    yield from wrapped(sentence.text, "   ")
    yield ""


# Passages -------------------------------------------------------------------------------------------------


def passages(answer: PaperPassages) -> str:
    """The paper, what of it was searched, and its passages, numbered."""
    paper = answer.paper
    lines = [
        *wrapped(paper.title, _INDENT),
        *wrapped(_facts(paper), _INDENT),
        clean(f"id {paper.id}", _INDENT),
    ]
    lines += wrapped((_SEARCHED if answer.passages else _NOTHING)[answer.source], _INDENT)
    credited = {paper.id: paper for paper in answer.credited}
    for rank, passage in enumerate(answer.passages, 1):
        lines += ["", *_passage(rank, passage, [credited[paper_id] for paper_id in passage.credits])]
    return "\n".join(lines)


def _passage(rank: int, passage: Passage, credited: Sequence[Paper]) -> Iterator[str]:
    yield from wrapped(passage.text, f"   {rank:>2}  ", _INDENT)
    several = passage.last_sid is not None and passage.last_sid != passage.sid
    number = f", sentences {passage.sid} to {passage.last_sid}" if several else f", sentence {passage.sid}"
    facet = f"; cited for: {passage.facet}" if passage.facet else ""
    where = _where(passage).removeprefix("its ")
    yield from wrapped(
        f"{where}{'' if passage.sid is None else number}{facet}", f"{_INDENT}– ", f"{_INDENT}  "
    )
    for paper in credited:
        year = "" if paper.year is None else f" {paper.year}"
        credit = f"it credits {authors(paper)}{year}: “{paper.title}” (id {paper.id})"
        yield from wrapped(credit, f"{_INDENT}– ", f"{_INDENT}  ")


def _where(passage: Passage) -> str:
    return "its abstract" if passage.sid is None else f"its section {passage.section or '?'}"
