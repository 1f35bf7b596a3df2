"""Papers for one sentence, and why. Another sentence may be given in quotes.

    $ python examples/one_sentence.py
    Attention Is All You Need (2017)
        …
    …

Scores and passages are in each suggestion too: docs/data.md.
"""

import sys

from citewhy import Session

SENTENCE = "Translation needs attention alone, without recurrence or convolution."


def main(sentence: str = SENTENCE) -> None:
    with Session() as session:  # your own library, or the starter library until you have one
        for suggestion in session.suggest(sentence, k=3):
            print(f"{suggestion.paper.title} ({suggestion.paper.year})")
            for reason in suggestion.reasons:
                print(f"    {reason.text}")


if __name__ == "__main__":
    main(*sys.argv[1:])
