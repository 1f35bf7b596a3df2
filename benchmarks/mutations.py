"""Whether the tests of a room notice that one line of it is wrong.

    python benchmarks/mutations.py [--room NAME …] [--number N …]

Each mutation changes one expression in a copy of the tree, and runs the tests of its room until one fails.
One that survives is a behaviour that no test of the room states. Prints a line for each, with the test that
failed; exits with 1 if any survived.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

TREE = ("src", "tests", "pyproject.toml")
"""What of the tree the tests of the product need."""

MOST_SECONDS = 600
"""After which a run counts as failed: a mutation may make a loop endless."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change to one file, and the tests that must notice it."""

    room: str
    file: str
    """Below ``src/citewhy``."""
    before: str
    """What the file has exactly once."""
    after: str
    tests: str
    """A folder or a file below ``tests``."""


RULES, EVIDENCE = "search/rules.py", "search/index/evidence.py"
RANKER, LAST = "ranking/rank/ranker.py", "ranking/rank/last_step.py"
FEATURES, FINISHING = "ranking/rank/last_step_features.py", "ranking/finishing.py"
SCREENS, SETS = "search/retrieve/candidates.py", "ranking/sets/"
LIBRARY, LOCAL = "papers/library/", "search/index/local/"
ALIKE, STORE = "papers/library/test_alike.py", "papers/library/test_store.py"
HONEST, BY_RANK = "search/test_rules.py", "ranking/rank"

