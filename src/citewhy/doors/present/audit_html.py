"""An audit as one page of HTML: without scripts and files beside it, for reading, sending and printing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import PurePath

from citewhy.answers.audit import VERDICTS, Audit, AuditedEntry
from citewhy.doors.present.audit_text import HEADS, NAMES, OF_KEYS, SUPPORT, evidence, remarks_of
from citewhy.doors.present.lines import clean, from_here
from citewhy.text.counted import counted

_STYLE = """\
:root { color-scheme: light dark; --ink: #1c1c1e; --faint: #5c5c63; --line: #d8d8dd; --paper: #fff;
  --impossible: #a3162a; --mixed: #a3162a; --differs: #8a4b00; --unknown: #4a4a55; --known: #17633a; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececee; --faint: #a9a9b2; --line: #3c3c43;
  --paper: #17171a; --impossible: #ff8f9c; --mixed: #ff8f9c; --differs: #f2b263; --unknown: #b9b9c4;
  --known: #7fd6a4; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
.faint { color: var(--faint); }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; padding: 0; list-style: none; }
.counts li { border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .6rem; }
.counts b { font-size: 1.1rem; }
article { border-left: .25rem solid var(--line); padding: .1rem 0 .1rem .8rem; margin: .9rem 0;
  break-inside: avoid; }
.impossible, .mixed, .differs, .unknown, .known { border-color: var(--of); }
.impossible { --of: var(--impossible); } .mixed { --of: var(--mixed); } .differs { --of: var(--differs); }
.unknown { --of: var(--unknown); } .known { --of: var(--known); }
h3 { font-size: 1rem; margin: 0; font-weight: 600; }
code { font: .875rem/1.4 ui-monospace, monospace; color: var(--faint); }
ul { margin: .2rem 0; padding-left: 1.2rem; }
.sure { color: var(--of, var(--ink)); font-weight: 600; }
details > summary { cursor: pointer; font-weight: 600; margin-top: 2rem; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; color: #000; background: #fff; }
  details > summary { list-style: none; } h2, summary { break-after: avoid; }
  details::details-content { content-visibility: visible; height: auto; } }
"""


def page(audit: Audit) -> str:
    """The whole page: counts, what is to be looked at, remarks, and, folded, what is unknown and known."""
    names = ", ".join(from_here(file) for file in audit.files)
    return page_of(f"Audit of {names}", _parts(audit))


def page_of(title: str, parts: Iterable[str]) -> str:
    """A page with a title and its parts."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join([f"<h1>{text(title)}</h1>", *parts])
        + "\n</main>\n</body>\n</html>\n"
    )


def _parts(audit: Audit) -> Iterator[str]:
    entries = counted(len(audit.entries), "entry", "entries")
    yield f'<p class="faint">{entries}, compared with {text(audit.library)}.</p>'
    yield '<ul class="counts">'
    for verdict in VERDICTS:
        yield f'<li class="{verdict}"><b>{audit.counts.get(verdict, 0)}</b> {verdict}</li>'
    yield "</ul>"
    for verdict in VERDICTS:
        some = [entry for entry in audit.entries if entry.verdict == verdict]
        if not some:
            continue
        if verdict in VERDICTS[:3]:
            yield f"<h2>{HEADS[verdict]}</h2>"
            for entry in some:
                yield from entry_html(entry)
        else:
            yield f"<details><summary>{HEADS[verdict]} ({len(some)})</summary>"
            for entry in some:
                yield from entry_html(entry)
            yield "</details>"
        if verdict == VERDICTS[2]:
            yield from _beside(audit)
    if not any(entry.verdict == VERDICTS[2] for entry in audit.entries):
        yield from _beside(audit)
    yield from _claims(audit)


def _beside(audit: Audit) -> Iterator[str]:
    """Remarks on entries that need no other look, keys, and what could not be read."""
    noted = [entry for entry in audit.entries if entry.verdict in VERDICTS[3:]]
    noted = [entry for entry in noted if remarks_of(entry, verbose=False)]
    if noted:
        yield "<h2>Remarks</h2>"
        for entry in noted:
            yield from entry_html(entry)
    for kind, what in OF_KEYS.items():
        keys = [remark for remark in audit.keys if remark.kind == kind]
        if keys:
            yield f"<h2>{counted(len(keys), 'key')} {what}</h2>"
            yield f"<p>{', '.join(f'<code>{text(remark.key)}</code>' for remark in keys)}</p>"
    if audit.problems:
        yield "<h2>Not read</h2><ul>"
        yield from (f"<li>{text(problem)}</li>" for problem in audit.problems)
        yield "</ul>"


def _claims(audit: Audit) -> Iterator[str]:
    """The sentences with which the library's text of the cited paper does not agree."""
    doubtful = [claim for claim in audit.claims if claim.support != "found" and claim.source != "none"]
    if not audit.claims:
        return
    yield f"<h2>Do the papers say that? {len(doubtful)} of {counted(len(audit.claims), 'citation')}</h2>"
    for claim in doubtful:
        where = f"{PurePath(claim.place.file).name}:{claim.place.line} {claim.key}"
        yield f"<article><p><code>{text(where)}</code> {SUPPORT[claim.support]}</p>"
        yield f"<p>{text(claim.text)}</p>"
        if claim.passage is not None:
            yield f'<p class="faint">Nearest, {claim.source}: “{text(claim.passage.text)}”</p>'
        yield "</article>"


def entry_html(entry: AuditedEntry) -> Iterator[str]:
    """An entry with its evidence."""
    place = entry.reference.place
    where = PurePath(entry.file).name + (f":{place.line}" if place else "")
    paper = entry.reference.paper
    about = ", ".join(
        filter(None, ["; ".join(map(str, paper.authors[:3])), paper.venue, str(paper.year or "")])
    )
    yield f'<article class="{entry.verdict}"><h3>{text(paper.title)}</h3>'
    sure = ' <span class="sure">certain</span>' if entry.certain else ""
    yield f"<p><code>{text(where)} {text(entry.reference.key)}</code>{sure}</p>"
    if about:
        yield f'<p class="faint">{text(about)}</p>'
    lines = [text(line) for line in evidence(entry)]
    lines += [
        f"{NAMES.get(one.kind, one.kind)}{', certain' if one.certain else ''}: {text(one.text)}"
        for one in remarks_of(entry, verbose=False)
    ]
    if lines:
        yield "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"
    yield "</article>"


def text(line: str) -> str:
    """One line, with what HTML reserves escaped."""
    return escape(clean(line))
