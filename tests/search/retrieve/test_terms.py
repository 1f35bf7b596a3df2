"""A query's words, and their weights."""

from __future__ import annotations

from dataclasses import replace

from citewhy.base.records import Query
from citewhy.search.retrieve.terms import query_terms


def test_terms_of_a_sentence() -> None:
    """Words repeat; the title's count half beside them; the abstract is not a sentence's business."""
    query = Query("local", text="Trees and trees of words", title="Trees, parsed", abstract="Chart parsing")
    assert query_terms(query) == {"tree": 2.5, "word": 1.0, "pars": 0.5}
    assert query_terms(query, title_weight=1.0) == {"tree": 3.0, "word": 1.0, "pars": 1.0}
    assert query_terms(query, title_weight=0.0) == {"tree": 2.0, "word": 1.0, "pars": 0.0}


def test_terms_of_a_paper() -> None:
    """For a whole paper, title and abstract count the same."""
    query = Query("global", title="Trees, parsed", abstract="Chart parsing", text="Why")
    assert query_terms(query) == {"chart": 1.0, "pars": 2.0, "tree": 1.0}


def test_no_terms() -> None:
    """Nothing, stop words, markers and punctuation are no terms."""
    for text in ("", "of the and", "TARGETCIT, OTHERCIT", "… ¿? -- 7 x"):
        assert query_terms(Query("local", text=text)) == {}


def test_paragraphs_and_sets() -> None:
    """A topic sentence, and the sentence of a bracket, are asked as a sentence is."""
    asked = Query("local", text="Trees of words", title="Trees", abstract="Charts", preceding="Before this.")
    for kind in ("paragraph", "set"):
        assert query_terms(replace(asked, kind=kind)) == query_terms(asked) == {"tree": 1.5, "word": 1.0}
