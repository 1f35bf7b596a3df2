"""Tables of LaTeX commands and environments.

A command that is in none of the tables is unknown: it is skipped, and its arguments are text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewhy.drafts.latex.tokens import Token
from citewhy.text.placeholders import is_open_command


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Citations ------------------------------------------------------------------------------------------------

_CITATION = re.compile(
    r"(?:[a-z]{0,8}|[A-Z][a-z]{0,7})cite[a-zA-Z]{0,12}|Cite[a-z]{0,12}|bibentry|"
    r"(?:foreign|hyphen)?(?:(?:text|block)cquote|displaycquote)"
)
"""Citation commands of natbib, biblatex, apacite, csquotes and conferences, and others named like them."""

_NOT_CITATIONS = _words(
    """nocite nocites citestyle setcitestyle bibcite citereset
    defcitealias citeindextrue citeindexfalse citetrackertrue citetrackerfalse citenumfont citepunct
    citedash citeleft citeright citemid citeform citebrackets citesetup citeurl newcitecommand citeprefix
    citesep citeauthorformat citecolor mkcite renewcite bstctlcite citedelim citesort
    citetext Citetext citelist"""
)
"""Also those whose argument is text with citations: natbib's ``\\citetext``, amsrefs' ``\\citelist``."""
_MULTICITE = re.compile(
    r"[Cc]ites|(?:[Pp]aren|(?:[Nn]p)?[Tt]ext|[Aa]uto|[Ff]oot|[Ss]mart|[Ss]uper)cites|footcitetexts|[A-Za-z]{0,2}[Vv]olcites"
)
_OF_VOLUME = re.compile(r"[A-Za-z]{0,2}[Vv]olcites?")
_OF_QUOTATION = re.compile(r"(?P<language>foreign|hyphen)?(?:text|block|display)cquote")
_OF_FIELD = re.compile(r"cite(?:field|list|name)")
_IN_TEXT = re.compile(
    r"[Cc]itet(?:alias)?|newcite|[Tt]extcites?|[Cc]iteauthor|citeasnoun|citeA|citeN|Citealt|citealt|"
    r"[Cc]itefullauthor|citeposs|citetitle|tcite|citeNP?|cite(?:field|list|name)|bibentry"
)


def is_citation(name: str) -> bool:
    """Whether a command cites the keys in its argument."""
    return _CITATION.fullmatch(name) is not None and name not in _NOT_CITATIONS and not is_open_command(name)


def has_citation(tokens: Sequence[Token]) -> bool:
    """Whether tokens contain a citation, so that they must not be skipped."""
    return any(
        token.kind == "word" and (is_citation(token.text) or is_open_command(token.text)) for token in tokens
    )


def is_multicite(name: str) -> bool:
    """Whether a citation command takes several lists of keys: ``\\cites(see)()[1]{a}[2]{b}``."""
    return _MULTICITE.fullmatch(name) is not None


def cites_volume(name: str) -> bool:
    """Whether each list of keys comes after the number of a volume: ``\\volcite{2}[p.~1]{key}``."""
    return _OF_VOLUME.fullmatch(name) is not None


def cites_quotation(name: str) -> bool:
    """Whether a quotation follows the key: csquotes' ``\\textcquote[12]{key}{text}``."""
    return _OF_QUOTATION.fullmatch(name) is not None


QUOTATIONS = _words("displaycquote foreigndisplaycquote hyphendisplaycquote")
"""Environments that are quotations with a citation."""


def cites_in_language(name: str) -> bool:
    """Whether a language comes before the key of a quotation: ``\\foreigntextcquote{german}{key}{text}``."""
    quotation = _OF_QUOTATION.fullmatch(name)
    return quotation is not None and quotation["language"] is not None


def cites_field(name: str) -> bool:
    """Whether the name of a field of the entry follows the key: ``\\citefield{key}[format]{title}``."""
    return _OF_FIELD.fullmatch(name) is not None


def is_in_text(name: str) -> bool:
    """Whether the citation is part of its sentence, like ``\\citet``."""
    return _IN_TEXT.fullmatch(name) is not None


# Commands -------------------------------------------------------------------------------------------------

SECTIONS = _words("part chapter section subsection subsubsection paragraph subparagraph minisec")

