"""A review of a draft for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citewhy.answers.review import AT_LEAST
from citewhy.base.records import Advice, Manuscript
from citewhy.doors.present.as_text import nothing_fits, shown_suggestions, suggestions
from citewhy.doors.present.draft_text import candidates
from citewhy.doors.present.lines import PLAIN, Look, clean, located, shortened, styled, wrapped
from citewhy.drafts.claims import claims
from citewhy.text.counted import counted, inflected

_INDENT, _LINES = " " * 4, 2
"""What remarks are indented by, and lines of their sentences that are shown unless all is."""


def review(manuscript: Manuscript, remarks: Sequence[Advice], look: Look = PLAIN) -> str:
    """The remarks by section: the section with the most certain one first, and so within a section. They are
    numbered from the most certain one of the draft."""
    if not remarks:
        return nothing_missing(manuscript, look)
    count = len(remarks)
    need = inflected(count, "needs", "need")
    order = ", numbered from the surest" if count > 1 else ""
    what = f"{counted(count, 'sentence')} without a citation that probably {need} one{order}"
    head = f"{clean(manuscript.path)}: {what}"
    return "\n".join([*wrapped(head, width=look.width), "", *in_sections(remarks, look)]).rstrip("\n")


def nothing_missing(manuscript: Manuscript, look: Look = PLAIN) -> str:
    """Says that no sentence of a draft seems to lack a citation, and which were looked at."""
    count = sum(1 for _ in claims(manuscript))
    what = f"none of {count:,} sentences" if count > 1 else "no sentence"
    said = (
        f"{clean(manuscript.path)}: {what} without a citation seems to need one. Looked for were sentences "
        f"like those that cite in published papers ({AT_LEAST:.0%} sure or more); left out were the "
        "abstract, acknowledgements, captions, and what the text says of itself."
    )
    return "\n".join(wrapped(said, width=look.width))


def in_sections(remarks: Sequence[Advice], look: Look) -> Iterator[str]:
    """The lines of remarks by section, that with the surest one first."""
    sections: dict[str, list[tuple[int, Advice]]] = {}
    for number, remark in enumerate(remarks, 1):
        sections.setdefault(remark.paragraph.section, []).append((number, remark))
    for section, numbered in sections.items():
        yield styled(clean(section) or "(no heading)", "strong", look)
        yield ""
        for number, remark in numbered:
            yield from _remark(number, remark, look)
            yield ""


def _remark(number: int, advice: Advice, look: Look) -> Iterator[str]:
    place = advice.sentence.place
    yield f"{number:>2}. {styled(located(place), 'key', look)}, {advice.probability:.0%} sure"
    if not look.verbose:
        yield from _in_short(advice, look)
        return
    yield from wrapped(f"“{advice.sentence.text}”", _INDENT, width=look.width)
    for reason in advice.reasons:
        yield from wrapped(reason.text, f"{_INDENT}– ", f"{_INDENT}  ", look.width)
    yield ""
    yield suggestions(advice.suggestions, look).rstrip("\n")


def _in_short(advice: Advice, look: Look) -> Iterator[str]:
    """Two lines of the sentence, a line of what in it asks for a citation, and a line for each paper."""
    room = look.width - len(_INDENT)
    text = f"“{shortened(advice.sentence.text, _LINES * room - room // 4)}”"
    yield from wrapped(text, _INDENT, width=look.width)
    # How often such sentences cite stands beside the place.
    signs = [reason.text for reason in advice.reasons if reason.kind != "similar"]
    if signs:
        yield f"{_INDENT}– {shortened('; '.join(signs), room - 2)}"
    papers = shown_suggestions(advice.suggestions, look)
    yield from candidates(papers, look) if papers else [nothing_fits()]
