"""Papers for one sentence, and why. Another sentence may be given in quotes.

    $ python examples/one_sentence.py
    Attention Is All You Need (2017)
        …
    …

Scores and passages are in each suggestion too: docs/data.md.
"""

import sys

from citewhy import Query, Recommender, open_library

SENTENCE = "Translation needs attention alone, without recurrence or convolution."


def main(sentence: str = SENTENCE) -> None:
    with open_library() as library:  # your own, or the starter library if you have none
        for suggestion in Recommender(library).suggest(Query("local", text=sentence), k=3):
            print(f"{suggestion.paper.title} ({suggestion.paper.year})")
            for reason in suggestion.reasons:
                print(f"    {reason.text}")


if __name__ == "__main__":
    main(*sys.argv[1:])