ROW_COMMANDS = _words(
    """hline toprule midrule bottomrule tabularnewline State STATE If IF For FOR While WHILE Else ELSE ElsIf
    EndIf ENDIF EndFor ENDFOR EndWhile ENDWHILE Require REQUIRE Ensure ENSURE Return RETURN Comment
    COMMENT Repeat Until Procedure Function EndProcedure EndFunction node draw path addplot"""
)
"""Commands that begin a row of a table or a step of an algorithm."""

_FAMILIES = {
    **dict.fromkeys(SECTIONS, "section"),
    **dict.fromkeys(
        ("footnote", "footnotetext", "tablefootnote", "endnote", "sidenote", "thanks"), "footnote"
    ),
    **dict.fromkeys(("caption", "captionof"), "caption"),
    **dict.fromkeys(
        ("title", "icmltitle", "author", "icmlauthor", "date", "abstract", "And", "AND", "and"), "front"
    ),
    **dict.fromkeys(("bibliography", "addbibresource", "bibitem", "nocite", "putbib"), "bibliography"),
    **dict.fromkeys(("input", "include", "subfile", "import", "subimport", "SweaveInput"), "input"),
    **{name: name for name in _words("begin end item label ref verb Verb url href maketitle")},
    **dict.fromkeys(
        ("newcommand", "renewcommand", "providecommand", "def", "let", "fi", "else"), "definition"
    ),
}


def family(name: str) -> str:
    """The family of a standard command; empty for all others.

    A user's definition of a command with a family is followed only if it uses a command of the same family.
    The name of an environment is given as ``begin table``.
    """
    if name.startswith("begin "):
        return "environment" if name.removeprefix("begin ").rstrip("*") in _KNOWN_ENVIRONMENTS else ""
    if is_open_command(name):
        return "open"
    return "citation" if is_citation(name) else _FAMILIES.get(name, "")


def _table(text: str) -> dict[str, str]:
    """Parses lines ``spec: name name …`` into a dictionary from name to spec."""
    specs = {}
    for line in text.strip().splitlines():
        spec, _, names = line.strip().partition(":")
        specs.update(dict.fromkeys(names.split(), spec.strip()))
    return specs


ARGUMENTS = _table("""
    m: label ref eqref pageref autoref cref Cref nameref vref Vref labelcref subref hypertarget hyperlink
    m: index Sexpr SweaveOpts
    m: pagestyle thispagestyle pagenumbering bibliographystyle graphicspath hypersetup captionsetup lstset
    m: setlist setitemize setenumerate geometry arrayrulecolor fontfamily fontseries fontshape fontencoding
    m: selectlanguage hyphenation usetikzlibrary usepgflibrary pgfplotsset tikzset theoremstyle newcounter
    m: stepcounter refstepcounter newlength newsavebox usebox includeonly DeclareGraphicsExtensions linespread
    m: phantom hphantom vphantom markright cline tag icmltitlerunning titlerunning authorrunning inst orcid
    m: orcidID institute affiliations email ead corref cortext fntext address icmladdress icmlaffiliation
    m: icmlcorrespondingauthor icmlkeywords setcitestyle citestyle bstctlcite sisetup mathtoolsset needspace
    m: IEEEauthorblockA IEEEmembership sethlcolor makesavenoteenv printfnsymbol
    sm: vspace hspace
    mm: setlength addtolength setcounter addtocounter settowidth settoheight settodepth fontsize markboth
    mm: colorlet defcitealias DeclareUnicodeCharacter pdfbookmark multicolumn g@addto@macro
    mm: pgfplotscreateplotcyclelist DeclareCaptionFont DeclareCaptionFormat setkeys PassOptionsToPackage
    mm: DeclareOption
    mm: addtocontents
    mmm: definecolor DeclarePairedDelimiter addcontentsline
    mmmm: apptocmd pretocmd
    mmmmm: patchcmd xpatchcmd
    smm: DeclareMathOperator resizebox
    smmmmo: titlespacing
    mommmmo: titleformat
    smomo: newtheorem
    mom: newcolumntype
    ommm: rowcolors
    om: color textcolor colorbox cellcolor rowcolor columncolor affil affiliation rotatebox includepdf
    om: lstinputlisting
    omm: rule fcolorbox specialrule
    omomo: multirow
    opm: cmidrule
    ooom: parbox
    soom: includegraphics adjincludegraphics
    mo: scalebox
    moo: raisebox
    oo: makebox framebox
    o: footnotemark pagebreak nopagebreak linebreak nolinebreak printbibliography maketitle listoftodos tikz
    o: draw hyperref allowdisplaybreaks printglossary bibliographyunit
    op: node
    =: parindent parskip baselineskip tabcolsep textheight textwidth topmargin oddsidemargin evensidemargin
    =: abovecaptionskip belowcaptionskip abovedisplayskip belowdisplayskip floatsep textfloatsep intextsep
    =: itemsep topsep parsep leftmargin rightmargin headheight headsep footskip columnsep hsize vsize hskip
    =: vskip kern hangindent tolerance emergencystretch penalty clubpenalty widowpenalty looseness lineskip
    =: hyphenpenalty exhyphenpenalty arraycolsep fboxsep fboxrule titlebox raise lower moveleft moveright
""")
"""Arguments of commands that are not text: m mandatory, o optional in brackets, p optional in parentheses,
s a star, = a length."""

