# ruff: noqa: E501
"""Inputs of a megabyte that ask for much more: what `citewhy add` and the readers of drafts are given."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["DRAFTS", "INPUTS", "MEGABYTE"]

MEGABYTE = 1 << 20
"""About the size of each."""


def _filled(unit: str, before: str = "", after: str = "") -> str:
    """A megabyte of `unit`."""
    return before + unit * ((MEGABYTE - len(before) - len(after)) // len(unit)) + after


def _numbered(line: Callable[[int], str], before: str = "", after: str = "") -> str:
    """Numbered lines, a megabyte in all."""
    parts, size, number = [before], len(before), 0
    while size < MEGABYTE:
        parts.append(line(number))
        size += len(parts[-1])
        number += 1
    return "".join([*parts, after])


def _bib(value: str) -> str:
    return "@article{a, title={" + value + "}, author={Ann Lee}, year={2001}}\n"


def _parscit(text: str) -> str:
    return (
        "<algorithms><algorithm name='SectLabel'><variant><title>T</title>"
        f"<bodyText>{text}</bodyText></variant></algorithm></algorithms>"
    )


INPUTS: dict[str, str] = {
    "strings that double": "@string{a = {0123456789}}\n"
    + "@string{a = a # a}\n" * 60
    + "@article{x, title=a}\n",
    "strings that double in a field": "@string{a={xx}}\n"
    + "".join(
        f"@string{{a{n} = {'a' if n == 0 else f'a{n - 1}'} # {'a' if n == 0 else f'a{n - 1}'}}}\n"
        for n in range(60)
    )
    + "@article{x, title = {T}, abstract = a59}\n",
    "many uses of a long string": "@string{a={"
    + "x" * 500_000
    + "}}\n"
    + _filled("@article{x, title={T}, abstract=a, note=a # a}\n")[: MEGABYTE // 2],
    "a long title": _bib(_filled("Title ")),
    "a long word": _bib("x" * MEGABYTE),
    "nested braces": _bib("{" * 200_000 + "}" * 200_000),
    "authors": _bib("T}, author={" + _filled("A and ")),
    "authors of one word": _bib("T}, author={" + _filled("and ")),
    "spaces between authors": _bib("T}, author={" + " " * MEGABYTE),
    "accents": _bib(_filled("\\'")),
    "commands": _bib(_filled("\\emph")),
    "mathematics": _bib(_filled("$")),
    "backslashes in a DOI": _bib("T}, doi={10.1000/" + "\\" * MEGABYTE),
    "a long DOI": _bib("T}, doi={10.1000/" + "a." * (MEGABYTE // 2)),
    "a long URL": _bib("T}, url={http://" + "a/" * (MEGABYTE // 2)),
    "a long year": _bib("T}, year={" + "1" * MEGABYTE),
    "crossref chain": _numbered(
        lambda n: f"@inproceedings{{k{n}, title={{Title {n}}}, year={{2001}}, crossref={{k{n + 1}}}}}\n"
    ),
    "crossref chain backwards": _numbered(
        lambda n: f"@inproceedings{{k{n}, title={{Title {n}}}, year={{2001}}, crossref={{k{n - 1}}}}}\n"
    ),
    "crossref circle": "@book{a, title={A}, crossref={b}}\n@book{b, title={B}, crossref={a}}\n",
    "ids of one entry": "@book{a, title={A}, ids={" + ",".join(f"k{n}" for n in range(100_000)) + "}}\n",
    "one key": _numbered(lambda n: f"@book{{a, title={{Trees and banks {n}}}}}\n"),
    "one title": _numbered(lambda n: f"@book{{k{n}, title={{Trees and banks}}, author={{A {n}}}}}\n"),
    "one title, author and year": _numbered(
        lambda n: f"@book{{k{n}, title={{The banks of the trees}}, author={{Ann Lee}}, year={{2001}}}}\n"
    ),
    "one DOI": _numbered(lambda n: f"@book{{k{n}, title={{Trees {n} banks {n}}}, doi={{10.1/x}}}}\n"),
    "JSON papers": _numbered(lambda n: f'{{"id": "P{n}", "title": "T {n}"}}\n'),
    "a JSON title": '{"id": "a", "title": "' + "title " * (MEGABYTE // 6) + '"}\n',
    "JSON authors": '{"id": "a", "title": "T", "authors": [' + '"A",' * (MEGABYTE // 4) + '"B"]}\n',
    "a JSON number": '{"id": "a", "title": "T", "year": ' + "9" * MEGABYTE + "}\n",
    "JSON lists": "[" * MEGABYTE,
    "JSON objects": '{"a":' * (MEGABYTE // 5),
    "JSON escapes": '{"id": "a", "title": "' + "\\u00e9" * (MEGABYTE // 6) + '"}\n',
    "cited ids": '{"context_id": "c", "citing_id": "a", "cited_ids": ['
    + ",".join(f'"P{n}"' for n in range(100_000))
    + '], "text": "TARGETCIT"}\n{"id": "P1", "title": "T"}\n',
    "RIS": "TY  - JOUR\nTI  - T\n" + _filled("AU  - A, B\n") + "ER  - \n",
    "RIS lines": "TY  - JOUR\nTI  - T\nAB  - " + _filled("more\n") + "ER  - \n",
    "ParsCit digits": _parscit("1" * 100_000),
    "ParsCit digits and spaces": _parscit("1 " * (MEGABYTE // 2)),
    "ParsCit years": _parscit("(Lee, 1999; " * (MEGABYTE // 12)),
    "ParsCit brackets": _parscit("[1, " * (MEGABYTE // 4)),
    "ParsCit numbers": _parscit("[1] " * (MEGABYTE // 4)),
    "ParsCit numbers of authors": _parscit("Lee et al. [1] " * (MEGABYTE // 15)),
    "ParsCit broken words": _parscit("a-\n" * (MEGABYTE // 3)),
    "ParsCit points": _parscit(". " * (MEGABYTE // 2)),
    "ParsCit capitals": _parscit("Lee " * (MEGABYTE // 4)),
    "ParsCit hyphens": _parscit("a-" * (MEGABYTE // 2)),
    "TEI references": "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><div><p>"
    + _filled("<ref type='bibr' target='#b0'>(1)</ref> ")
    + "</p></div></body></text></TEI>",
    "TEI digits": "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>T</title>"
    "</titleStmt></fileDesc></teiHeader><text><body><div><p>"
    + "1" * MEGABYTE
    + "</p></div></body></text></TEI>",
    "XML entities": "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
    + "".join(f"<!ENTITY a{n} '{('&a' + (str(n - 1) if n else '') + ';') * 10}'>" for n in range(12))
    + "]><volume id='P02'><paper id='1001'><title>&a11;</title></paper></volume>",
    "XML depth": "<collection id='P02'>" + "<i>" * 100_000,
    "character references": "<volume id='P02'><paper id='1001'><title>&#"
    + "9" * MEGABYTE
    + ";</title></paper></volume>",
    "references": "\\begin{thebibliography}{1}\n"
    + _numbered(lambda n: f"\\bibitem{{k{n}}} A. Lee. Trees and banks {n}. ACL, 2001.\n")
    + "\\end{thebibliography}\n",
    "a reference": "\\begin{thebibliography}{1}\n\\bibitem{a} "
    + _filled("A. Lee, ")
    + "\\end{thebibliography}\n",
    "blanks in a reference key": "\\bibitem{" + " " * MEGABYTE,
    "per cent signs": "\\bibitem{a}" + "%" * MEGABYTE,
    "a table": "Title,DOI\n" + _filled("a,b\n"),
    "columns": "Title,DOI" + "," * 500_000 + "\n" + "a" + "," * 500_000 + "\n",
    "quotes": "Title,DOI\n" + '"' * MEGABYTE,
    "aliases in a chain": "id\tsame_as\n" + _numbered(lambda n: f"a{n}\ta{n + 1}\n"),
    "citations": "citing_id\tcited_id\n" + _numbered(lambda n: f"a{n}\tb\n"),
    "identifiers": _numbered(lambda n: f"10.1000/{n}\n"),
    "CL-SciSumm": "<PAPER>" + _filled("<S sid='1' ssid='1'>A.</S>") + "</PAPER>",
    "CL-SciSumm tags": "<PAPER>" + "<S sid='1' " * (MEGABYTE // 11),
    "nbib": "PMID- 1\nTI  - " + _filled("a\n      "),
    "EndNote": "%0 Book\n%T T\n" + _filled("%A A\n"),
    # As many records as fit: what each of them costs.
    "small entries": _numbered(lambda n: f"@b{{{n:x},title={n:x}}}\n"),
    "small entries of one key": _numbered(lambda n: f"@b{{a,title={n:x}}}\n"),
    "small strings": _numbered(lambda n: f"@string{{a{n:x}={n:x}}}\n", after="@b{a,title=a1}\n"),
    "small references": "\\bibitem{a}\n" + _numbered(lambda n: f"\\bibitem{{{n:x}}}{n:x}.\n"),
    "small RIS": _numbered(lambda n: f"TY  -\nTI  - {n:x}\nER  -\n"),
    "small nbib": _numbered(lambda n: f"PMID- {n}\nTI  - {n:x}\n\n"),
    "small EndNote": _numbered(lambda n: f"%0 B\n%T {n:x}\n\n"),
    "small rows": "Title,DOI\n" + _numbered(lambda n: f"{n:x},\n"),
    "small rows of names": "Title,Authors\n" + _numbered(lambda n: f"{n:x},A;B\n"),
    "small JSON": _numbered(lambda n: f'{{"id":"{n:x}","title":"a"}}\n'),
    "small JSON of one id": _numbered(lambda n: f'{{"id":"a","title":"{n:x}"}}\n'),
    "small CSL": "[" + _numbered(lambda n: f'{{"id":"{n:x}","title":"a","type":"book"}},') + "{}]",
    "small Anthology": "<volume id='P02'>"
    + _numbered(lambda n: f"<paper id='{n}'><title>a</title></paper>")
    + "</volume>",
    "small DBLP": "<dblp>" + _numbered(lambda n: f"<book key='{n:x}'><title>a</title></book>") + "</dblp>",
    "small MODS": "<modsCollection>"
    + _numbered(lambda n: f"<mods><titleInfo><title>{n:x}</title></titleInfo></mods>")
    + "</modsCollection>",
    "small Web of Science": "FN Clarivate\nVR 1.0\n" + _numbered(lambda n: f"PT J\nTI {n:x}\nER\n\n"),
    "small wrong lines": "TY  - JOUR\nER  - \n" + _filled("AU  - a\n"),
    "small wrong JSON": '{"id": "a", "title": "b"}\n' + _filled("{}\n"),
}
"""What `citewhy add` may be given, by name."""

_HEAD = "\\documentclass{article}\n\\begin{document}\n"
_TAIL = "\n\\bibliography{refs}\n\\end{document}\n"


def _latex(body: str, before: str = "") -> str:
    return before + _HEAD + body + _TAIL


DRAFTS: dict[str, tuple[str, str]] = {
    "citations in one sentence": ("a.tex", _latex("Trees " + "\\cite{a} " * 2_000)),
    "keys in one citation": (
        "a.tex",
        _latex("Trees \\cite{" + ",".join(f"k{n}" for n in range(100_000)) + "}."),
    ),
    "open citations in one sentence": ("a.tex", _latex("Trees " + "\\cite{} " * 2_000)),
    "citations": ("a.tex", _latex("Trees are banks \\cite{k1}. " * 30_000)),
    "a sentence": ("a.tex", _latex(_filled("word ") + " \\cite{}.")),
    "a word": ("a.tex", _latex("a" * MEGABYTE + " \\cite{}.")),
    "digits": ("a.tex", _latex("1" * MEGABYTE + " \\cite{}.")),
    "points": ("a.tex", _latex(". " * (MEGABYTE // 2))),
    "parameters": ("a.tex", _latex("\\x", "\\newcommand{\\x}[" + "9" * 5_000 + "]{a}\n")),
    "macros that double": (
        "a.tex",
        _latex(
            "\\a59",
            "\\def\\x{xx}"
            + "".join(
                f"\\expandafter\\def\\csname a{n}\\endcsname{{\\csname a{n - 1}\\endcsname\\csname a{n - 1}\\endcsname}}"
                for n in range(60)
            ),
        ),
    ),
    "macros that double by name": (
        "a.tex",
        _latex(
            "\\az",
            "\\def\\aa{xx}"
            + "".join(
                f"\\def\\a{chr(b)}{{\\a{chr(b - 1)}\\a{chr(b - 1)}}}" for b in range(ord("b"), ord("z") + 1)
            ),
        ),
    ),
    "a macro that calls itself": ("a.tex", _latex("\\x", "\\def\\x{a\\x}")),
    "a file that includes itself": ("a.tex", _latex("\\input{a}")),
    "footnotes": ("a.tex", _latex("\\footnote{a" * 90_000)),
    "braces": ("a.tex", _latex("{" * MEGABYTE)),
    "conditions": ("a.tex", _latex("\\iffalse " * 110_000)),
    "environments": ("a.tex", _latex("\\begin{a}" * 110_000)),
    "mathematics": ("a.tex", _latex("$" * MEGABYTE)),
    "definitions": ("a.tex", _latex("", _numbered(lambda n: f"\\newcommand{{\\x{n}}}{{a}}\n"))),
    "comments": ("a.tex", _latex("%" * MEGABYTE)),
    "sections": ("a.tex", _latex("\\section{Trees} " * 65_000)),
    "Markdown": ("a.md", _filled("word [@k] ") + "\n"),
    "Markdown brackets": ("a.md", "[" * MEGABYTE),
    "Markdown open citations": ("a.md", "Trees " + "[@] " * 2_000),
    "Markdown emphasis": ("a.md", "*a " * (MEGABYTE // 3)),
    "Markdown underscores": ("a.md", "_a" * (MEGABYTE // 2)),
    "Markdown quotes": ("a.md", "> " * (MEGABYTE // 2)),
    "Markdown backticks": ("a.md", _numbered(lambda n: "`" * (n % 500) + "a")),
    "Markdown lists": ("a.md", "- " * (MEGABYTE // 2)),
    "Markdown links": ("a.md", "[a](" * (MEGABYTE // 4)),
    "Markdown tables": ("a.md", "|a|b|\n|-|-|\n" + "|a|b|\n" * (MEGABYTE // 6)),
    "front matter": ("a.md", "---\ntitle: " + "[" * MEGABYTE + "\n---\nText [@]."),
    "front matter aliases": (
        "a.md",
        "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"{chr(n)}: &{chr(n)} [{','.join(['*' + chr(n - 1)] * 9)}]\n" for n in range(ord("b"), ord("k"))
        )
        + "title: *j\n---\nText [@].",
    ),
    "text": ("a.txt", _filled("Trees are banks (Lee, 2001). ")),
    "text capitals": ("a.txt", _filled("Lee ")),
    "text digits": ("a.txt", "1" * MEGABYTE),
    "text years": ("a.txt", _filled("2001 ")),
    "text brackets": ("a.txt", _filled("[1] ")),
    "text open brackets": ("a.txt", _filled("(Lee, 2001; ")),
    "text open citations": ("a.txt", "Trees " + "[CITE] " * 2_000 + "."),
    "text references": (
        "a.txt",
        "Trees (Lee, 2001).\n\nReferences\n\n"
        + _numbered(lambda n: f"[{n}] A. Lee and B. Li. Trees {n}. ACL, 2001.\n"),
    ),
    "text lines": ("a.txt", "\n" * MEGABYTE),
    "text hyphens": ("a.txt", "a-\n" * (MEGABYTE // 3)),
    "Typst citations": ("a.typ", _filled("a @k ")),
    "Typst calls": ("a.typ", _filled("#f[")),
    "Typst arguments": ("a.typ", _filled("#f(")),
    "Typst blocks": ("a.typ", _filled("#{")),
    "Typst brackets": ("a.typ", _filled("#f([")),
    "Typst lists": ("a.typ", _filled("- a\n")),
    "Typst headings": ("a.typ", _filled("= a\n")),
    "Typst mathematics": ("a.typ", "a" + _filled("$")),
    "Typst formulas": ("a.typ", _filled("$a ")),
    "Typst strings": ("a.typ", _filled('#"')),
    "Typst raw text": ("a.typ", _numbered(lambda n: "`" * (n % 199) + "a")),
    "Typst comments": ("a.typ", _filled("/*")),
    "Typst slashes": ("a.typ", _filled(":/")),
    "Typst conditions": ("a.typ", _filled("#if a ")),
    "Typst statements": ("a.typ", _filled("#set a(")),
    "Typst settings": ("a.typ", _filled("#set a(title: b)\n")),
    "Typst authors": ("a.typ", "#set document(" + _filled("author: (") + ")"),
    "Typst labels": ("a.typ", _filled("<a>")),
    "Typst notes": ("a.typ", _filled("#footnote[")),
    "Typst captions": ("a.typ", _filled("#figure(a, caption: [a @k])\n")),
    "Typst addresses": ("a.typ", _filled("https://a")),
    "Typst open brackets": ("a.typ", _filled("[")),
    "Org citations": ("a.org", _filled("a [cite:@k] ")),
    "Org keys": ("a.org", "a [cite:" + _filled("@k;") + "]"),
    "Org open citations": ("a.org", _filled("[cite:@")),
    "Org links": ("a.org", _filled("[[")),
    "Org link texts": ("a.org", _filled("[[a][")),
    "Org headings": ("a.org", _filled("* a\n")),
    "Org stars": ("a.org", _filled("*")),
    "Org blocks": ("a.org", _filled("#+begin_a\n")),
    "Org settings": ("a.org", _filled("#+title: a\n")),
    "Org drawers": ("a.org", _filled(":a:\n")),
    "Org emphasis": ("a.org", _filled("/a ")),
    "Org mathematics": ("a.org", "a" + _filled("$a ")),
    "Org tables": ("a.org", _filled("|a|b\n")),
    "Org notes": ("a.org", _filled("[fn:")),
    "Org commands": ("a.org", _filled("\\a{")),
    "a quarter of text blanks": ("a.txt", " " * MEGABYTE + "a"),
}
"""Drafts, by name: the name of the file, and its content."""
