"""Whatever stands in a query's text, it is words and nothing else: no syntax, no error, no other answer.

The encoder reads what stands between words, too; with it there is an answer, the same each time.
"""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_library import exact, make_toy, unsynced

from citewhy.base.records import Query, QueryKind
from citewhy.ranking.recommender import Recommender
from citewhy.text.tokens import words

KINDS: tuple[QueryKind, ...] = get_args(QueryKind)

Pair = tuple[Recommender, Recommender]


@pytest.fixture(scope="module")
def recommenders(tmp_path_factory: pytest.TempPathFactory, toy: Path) -> Iterator[Pair]:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as library:
        yield Recommender(library, "full"), Recommender(library, "bm25")


def clean(text: str) -> str:
    """Letters and digits of the Latin alphabet, accents off, lower case; the rest are gaps, but for the end
    of such words as "c++" and "c#". Worked out here anew, apart from what the index does."""
    kept = []
    for character in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(character):
            folded = character.casefold()
            kept.append(folded if folded.isascii() and (folded.isalnum() or folded in "+#") else " ")
    return " ".join(re.findall(r"[a-z0-9]+(?:[+#]+(?![a-z0-9]))?", "".join(kept)))


def check(recommenders: Pair, text: str, cleaned: str, kind: QueryKind = "local") -> None:
    for recommender in recommenders:
        again = cleaned if recommender.pipeline == "bm25" else text
        answers = [
            exact(recommender.rank(Query(kind, text=asked, title=asked, abstract=asked), 20))
            for asked in (text, again)
        ]
        assert answers[0] == answers[1]
        recommender.suggest(Query(kind, text=text, title=text, abstract=text), 3)


HAND_MADE = {
    "statistical AND (translation OR": "statistical translation",
    'title:translation^4 "phrase-based models" NOT bleu~2': "title translation 4 phrase based models bleu 2",
    'a:b:c [1 TO {*} \\"open': "open",
    "+translation -bleu !bleu &&bleu ||bleu": "translation bleu bleu bleu bleu",
    "transl*tion b?eu /trans.*/": "transl tion b eu trans",
    r"\cite{bert} \emph{penn} bank $\alpha_{i}^{2}$ %note": "cite bert emph penn bank alpha note",
    r"(?P<x>ab)+$ [^\w]* error|rate{2,} \bmining\b": "ab error rate bmining",
    "precision+recall, C++ and C#, not f#m": "precision recall c++ c#",
    "BLEU’s “score” — translation…": "bleu score translation",
    "🤖 machine 🧠translation🧠": "machine translation",
    "תרגום machine الترجمة translation": "machine translation",
    "‮noitalsnart machine‬": "noitalsnart machine",
    "ma\u200bchine trans\u00adlation": "ma chine trans lation",
    "machine\x00translation\x07\x1b[31m": "machine translation 31m",
    "ｍａｃｈｉｎｅ ﬁnding Ⅳ": "machine finding iv",
    "Màrquez Ond\u0159ej naïve Straße": "marquez ondrej naive strasse",
    "machine\ud800translation\udfff": "machine translation",
    "\ufeffmachine\u2028translation\u2029": "machine translation",
    "<script>alert('bleu')</script> ' OR 1=1 --": "script alert bleu script 1 1",
    "../../etc/passwd %2e%2e %s {0} ${x}": "etc passwd 2e 2e",
    "TARGETCIT and OTHERCIT of BLEU": "of bleu",
    "": "",
    " \t\r\n\v\f": "",
    "\x00": "",
    "的 模型": "",
    "!@#$%^&*()": "",
}


@pytest.mark.parametrize("text", HAND_MADE, ids=range(len(HAND_MADE)))
def test_hand_made(recommenders: Pair, text: str) -> None:
    """Query languages, LaTeX, expressions, scripts, controls: the answer is that for the words alone."""
    for kind in KINDS:
        check(recommenders, text, HAND_MADE[text], kind)


SYNTAX = r"""+ - && || ! ( ) { } [ ] ^ " ~ * ? : \ / AND OR NOT TO \cite{ \textbf{ $x_1$ % (?:a+)+ .* [^x]
    \b {2,} $ ^ c++ C# the of machine translation bleu treebank error training phrase-based 2005 BERT"""
PIECES = [
    *SYNTAX.split(),
    *("🤖", "👩\u200d👩\u200d👧", "\u202e", "\u202c", "א", "ש", "ب", "的", "模", "ﬁ", "é", "\u0301", "ſ"),
    *("\x00", "\x01", "\x1b", "\x7f", "\u200b", "\ufeff", "\ud800", "\U0010ffff", "\u2028"),
]


def noisy(chance: random.Random) -> str:
    joints = ["", " ", " ", "\t", "\n", "\u00a0"]
    return "".join(chance.choice(PIECES) + chance.choice(joints) for _ in range(chance.randrange(30)))


def test_noise(recommenders: Pair) -> None:
    """Three hundred strings of query syntax, LaTeX, expressions, scripts, controls and words, glued at
    random: no error, and the answer for the words alone."""
    for place in range(300):
        text = noisy(random.Random(place))
        check(recommenders, text, clean(text), KINDS[place % 4])


@pytest.mark.full
def test_noise_in_full(recommenders: Pair) -> None:
    """As above, ten thousand strings."""
    for place in range(300, 10_300):
        text = noisy(random.Random(place))
        check(recommenders, text, clean(text), KINDS[place % 4])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(), max_size=60))
def test_any_text(recommenders: Pair, text: str) -> None:
    """So it is for text of any characters at all, halves of characters included."""
    check(recommenders, text, " ".join(words(text)))


@pytest.mark.parametrize(
    "piece",
    ["a", "translation ", "(", "\\cite{", "\x00", "🤖", "é", "á́́́", "w{n} ", "x" * 5000 + " "],
    ids=range(10),
)
def test_without_end(recommenders: Pair, piece: str) -> None:
    """A hundred thousand characters are answered."""
    text = (piece * 100_000)[:100_000]
    if "{n}" in piece:
        text = " ".join(f"w{number}" for number in range(20_000))[:100_000]
    check(recommenders, text, clean(text))


def test_ids_and_names_of_any_kind(recommenders: Pair) -> None:
    """Ids that no library has, and names of nobody, are no error, whatever they are made of."""
    odd = ("", "\x00", "\ud800", "x" * 10_000, "'; DROP TABLE papers; --", "%", "../..", "🤖")
    for recommender in recommenders:
        plain = exact(recommender.rank(Query("local", "machine translation"), 20))
        for name in odd:
            query = Query(
                "local",
                "machine translation",
                authors=odd,
                known_ids=odd,
                excluded_ids=odd,
                citing_id=name,
                id=name,
            )
            assert exact(recommender.rank(query, 20)) == plain
            assert recommender.suggest(query, 3)


@pytest.mark.parametrize("year", [0, -5, 10**9, -(10**9), 2**63, sys.maxsize])
def test_years_of_any_kind(recommenders: Pair, year: int) -> None:
    """A year that no calendar has is no error."""
    for recommender in recommenders:
        query = Query("local", "machine translation", year=year)
        assert (
            len(recommender.rank(query, 20)) == recommender.pool_size(query) or recommender is recommenders[1]
        )
        recommender.suggest(query, 3)