WORDS = {
    **dict.fromkeys(
        ("hfill", "newline", "enspace", "thinspace", "space", "nobreakspace", "hss", "hfil"), " "
    ),
    **{"slash": "/", "textasteriskcentered": "*", "textbullet": "•", "textdagger": "†", "quotedblbase": "„"},
    **{
        "guillemotleft": "«",
        "guillemotright": "»",
        "textonehalf": "½",
        "textsection": "§",
        "P": "¶",
        "ddag": "‡",
    },
    **{
        "nobreakdash": "",
        "textcompwordmark": "",
        "nobreak": "",
        "ignorespaces": "",
        "unskip": "",
        "dag": "†",
    },
    **{
        "eg": "e.g.",
        "ie": "i.e.",
        "cf": "cf.",
        "etc": "etc.",
        "wrt": "w.r.t.",
        "etal": "et al.",
        "vs": "vs.",
    },
    **{"Eg": "E.g.", "Ie": "I.e.", "iid": "i.i.d.", "dof": "d.o.f.", "checkmark": "✓", "XeTeX": "XeTeX"},
    **{"LaTeXe": "LaTeX2e", "today": "", "textsubscript": "", "textsuperscript": ""},
}
"""Commands that stand for text, in addition to those in `text.accents`, unless the draft redefines them."""

# Environments ---------------------------------------------------------------------------------------------

RAW_ENVIRONMENTS = _words(
    """verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting minted comment filecontents
    filecontents* luacode luacode* rawhtml CCSXML asy sagesilent pycode"""
)
"""Environments whose content is not LaTeX."""

MATH_ENVIRONMENTS = _words(
    """equation align gather multline eqnarray displaymath math flalign alignat xalignat dmath dgroup split
    subequations empheq IEEEeqnarray aligned gathered cases"""
)
FLOATS = _words(
    "figure table wrapfigure wraptable algorithm algorithm2e listing SCfigure sidewaysfigure sidewaystable "
    "marginfigure margintable teaserfigure longfigure"
)
TABLES = _words(
    """tabular tabularx tabulary longtable supertabular array tabbing algorithmic tikzpicture axis pgfplots
    scope picture tblr longtblr xltabular matrix pmatrix bmatrix forest dependency deptext pspicture"""
)
"""Environments whose text does not consist of sentences: only rows with citations are kept."""

INLINE_ENVIRONMENTS = _words(
    """tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bf it em rm sf tt sc CJK
    otherlanguage hyphenrules math spacing singlespace doublespace onehalfspace sloppypar appendices
    """
)
"""Environments that do not end a paragraph."""

ENVIRONMENT_ARGUMENTS = _table("""
    om: tabular array longtable supertabular subfigure subtable subcaptionblock tblr longtblr
    mom: tabular* tabularx tabulary xltabular
    m: multicols spacing adjustbox thebibliography alignat alignat* xalignat alignedat otherlanguage
    m: otherlanguage* IEEEeqnarray empheq hyphenrules deptext
    mm: CJK CJK* list adjustwidth
    omom: wrapfigure wraptable
    ooom: minipage
    o: figure table figure* table* algorithm algorithm2e enumerate itemize description enumerate* itemize*
    o: tcolorbox mdframed framed algorithmic tikzpicture axis scope threeparttable tablenotes compactitem
    o: compactenum inparaenum asparaenum dependency cases bibunit
""")

_KNOWN_ENVIRONMENTS = frozenset(
    {name.rstrip("*") for name in RAW_ENVIRONMENTS}
    | MATH_ENVIRONMENTS
    | FLOATS
    | TABLES
    | {"document", "abstract", "thebibliography", "itemize", "enumerate", "description", "quote", "quotation"}
)
