"""From a draft to questions, and from answers to an edit of the draft: on the toy corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advising import advise

from citewhy.answers.answer import is_likely
from citewhy.answers.edits import Choices, first_choices, patch
from citewhy.answers.questions import DraftQuestions, clean, identify, units_of
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Manuscript, Paper, Query, Reason, Resolution, Suggestion, UnitAnswer
from citewhy.doors.present import draft_text
from citewhy.drafts import read
from citewhy.papers.formats import read as read_records
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import Hits
from citewhy.search.retrieve.first_stage import Treatment
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.text.tokens import stems

BIBLIOGRAPHY = """\
@inproceedings{bleu, title = {BLEU: A Method for Automatic Evaluation}, doi = {10.3115/1073083.1073135}}
@inproceedings{phrases, title = {Statistical phrase-based translation}, year = 2003,
  author = {Koehn, P. and Och, F. J. and Marcu, D.}}
@book{unknown, title = {Compilers}, author = {Aho, Alfred V.}, year = 1986}
@misc{lin2004rouge, title = {Somebody Else's Report}, author = {Lin, Ann}, year = 2004}
@misc{mine, title = {How Translations Are Scored}, author = {Author, Ada}, year = 2020}
"""

TITLE = "How Translations Are Scored"

Draft = Callable[..., Manuscript]


@pytest.fixture(scope="module")
def library(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The toy corpus, with the published form of the draft that the tests write."""
    names = ("papers.jsonl", "paper_aliases.tsv", "contexts.jsonl", "citations.tsv", "fulltext.jsonl")
    report = ImportReport()
    with Library.open(tmp_path_factory.mktemp("toy"), create=True) as opened:
        opened.add_all([(name, read_records(toy / name, report)) for name in names], report)
        itself = Paper("draft", TITLE, "The BLEU score of a translation.", ("Ada Author",), 2020)
        opened.add([itself], report)
        yield opened


@pytest.fixture(scope="module")
def recommender(library: Library) -> Recommender:
    """Plain BM25, so that one can tell its answers without knowing fitted weights."""
    return Recommender(library, "bm25")


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    """Writes a LaTeX draft with the given body, and reads it."""

    def write(body: str, date: str = "2020") -> Manuscript:
        (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
        (tmp_path / "draft.tex").write_text(
            f"\\documentclass{{article}}\n\\title{{{TITLE}}}\n\\author{{Ada Author}}\n\\date{{{date}}}\n"
            f"\\begin{{document}}\n\\maketitle\n{body}\n\\bibliography{{refs}}\n\\end{{document}}\n",
            encoding="utf-8",
        )
        return read(tmp_path / "draft.tex")

    return write


def questions(library: Library, manuscript: Manuscript) -> list[Query]:
    draft = DraftQuestions.of(library, manuscript)
    return [draft.query(unit) for unit in units_of(manuscript)]


def ids(advice: UnitAnswer) -> list[str]:
    return [suggestion.paper.id for suggestion in advice.suggestions]


# Questions ------------------------------------------------------------------------------------------------


def test_references_are_identified(library: Library, draft: Draft) -> None:
    """By DOI though the title is cut, by title and author though the names are; a stranger by nothing."""
    assert identify(library, draft("")) == {"bleu": "P02-1040", "phrases": "N03-1017", "mine": "draft"}


def test_open_places_in_reading_order(draft: Draft) -> None:
    """Every open marker with its sentence; filled ones are none."""
    manuscript = draft("One \\cite{}, two \\cite{bleu}, three \\cite{?}.\n\nFour [CITE].")
    places = [(unit.sentence and unit.sentence.text[:3], unit.place.line) for unit in units_of(manuscript)]
    assert places == [
        ("One", 7),
        ("One", 7),
        ("Fou", 9),
    ]


def test_known_is_what_the_text_cites(library: Library, draft: Draft) -> None:
    """Also before and after the place, and in a marker that is half open; never what the bibliography merely
    has."""
    assert [query.known_ids for query in questions(library, draft("One \\cite{}."))] == [()]
    before = draft("Two \\cite{bleu, unknown}. One \\cite{}.")
    assert [query.known_ids for query in questions(library, before)] == [("P02-1040",)]
    after = draft("One \\cite{}.\n\nTwo \\cite{phrases}, three \\cite{bleu, ?}.")
    both = ("N03-1017", "P02-1040")
    assert [query.known_ids for query in questions(library, after)] == [both, both]


def test_the_draft_does_not_know_itself(library: Library, draft: Draft) -> None:
    """A draft that cites itself, as earlier versions and shared bibliographies do."""
    (query,) = questions(library, draft("Scores \\cite{mine}, and phrases \\cite{phrases}. One \\cite{}."))
    assert (query.citing_id, query.known_ids) == ("draft", ("N03-1017",))


def test_what_the_sentence_cites_is_no_answer(recommender: Recommender, draft: Draft) -> None:
    """A paper that the sentence cites is not suggested there; another sentence may well cite it again."""
    words = "Translations are scored by n-gram precision with a brevity penalty"
    manuscript = draft(f"{words} \\cite{{bleu}} \\cite{{}}.\n\n{words} \\citep{{?}}.")
    beside, elsewhere = advise(recommender, manuscript, 20)
    assert "P02-1040" not in ids(beside)
    assert ids(elsewhere)[0] == "P02-1040"
    assert elsewhere.suggestions[0].key == "bleu"


def test_the_words_beside_a_citation_count_more(recommender: Recommender, draft: Draft) -> None:
    """Two open places of one sentence are two questions."""
    manuscript = draft(
        "We take n-grams with a penalty for brevity \\cite{} and longest subsequences \\cite{?}."
    )
    assert [ids(advice)[0] for advice in advise(recommender, manuscript, 5)] == ["P02-1040", "W04-1013"]


def test_the_draft_is_no_answer(library: Library, recommender: Recommender, draft: Draft) -> None:
    """A draft that the library has is never suggested for itself, whatever year is asked for."""
    manuscript = draft("How translations are scored by the BLEU score \\cite{}.")
    assert library.canonical("draft") == "draft"
    for year in (None, 2020, 2024):
        (advice,) = advise(recommender, manuscript, 20, year=year)
        assert len(ids(advice)) > 5
        assert "draft" not in ids(advice)


def test_the_drafts_year_counts(recommender: Recommender, draft: Draft) -> None:
    """Nothing newer than the draft is suggested, unless another year is asked for."""
    manuscript = draft("Transformers are pre-trained by predicting masked words \\cite{}.", date="2005")
    (advice,) = advise(recommender, manuscript, 20)
    assert ids(advice)
    assert all((suggestion.paper.year or 0) <= 2005 for suggestion in advice.suggestions)
    (later,) = advise(recommender, manuscript, 20, year=2020)
    assert ids(later)[0] == "N19-1423"


def test_a_key_that_reads_like_a_paper(recommender: Recommender, draft: Draft) -> None:
    """An undefined key with surname and year brings that paper to the top, with this reason first."""
    sentence = "An open toolkit reads confusion networks and has factored models \\cite{%s}."
    (plain,) = advise(recommender, draft(sentence % ""), 1)
    assert ids(plain) == ["P07-2045"]
    for key in ("och2003", "Och:03", "och_etal_2003_minimum"):
        (advice,) = advise(recommender, draft(sentence % key), 3)
        assert ids(advice)[0] == "P03-1021"
        assert advice.suggestions[0].reasons[0].kind == "key"
        assert key in advice.suggestions[0].reasons[0].text
        assert len(ids(advice)) == 3
    for key in ("och2019", "ochre", "2003"):
        (advice,) = advise(recommender, draft(sentence % key), 1)
        assert ids(advice) == ["P07-2045"]


def test_a_key_is_looked_for_in_one_ranking(library: Library, draft: Draft) -> None:
    """An undefined key asks no second time: each citation is ranked once, with such a key or without."""
    asked: list[str] = []

    class Listening:
        name = "listening"
        treatment: Treatment = "fused"

        def candidates(self, scoped: ScopedQuery) -> Hits:
            asked.append(scoped.query.text)
            return Hits(np.zeros(0, np.int64), np.zeros(0, np.float32))

    recommender = Recommender(library, "bm25", models=ModelSet(first_stages=(Listening(),)))
    manuscript = draft("Weights of a model are tuned \\cite{och2003}.\n\nSummaries are scored \\cite{?}.")
    tuned, scored = advise(recommender, manuscript, 3)
    assert tuned.suggestions[0].reasons[0].kind == "key"
    assert scored.suggestions
    assert len(asked) == 2


def test_new_keys_are_new(recommender: Recommender, draft: Draft) -> None:
    """A paper has one key at every place: the draft's own, or one that no entry has."""
    manuscript = draft("Summaries are scored by n-grams \\cite{}.\n\nSummaries share n-grams \\cite{?}.")
    answers = list(advise(recommender, manuscript, 20))
    keys = {(suggestion.paper.id, suggestion.key) for advice in answers for suggestion in advice.suggestions}
    by_paper = dict(keys)
    assert len(keys) == len(by_paper) == len(set(by_paper.values()))
    assert by_paper["P02-1040"] == "bleu"
    assert by_paper["W04-1013"] == "lin2004rougea"  # another paper has the key without the letter


# Edits ----------------------------------------------------------------------------------------------------


def test_no_paper_twice_in_a_sentence(recommender: Recommender, draft: Draft) -> None:
    """Two open places of one sentence get two papers; two sentences may get the same."""
    words = "Automatic evaluation of machine translation"
    manuscript = draft(f"{words} \\cite{{}} and again \\cite{{?}}.\n\n{words} [CITE].")
    answers = list(advise(recommender, manuscript, 5))
    first, second, third = (
        suggestions[0].paper.id for _, suggestions in first_choices(answers, manuscript).chosen
    )
    assert first != second
    assert third == first


def test_places_without_a_slot_are_left_out(recommender: Recommender, draft: Draft) -> None:
    """What an edit cannot fill is not chosen."""
    manuscript = draft("\\newcommand{\\mine}{\\cite{?}}\nTranslation is scored \\mine. Again \\cite{}.")
    answers = list(advise(recommender, manuscript, 1))
    assert [answer.unit.marker is not None and answer.unit.marker.slot is None for answer in answers] == [
        True,
        False,
    ]
    assert [marker for marker, _ in first_choices(answers, manuscript).chosen] == [answers[1].unit.marker]


def test_an_edit_fills_and_appends_once(recommender: Recommender, draft: Draft) -> None:
    """Markers get keys; a new paper is appended once, a known one not at all; nothing else changes."""
    manuscript = draft(
        "N-gram precision with a brevity penalty \\citep[see][]{?}.\n\n"
        "Summaries by people share the longest common subsequences and skip-bigrams \\cite{}.\n\n"
        "A summary shares subsequences with summaries by people \\cite{bleu, TODO}."
    )
    root, bibliography = Path(manuscript.path), Path(manuscript.bibliographies[0])
    before = root.read_text(encoding="utf-8")
    edit = patch(manuscript, first_choices(advise(recommender, manuscript, 1), manuscript).chosen)
    edit.apply()
    assert root.read_text(encoding="utf-8") == (
        before.replace("{?}", "{bleu}")
        .replace("cite{}", "cite{lin2004rougea}")
        .replace("TODO", "lin2004rougea")
    )
    added = bibliography.read_text(encoding="utf-8").removeprefix(BIBLIOGRAPHY)
    assert re.findall(r"^@\w+\{(.*),$", added, re.MULTILINE) == ["lin2004rougea"]
    assert "abstract" not in added
    assert {path.name for path in edit.files} == {"draft.tex", "refs.bib"}


def test_a_filled_draft_has_nothing_open(recommender: Recommender, draft: Draft) -> None:
    """After the edit, the draft is read as complete: every key that was written is defined."""
    manuscript = draft("Skip-bigrams of summaries \\cite{}. Masked words \\citep{?}. Frames [CITE].")
    patch(manuscript, first_choices(advise(recommender, manuscript, 1), manuscript).chosen).apply()
    filled = read(manuscript.path)
    assert list(units_of(filled)) == []
    assert filled.problems == ()
    assert len(filled.references) > len(manuscript.references)


def test_citations_in_a_sentence_are_no_words() -> None:
    """Placeholders and citations, printed or in the forms of LaTeX and Markdown, do not become words."""
    texts = (
        "We use parsers [CITE] daily",
        r"We use parsers \citep[see][]{collins1999} daily",
        "We use parsers [@collins1999] daily",
        "We use parsers (Collins, 1999) daily",
    )
    for text in texts:
        assert stems(clean(text)) == stems("We use parsers daily"), text


# Undefined keys -------------------------------------------------------------------------------------------


def written(recommender: Recommender, manuscript: Manuscript, **options: Any) -> tuple[str, str, list[str]]:
    """The draft's body and what its bibliography gains after the first choices were written, and why others
    were left open."""
    root, bibliography = Path(manuscript.path), Path(manuscript.bibliographies[0])
    choices = first_choices(advise(recommender, manuscript, 3), manuscript, **options)
    patch(manuscript, choices.chosen).apply()
    body = root.read_text(encoding="utf-8").partition("\\maketitle\n")[2].partition("\n\\bibliography")[0]
    added = bibliography.read_text(encoding="utf-8").removeprefix(BIBLIOGRAPHY)
    return body, added, [left.why for left in choices.left_open]


def test_an_undefined_key_becomes_the_key_of_the_entry(recommender: Recommender, draft: Draft) -> None:
    """The author's own key is free: the draft stays as it is, and the bibliography gets the entry."""
    body = "Weights are tuned by minimum error rate training \\citep[see][p.~3]{bleu,och2003minimum}."
    after, added, left = written(recommender, draft(body))
    assert (after, left) == (body, [])
    assert re.findall(r"^@\w+\{(.*),$", added, re.MULTILINE) == ["och2003minimum"]


def test_key_by_key(recommender: Recommender, draft: Draft) -> None:
    """Each undefined key is resolved alone; what cannot be stays as it stands, and is told."""
    body = "Tuning and summaries \\cite{och2003minimum,nobodyskey,lin04}. Again \\cite{smith2019}."
    after, added, left = written(recommender, draft(body))
    assert after == body
    assert re.findall(r"^@\w+\{(.*),$", added, re.MULTILINE) == ["och2003minimum", "lin04"]
    assert left == [f"no paper in the library matches the key “{key}”" for key in ("nobodyskey", "smith2019")]


def test_a_key_that_describes_a_paper_in_words(recommender: Recommender, draft: Draft) -> None:
    """Its words are those of a title, or a name and words of the abstract; no other paper has them all."""
    body = "Summaries share the longest common subsequences \\cite{rouge-package}."
    after, added, left = written(recommender, draft(body))
    assert (after, left) == (body, [])
    assert re.findall(r"^@\w+\{(.*),$", added, re.MULTILINE) == ["rouge-package"]
    for key in ("zebras", "rouge-package-1999"):
        manuscript = draft(body.replace("rouge-package", key))
        assert first_choices(advise(recommender, manuscript, 3), manuscript).chosen == []


def test_a_key_gives_way_to_the_one_that_is_defined(recommender: Recommender, draft: Draft) -> None:
    """Where the bibliography has the paper under another key, this one is written in its place."""
    body = "Phrases are translated \\cite[p.~3]{unknown,koehn2003}."
    after, added, _ = written(recommender, draft(body))
    assert (after, added) == (body.replace("koehn2003", "phrases"), "")


def test_a_key_that_fits_one_own_entry(draft: Draft) -> None:
    """By surname and year, or title, however improbable in its sentence: the draft's bibliography has hardly
    another paper that is meant. A surname alone is not enough, nor is a paper of the library alone, nor one
    that its sentence rules out."""
    manuscript = draft("Somebody says so \\cite{lin04}.")
    (unit,) = units_of(manuscript)
    paper = Paper("W04-1013", "ROUGE: A Package", authors=("Chin-Yew Lin",), year=2004)

    def left(key: str, own: bool, probability: float = 0.03) -> list[str]:
        reasons = (Reason("key", key),)
        suggestion = Suggestion(
            *(paper, 1.0, reasons), probability=probability, key="rouge", for_key=key, in_bibliography=own
        )
        named = Resolution(key, "key", (paper.id,))
        answered = UnitAnswer(replace(unit, undefined=(key,)), (suggestion,), (named,))
        assert is_likely(answered) == (own and key != "lin" and probability > 0.01)
        return [one.in_short for one in first_choices([answered], manuscript, 0.5).left_open]

    unsure = ["a paper fits the key, and is less than 50% sure"]
    assert [left(key, True) for key in ("lin04", "lin-rouge", "lin")] == [[], [], unsure]
    assert left("lin04", False) == unsure
    assert left("lin04", True, 0.001) == [
        "an entry of the bibliography fits the key, but hardly the sentence"
    ]


def test_a_mark_that_names_one_own_entry(draft: Draft) -> None:
    """By surname and year, however improbable in its sentence. A surname alone is not enough, nor is a paper
    of the library alone, one of several that fit, or one that its sentence rules out."""
    paper = Paper("W04-1013", "ROUGE: A Package", authors=("Chin-Yew Lin",), year=2004)

    def is_written(mark: str, own: bool, probability: float = 0.03, others: tuple[str, ...] = ()) -> bool:
        manuscript = draft(f"Somebody says so {mark}.")
        (unit,) = units_of(manuscript)
        suggestion = Suggestion(
            *(paper, 1.0, (Reason("key", mark),)), probability=probability, key="rouge", in_bibliography=own
        )
        named = Resolution(mark, "key", (paper.id, *others))
        answered = UnitAnswer(unit, (suggestion,), (named,))
        chosen = bool(first_choices([answered], manuscript, 0.5).chosen)
        assert is_likely(answered) == chosen
        return chosen

    assert is_written("[Lin 2004?]", True)
    assert is_written("(lin 2004?)", True)
    assert not is_written("\\todo{cite Lin}", True)
    assert not is_written("[Lin 2004?]", False)
    assert not is_written("[Lin 2004?]", True, 0.001)
    assert not is_written("[Lin 2004?]", True, others=("P03-1021",))


def test_a_key_that_was_mistyped(recommender: Recommender, draft: Draft) -> None:
    """The answer and the list of what stays open ask for the defined key that is nearly the same."""
    manuscript = draft("Phrases are translated \\cite{phrasess}.")
    answers = list(advise(recommender, manuscript, 3))
    (left,) = first_choices(answers, manuscript).left_open
    assert left.why.endswith("matches the key “phrasess”; did you mean “phrases”?")
    assert "   phrasess: did you mean phrases?\n" in draft_text.draft(manuscript, answers)


def test_a_key_that_is_an_id(recommender: Recommender, draft: Draft) -> None:
    """It means the paper of this id, whatever its sentence says."""
    body = "Nothing that resembles anything \\cite{N19-1423}."
    after, added, _ = written(recommender, draft(body))
    assert after == body
    assert "{N19-1423," in added


def test_a_key_with_words_of_another_title(recommender: Recommender, draft: Draft) -> None:
    """Surname and year fit, the title does not: the key names another paper, which is not there."""
    manuscript = draft("Error rate training \\cite{och2003systematic}.")
    (advice,) = advise(recommender, manuscript, 3)
    assert not any(reason.kind == "key" for suggestion in advice.suggestions for reason in suggestion.reasons)
    choices = first_choices([advice], manuscript)
    assert choices.chosen == []
    assert [left.why for left in choices.left_open] == [
        "no paper in the library matches the key “och2003systematic”"
    ]


def test_surname_and_year_alone_need_a_sentence_that_supports_them(draft: Draft) -> None:
    """Other papers may have them, too; what names a paper for certain needs no support."""
    manuscript = draft("Somebody says so \\cite{lin04,lin2004rouge2,W04-1013}.")
    (unit,) = units_of(manuscript)
    paper = Paper("W04-1013", "ROUGE: A Package", authors=("Chin-Yew Lin",), year=2004)

    def choices(key: str, certain: bool) -> Choices:
        suggestion = Suggestion(paper, 1.0, (Reason("key", key),), probability=0.3, key=key, for_key=key)
        named = Resolution(key, "key", (paper.id,), certain)
        answered = UnitAnswer(replace(unit, undefined=(key,)), (suggestion,), (named,))
        return first_choices([answered], manuscript, 0.5)

    assert choices("lin04", certain=False).chosen == []
    assert choices("lin04", certain=False).left_open[0].why == (
        "the key “lin04” fits W04-1013, but not for certain; in its sentence, the paper is 30% sure, below "
        "50%"
    )
    assert len(choices("lin-etal-2004-rouge", certain=True).chosen) == 1


@pytest.mark.parametrize(
    ("sentence", "who"),
    [
        ("Smith (2019) argues that translations are scored by n-grams [CITE].", "Smith 2019"),
        ("Translations are scored by n-grams, as shown by Smith (2019) [CITE].", "Smith 2019"),
        ("Smith et al. [CITE] score translations by n-grams.", "Smith et al."),
        ("Translations are scored by n-grams [TODO: cite Smith 2019].", "Smith 2019"),
    ],
)
def test_nobody_gets_the_claim_of_another(
    recommender: Recommender, draft: Draft, sentence: str, who: str
) -> None:
    """Where an author is printed at the citation by whom the library has nothing, no paper is written."""
    assert written(recommender, draft(sentence)) == (
        sentence,
        "",
        [f"the library has no paper that is cited as {who}"],
    )
    (answer,) = advise(recommender, draft(sentence), 3)
    assert answer.suggestions
    assert f"The library has no paper that is cited as {who.rstrip('.')}." in draft_text.unit_answer(
        answer, 1
    )


def test_an_author_that_is_printed_is_found_first(recommender: Recommender, draft: Draft) -> None:
    """What the citation says counts before all words of the sentence."""
    (answer,) = advise(recommender, draft("Papineni et al. (2002) tune weights by error rates [CITE]."), 3)
    assert ids(answer)[0] == "P02-1040"
    assert answer.suggestions[0].reasons[0].text.startswith("“Papineni et al. 2002” at the citation fits")


def test_a_new_key_is_no_undefined_one(recommender: Recommender, draft: Draft) -> None:
    """An undefined key that means nothing known is not defined by accident."""
    manuscript = draft("Summaries share skip-bigrams \\cite{}. Others say so \\cite{lin2004rougea}.")
    first, _ = advise(recommender, manuscript, 1)
    assert first.suggestions[0].paper.id == "W04-1013"
    assert first.suggestions[0].key == "lin2004rougeb"


# What is left open ----------------------------------------------------------------------------------------


def test_a_floor_of_probability(draft: Draft) -> None:
    """Below it, a citation is left open; a key needs no probability."""
    manuscript = draft("Somebody says so \\cite{}.")
    (unit,) = units_of(manuscript)
    sure, key = (
        Suggestion(
            Paper("x", "A paper"), 1.0, (Reason("words", "so"),), probability=chance, key="x", for_key=name
        )
        for chance, name in ((0.6, ""), (0.1, "x"))
    )
    for floor, expected in ((0.5, [(unit.marker, (sure,))]), (0.6, [(unit.marker, (sure,))]), (0.7, [])):
        assert first_choices([UnitAnswer(unit, (sure,))], manuscript, floor).chosen == expected
    (left,) = first_choices([UnitAnswer(unit, (sure,))], manuscript, 0.7).left_open
    assert (left.place, left.why) == (unit.place, "the first paper is 60% sure, below 70%")
    named = UnitAnswer(replace(unit, undefined=("x",)), (key,), (Resolution("x", "id", ("x",), True),))
    assert first_choices([named], manuscript, 0.7).chosen == [(unit.marker, (key,))]


def test_the_first_paper_may_be_used_in_the_same_sentence(draft: Draft) -> None:
    """Then the reason speaks of the next one, whose probability it names."""
    manuscript = draft("Somebody says so \\cite{} and so \\cite{}.")
    first, second = (
        Suggestion(Paper(name, name), 1.0, (Reason("words", "so"),), probability=sure, key=name)
        for name, sure in (("a", 0.9), ("b", 0.17))
    )
    for suggestions, why in (
        ((first, second), "its sentence cites a already; the next paper is 17% sure, below 50%"),
        ((first,), "its sentence cites a already"),
    ):
        answers = [UnitAnswer(unit, suggestions) for unit in units_of(manuscript)]
        choices = first_choices(answers, manuscript)
        assert [one.paper.id for _, chosen in choices.chosen for one in chosen] == ["a"]
        assert [left.why for left in choices.left_open] == [why]


def test_nothing_is_written_outside_of_the_folder(recommender: Recommender, tmp_path: Path) -> None:
    """Neither a bibliography nor a chapter that stands beside the draft's folder, unless it is asked for."""
    (tmp_path / "shared.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (tmp_path / "chapter.tex").write_text("Summaries share skip-bigrams \\cite{}.\n", encoding="utf-8")
    root = tmp_path / "draft" / "draft.tex"
    root.parent.mkdir()
    root.write_text(
        "\\documentclass{article}\\begin{document}Masked words \\cite{}.\n\n\\input{../chapter}"
        "\\bibliography{../shared}\\end{document}",
        encoding="utf-8",
    )
    manuscript = read(root)
    answers = list(advise(recommender, manuscript, 1))
    choices = first_choices(answers, manuscript)
    assert [left.why for left in choices.left_open] == ["its file is outside of the draft's folder"]
    with pytest.raises(InputError, match=r"shared\.bib: the bibliography is outside of the draft's folder"):
        patch(manuscript, choices.chosen)
    everything = first_choices(answers, manuscript, outside=True)
    edit = patch(manuscript, everything.chosen, outside=True)
    assert {path.name for path in edit.files} == {"draft.tex", "chapter.tex", "shared.bib"}


# The draft itself -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "front",
    [
        "\\title{How Translations Are Being Scored}\\author{Anonymous}",
        "\\title{How translations are scored}\\author{\\begin{tabular}{c}Ada Author\\\\ X\\end{tabular}}",
        "\\title{How Translations Are Scored}\\name{Ada Author}\\date{2023}",
    ],
)
def test_a_draft_is_known_by_its_title_alone(recommender: Recommender, tmp_path: Path, front: str) -> None:
    """Under any year, with a changed word, and whoever its authors are said to be."""
    path = tmp_path / "draft.tex"
    body = "How translations are scored by the BLEU score \\cite{}."
    path.write_text(
        f"\\documentclass{{a}}{front}\\begin{{document}}{body}\\end{{document}}", encoding="utf-8"
    )
    (advice,) = advise(recommender, read(path), 20)
    assert len(ids(advice)) > 5
    assert "draft" not in ids(advice)
