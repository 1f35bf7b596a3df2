"""How well a citation key describes a paper: which of its pieces stand for an author, a word of the title,
the venue, and which for nothing that is known of the paper."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from citewhy.answers.resolve.keys import JOINED, KeyParts
from citewhy.base.records import Name, Paper
from citewhy.text.names import citing_authors, key_form, key_surnames, latin
from citewhy.text.system_names import introduced_names
from citewhy.text.tokens import STOP_WORDS, stems, words

_FILLERS = frozenset(
    """etal et al and the others alii ii iii jr conf journals corr dblp arxiv preprint abs paper article book
    chapter thesis phdthesis misc ieee acm springer elsevier aclweb anthology proc proceedings""".split()  # noqa: SIM905
)
"""Words of keys that say nothing of the paper."""

_VENUES = frozenset(
    """aaai acl aistats ai bmvc chi cikm cl colt coling conll cvpr ccs eacl eccv ecir ecml emnlp focs icassp
    iccv icde icdm icml iclr icra ijcai ijcnlp interspeech iros jair jmlr kdd lrec mt naacl ndss nips neurips
    nature neuron osdi pami pldi pnas popl recsys science semeval sigir sigmod siggraph sosp stoc tacl tmlr
    tois tpami trec uai uist usenix vldb wmt wsdm www aacl hlt iwslt eamt amta inlg sigdial starsem ranlp
    paclic iwpt""".split()  # noqa: SIM905
)
"""Short names of venues that keys have."""

_PREFIX = 3
"""Minimum number of letters of an abbreviated word of the title."""

OF_TITLE = 2
"""Minimum number of words of a title that stand for the paper without its author."""

_INITIALS = 3
"""Minimum number of initials of words of a title that stand for it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a key describes a paper. Compare papers by `order`."""

    first_author: bool = False
    coauthors: int = 0
    names: int = 0
    """Names of systems or data sets that the paper introduces."""
    lead: int = 0
    """The first significant word of the title."""
    title: int = 0
    """Other words of the title."""
    hints: int = 0
    """Abbreviated words and initials of the title, words of the abstract."""
    unexplained: int = 0
    """Pieces that stand for nothing that is known of the paper."""
    years_apart: int = 0
    dated: bool = False
    """Whether key and paper have a year."""

    @property
    def order(self) -> tuple[int, ...]:
        """The larger, the better the key describes the paper."""
        told = self.names + self.lead + self.title + self.coauthors
        return (-self.unexplained, told, self.names + self.lead, self.hints, -self.years_apart)

    @property
    def certain(self) -> bool:
        """Whether the key describes the paper well enough to be written for it, if it describes no other as
        well: by its first author and by more than a year."""
        if not self.first_author or self.unexplained:
            return False
        further = 4 * self.names + 2 * self.lead + 2 * self.coauthors + self.title
        return further >= 2 if self.dated and not self.years_apart else further >= 4

    @property
    def plausible(self) -> bool:
        """Whether the key may mean the paper: it explains all of the key, and another year only if it is
        described by more than its first author."""
        same_year = not self.years_apart or self.names + self.lead + self.coauthors > 0
        return self.first_author and not self.unexplained and same_year

    @property
    def of_title(self) -> bool:
        """Whether the key has words of the title alone, at least two of them, or else a name that the paper
        introduces and words of its abstract."""
        words = self.names + self.lead + self.title + (self.hints if self.names else 0)
        return not (self.first_author or self.unexplained or self.years_apart) and words >= OF_TITLE


class Described:
    """A paper as keys describe it."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper

    def may_be_first(self, key: KeyParts) -> bool:
        """Whether any reading of the key may have its first author. If not, no `fit` has, which takes much
        longer to find out: a surname is the beginning of many words."""
        return any(word in self.first for word in key.joined()) or any(map(self._after_first, key.words))

    def may_be_of_title(self, key: KeyParts) -> bool:
        """Whether any reading of the key may be `Fit.of_title`, as `may_be_first`: it has two words of the
        title, or a name that the paper introduces."""
        known = self.title | self.others
        written = sum(word in self._letters or _segmented(word, known) for word in key.words)
        return written >= OF_TITLE or any(map(self._introduces, key.joined()))

    def fit(self, key: KeyParts) -> Fit:
        """The reading of the key that explains the most of it."""
        years = [abs(year - self.paper.year) for year in key.years if self.paper.year is not None]
        end = Fit(years_apart=min(years, default=0), dated=bool(years))
        # From the last piece to the first: the best reading of the pieces from each place on.
        best = [end] * (len(key.words) + 1)
        for place in range(len(key.words) - 1, -1, -1):
            fits: list[Fit] = []
            for last in range(place + 1, min(place + JOINED, len(key.words)) + 1):
                word = "".join(key.words[place:last])
                capital = last == place + 1 and place in key.capitals
                fits += [_with(best[last], meaning) for meaning in self._meanings(word, capital)]
            if not fits:
                fits.append(_with(best[place + 1], self._broken(key.words[place])))
            best[place] = max(fits, key=lambda fit: (fit.first_author, *fit.order))
        return best[0]

    def _meanings(self, word: str, capital: bool) -> list[str]:
        """Lists what a piece of a key may stand for."""
        meanings = []
        if word in self.first:
            meanings.append("first")
        if word in self.others:
            meanings.append("other")
        if self._introduces(word):
            meanings.append("name")
        elif word in self.lead:
            meanings.append("lead")
        elif word in self.title:
            meanings.append("title")
        elif capital and self.surname_initials.startswith(word):
            meanings += ["other"] * (not meanings)
        known = (_FILLERS, _VENUES, self.venue, self.small)
        if not meanings and (len(word) == 1 or any(word in name for name in known)):
            meanings.append("filler")
        if not meanings and self._is_hint(word, capital):
            meanings.append("hint")
        return meanings

    def _is_hint(self, word: str, capital: bool) -> bool:
        """Whether a piece may be an abbreviation of a word or of several words of the title, or is a word of
        the abstract."""
        if len(word) >= _PREFIX and any(title_word.startswith(word) for title_word in self.title):
            return True
        if (
            len(word) >= _PREFIX
            and word in self._letters
            and re.search(rf"\b{re.escape(word)}\b", self.abstract)
        ):
            return True
        if not self._stems.isdisjoint(stems(word)):  # "segmenter" for "segmentation"
            return True
        if len(word) >= 2 * _PREFIX and _of_prefixes(word, self._title_words):
            return True
        if capital and len(word) >= _INITIALS and _is_subsequence(word, self.venue_initials):
            return True
        return len(word) >= _INITIALS - capital and _is_subsequence(word, self.initials)

    def _broken(self, word: str) -> str:
        """Tells what a piece stands for that has several words without a sign between them:
        ``wisemanlearning``, ``iyeretal``."""
        if meaning := self._after_first(word):
            return meaning
        return "title" if _segmented(word, self.title | self.others) else "unexplained"

    def _after_first(self, word: str) -> str:
        """The same of a piece that begins with the surname of the first author; empty for others."""
        for surname in sorted(self.first, key=len, reverse=True):
            if len(surname) < _PREFIX or not word.startswith(surname):
                continue
            rest = word[len(surname) :]
            if rest in _FILLERS or rest in _VENUES:
                return "first"
            if rest in self.others:
                return "first+other"
            if self._introduces(rest):
                return "first+name"
            if rest in self.lead:
                return "first+lead"
            if _segmented(rest, self.title | self.others | _FILLERS):
                return "first+title"
        return ""

    # What is known of the paper -----------------------------------------------------------------------------

    @cached_property
    def first(self) -> frozenset[str]:
        """Forms of the surname of the first author, and of the names of organisations."""
        return frozenset(form for author in citing_authors(self.paper.authors) for form in _spellings(author))

    @cached_property
    def others(self) -> frozenset[str]:
        return frozenset(form for author in self.paper.authors[1:] for form in _spellings(author))

    @cached_property
    def title(self) -> frozenset[str]:
        return frozenset(word for word in self._title_words if word not in STOP_WORDS)

    @cached_property
    def lead(self) -> frozenset[str]:
        """The first significant word of the title, with and without what a hyphen joins to it."""
        first = next((word for word in self._plain_words if word not in STOP_WORDS), "")
        joined = (word for word in self._title_words if first and word.startswith(first))
        return frozenset((first, *joined)) - {""}

    @cached_property
    def small(self) -> frozenset[str]:
        """Function words of the title."""
        return frozenset(self._title_words) - self.title

    @cached_property
    def _plain_words(self) -> list[str]:
        return words(latin(self.paper.title))

    @cached_property
    def _title_words(self) -> list[str]:
        hyphenated = re.findall(r"(?<!\w)\w++(?:['’-]\w++)+", latin(self.paper.title))
        return [*self._plain_words, *map(key_form, hyphenated)]

    @cached_property
    def initials(self) -> str:
        """Initials of the words of the title in their order; all letters of words in capitals."""
        parts = re.findall(r"[A-Z]+(?![a-z])|[^\W_]+", self.paper.title)
        return key_form("".join(part if part.isupper() else part[0] for part in parts))

    @cached_property
    def surname_initials(self) -> str:
        """Initials of the coauthors' surnames, as DBLP writes them: ``RWZ`` in ``PapineniRWZ02``."""
        surnames = [key_surnames(author) for author in self.paper.authors[1:]]
        return "".join(forms[0][0] for forms in surnames if forms)

    def _introduces(self, word: str) -> bool:
        return word in self._letters and word in self.names

    @cached_property
    def _letters(self) -> str:
        """Letters and digits of title and abstract, among which are all `names`."""
        return key_form(f"{self.paper.title} {self.paper.abstract}")

    @cached_property
    def names(self) -> frozenset[str]:
        """Names that the paper introduces."""
        return frozenset(map(key_form, introduced_names(self.paper.title, self.paper.abstract)))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stems(latin(self.paper.title)))

    @cached_property
    def venue(self) -> frozenset[str]:
        return frozenset((*words(latin(self.paper.venue)), self.venue_initials))

    @cached_property
    def venue_initials(self) -> str:
        """Initials of the significant words of the venue."""
        return "".join(word[0] for word in words(latin(self.paper.venue)) if word not in STOP_WORDS)

    @cached_property
    def abstract(self) -> str:
        return latin(self.paper.abstract)