MUTATIONS = (
    # What appears in the year of the query is evidence.
    Mutation("rules", RULES, "years < self.year - self.lag", "years <= self.year - self.lag", HONEST),
    # Evidence of unknown year counts.
    Mutation("rules", RULES, "(years > 0) & (years <", "(years >= 0) & (years <", HONEST),
    # The last years are not left out.
    Mutation("rules", RULES, "self.year - self.lag", "self.year", HONEST),
    # Papers of the year of the query are no candidates.
    Mutation("rules", RULES, "years <= self.year", "years < self.year", HONEST),
    # Papers without an abstract are in the pool of those with one.
    Mutation("rules", RULES, "admitted &= have_abstract", "admitted |= have_abstract", HONEST),
    # Copies of the citing paper are candidates.
    Mutation("rules", RULES, "*rows.excluded, *rows.copies", "*rows.excluded", HONEST),
    # What copies of the citing paper wrote counts.
    Mutation("rules", RULES, "copies=frozenset(rows.copies)", "copies=frozenset()", HONEST),
    # The citing paper is a candidate.
    Mutation("rules", RULES, "(self.citing, *self.barred)", "self.barred", HONEST),
    # The members of a citation are candidates.
    Mutation("rules", RULES, '"set": rows.members', '"set": ()', HONEST),
    # A sentence may be older than the paper that contains it.
    Mutation(
        "rules",
        EVIDENCE,
        "np.maximum(tables.context_years[tables.pair_context], written)",
        "tables.context_years[tables.pair_context]",
        HONEST,
    ),
    # What the citing paper itself cites counts.
    Mutation("rules", EVIDENCE, "& ~np.isin(tables.citing, without)", "", HONEST),
    # The last step orders half as many candidates.
    Mutation("ranking", RANKER, "MOST_SEEN = 600", "MOST_SEEN = 300", BY_RANK),
    # Candidates that the last step has not seen rank above those that it has.
    Mutation("ranking", RANKER, "np.nextafter(scores.min(", "np.nextafter(-scores.min(", BY_RANK),
    # The more papers use a name, the more it counts, without limit.
    Mutation("ranking", FEATURES, "_MANY_USES, 1.0)", "_MANY_USES, 9.0)", BY_RANK),
    # What appears long after a paper counts as following it.
    Mutation("ranking", FEATURES, " & (other <= own + FOLLOWING_YEARS)", "", BY_RANK),
    # The present and the future count as following a paper.
    Mutation("ranking", FEATURES, " & early[similar]", "", BY_RANK),
    # A candidate is probable, however far it is from the question.
    Mutation(
        "probabilities",
        LAST,
        "most_probable(table, scores)) * familiarity(table)",
        "most_probable(table, scores))",
        BY_RANK,
    ),
    # Whether anything fits is asked of the first paper, which an intent has put there.
    Mutation(
        "probabilities",
        "ranking/recommender.py",
        "if query.intent is None or not",
        "if query.intent is not None or not",
        "ranking/test_finishing.py",
    ),
    # Screening does not know what the draft cites: by a paper's own words, and by what others say.
    Mutation(
        "ranking", SCREENS, "own_words += _NEIGHBOUR * near", "own_words += 0 * near", "search/retrieve"
    ),
    Mutation("ranking", SCREENS, "others += near", "others += 0 * near", "search/retrieve"),
    # Proposed papers come first at empty citations alone.
    Mutation(
        "sets",
        FINISHING,
        "if answer.scoped.query.member_ids else",
        "if False else",
        "ranking/test_finishing.py",
    ),
    # Proposed papers come before those that the author names.
    Mutation(
        "sets", FINISHING, "(answer.named, proposed)", "(proposed, answer.named)", "ranking/test_finishing.py"
    ),
    # A citation that may be complete gets a paper as easily as one that lacks some.
    Mutation("sets", f"{SETS}selection.py", "else max(least, SURE)", "else least", "ranking/sets"),
    # Any number of papers is proposed.
    Mutation("sets", f"{SETS}selection.py", "< min(most, len(", "< min(99, len(", "ranking/sets"),
    # A credited paper keeps the score of another list.
    Mutation(
        "ranking",
        "ranking/explain/credits.py",
        "replace(suggestion, score=first.score)",
        "suggestion",
        "ranking/explain/test_credits.py",
    ),
    # Papers that alone fit come before those that are named for certain.
    Mutation(
        "answers",
        "answers/named_first.py",
        "0 if resolution.certain else 1",
        "2 if resolution.certain else 1",
        "answers/test_named_first.py",
    ),
    # A note that names a paper for certain needs the probability, too.
    Mutation(
        "answers",
        "answers/edits.py",
        "if any(named.certain for named in naming)",
        "if not naming and any(named.certain for named in naming)",
        "answers/test_named_first.py",
    ),
    # Papers two years apart are one paper.
    Mutation(
        "merging",
        "text/traits.py",
        "abs(one.year - other.year) <= 1",
        "abs(one.year - other.year) <= 2",
        "text/test_dedupe.py",
    ),
    # Half of the words of a title are not enough.
    Mutation(
        "merging",
        f"{LIBRARY}groups.py",
        "2 * len(title & titles[other]) >= len(titles[other])",
        "2 * len(title & titles[other]) > len(titles[other])",
        ALIKE,
    ),
    # Of two records of a paper, the empty field wins.
    Mutation(
        "merging",
        "text/dedupe.py",
        "        if _is_empty(getattr(first, name)):",
        "        if not _is_empty(getattr(first, name)):",
        "text/test_dedupe.py",
    ),
    # Papers clash that have the same DOI.
    Mutation(
        "merging",
        "text/dedupe.py",
        "return old.doi != new.doi",
        "return old.doi == new.doi",
        "text/test_dedupe.py",
    ),
    # A weak record replaces a strong one under the same id.
    Mutation(
        "merging", f"{LIBRARY}staging.py", "min(weak) OVER (PARTITION BY id), id, weak", "id, weak", STORE
    ),
    # A changed record of a known paper is not taken.
    Mutation(
        "merging",
        f"{LIBRARY}adding.py",
        "if before is not None and before.data == staged.data:",
        "if before is not None:",
        STORE,
    ),
    # Another paper under a known id replaces it.
    Mutation(
        "merging", f"{LIBRARY}adding.py", "if not (clash(known, paper) or (", "if not (False or (", STORE
    ),
    # What was removed in earlier segments is there again.
    Mutation(
        "index",
        "search/index/segments.py",
        "later = [gone, *segments",
        "later = [gone[:0], *segments",
        "search/index/local/test_refresh.py",
    ),
    # An index of another library is believed.
    Mutation(
        "index",
        f"{LOCAL}engine.py",
        "state.generation >= wanted and follows(state, library)",
        "state.generation >= wanted",
        "search/index/local/test_refresh.py",
    ),
    # Removed papers keep their vectors.
    Mutation(
        "index",
        f"{LOCAL}vectors.py",
        "codes[[number for number in collection.removed(library, since) if number < rows]] = 0",
        "pass",
        "search/index/local/test_dense.py",
    ),
    # A draft that has changed since is edited.
    Mutation(
        "session",
        "session/draft_session.py",
        "manuscript is not self._answered",
        "manuscript is self._answered and False",
        "session/test_draft_session.py",
    ),
    # A draft is not read again when a file changes.
    Mutation(
        "session",
        "session/draft_session.py",
        "not self._fixed and (changed := self._files.changed())",
        "self._fixed and (changed := self._files.changed())",
        "session/test_draft_session.py",
    ),
    # A file that changed while its edit was made is overwritten.
    Mutation(
        "patch",
        "drafts/edit/patch.py",
        "!= change.before:\n                    raise EditConflictError(",
        "!= change.before and False:\n                    raise EditConflictError(",
        "drafts/edit/test_patch.py",
    ),
)
"""In a comment above each: what becomes wrong."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    rooms = sorted({mutation.room for mutation in MUTATIONS})
    parser.add_argument("--room", action="append", choices=rooms, help="only mutations of this room")
    parser.add_argument("--number", action="append", type=int, help="only the mutation with this number")
    given = parser.parse_args()
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        for number, mutation in enumerate(MUTATIONS, 1):
            if mutation.room in (given.room or rooms) and number in (given.number or [number]):
                begun = time.monotonic()
                test = failing_test(copy, mutation)
                survived += not test
                spent = f"{time.monotonic() - begun:.0f} s"
                print(f"{number:>2} {spent:>5}  {mutation.file}: {mutation.before}", flush=True)
                print(f"           {f'caught by {test}' if test else 'SURVIVED'}", flush=True)
    print(f"{survived} survived")
    return int(survived > 0)


def copied(folder: Path) -> Path:
    """Copies the tree into `folder`, and returns this."""
    for name in TREE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    return folder


def failing_test(copy: Path, mutation: Mutation) -> str:
    """Applies the mutation in the `copy` of the tree, runs its tests until one fails, and takes it back.

    Returns the name of the test; empty if all pass. Raises ValueError for a mutation that does not fit the
    file, and for tests that could not be run.
    """
    file = copy / "src" / "citewhy" / mutation.file
    text = file.read_text(encoding="utf-8")
    if text.count(mutation.before) != 1:
        raise ValueError(f"{mutation.file} has “{mutation.before}” {text.count(mutation.before)} times")
    file.write_text(text.replace(mutation.before, mutation.after), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, str(copy / "tests" / mutation.tests)],
            cwd=copy,
            env=environment,
            timeout=MOST_SECONDS,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        return f"one that ran for more than {MOST_SECONDS} s"
    finally:
        file.write_text(text, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise ValueError(f"the tests of {mutation.tests} could not be run: {done.stdout[-2000:]}")
    failed = done.stdout.partition("FAILED ")[2].split()
    return failed[0] if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