def _spellings(author: str) -> set[str]:
    """The forms of a surname in keys, also with the umlauts of German written in full."""
    if isinstance(author, Name) and not author.is_literal:
        parts = (part.translate(_UMLAUTS) for part in (author.given, author.family, author.particle))
        written: str = Name(*parts)
    else:
        written = author.translate(_UMLAUTS)
    return {*key_surnames(author), *(() if written == author else key_surnames(written))}


_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "å": "aa"}
)


def _is_subsequence(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _of_prefixes(word: str, title: Sequence[str]) -> bool:
    """Whether a word consists of beginnings of words of the title, in their order: ``simtrans``."""
    ends = {0}
    for title_word in title:
        ends = ends | {later for end in ends for later in _prefix_ends(word, end, title_word)}
    return len(word) in ends


def _prefix_ends(word: str, start: int, of_title: str) -> range:
    """Where beginnings of a word of the title, of three letters or more, end in a word from `start` on."""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(word[start:], of_title, strict=False))
    return range(start + _PREFIX, start + sum(1 for _ in same) + 1)


def _segmented(word: str, vocabulary: frozenset[str]) -> bool:
    """Whether a word consists of words of the vocabulary with two letters or more."""
    reach = {0}
    for end in range(1, len(word) + 1):
        if any(end - start > 1 and word[start:end] in vocabulary for start in reach):
            reach.add(end)
    return bool(word) and len(word) in reach


def _with(fit: Fit, meaning: str) -> Fit:
    return replace(
        fit,
        first_author=fit.first_author or meaning.startswith("first"),
        coauthors=fit.coauthors + meaning.endswith("other"),
        names=fit.names + meaning.endswith("name"),
        lead=fit.lead + meaning.endswith("lead"),
        title=fit.title + meaning.endswith("title"),
        hints=fit.hints + (meaning == "hint"),
        unexplained=fit.unexplained + (meaning == "unexplained"),
    )
