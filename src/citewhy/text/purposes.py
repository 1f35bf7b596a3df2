"""Words that tell what a work is cited for: to go on with it later, because it moved the authors, to extend,
compare or use it.

Jurgens et al. (2018) read citation functions by such lists, after Teufel (2010); these lists are our own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "future": r"future|further (?:work|research|investigation|study|studies)|plan(?:s|ning)? to|intend\w*"
    r"|(?:will|would|could|might) be|would like|hope|worth\w*|interesting to|in the long\w*|remains?|leave"
    r"|left for|currently (?:working|investigating|exploring|developing)",
    "motivation": r"motivat\w*|inspir\w*|encourag\w*|importan\w+|crucial|essential|suggest\w*",
    "extension": r"exten[ds]\w*|modif\w+|adapt\w*|buil(?:d|ds|t|ding)|based on|improv\w+|refin\w+"
    r"|previous(?:ly)?|earlier|our prior",
    "comparison": r"similar\w*|unlike|contrast\w*|compar\w+|differ\w*|however|than|in line|same|whereas|while"
    r"|like|better|worse|outperform\w*",
    "use": r"us(?:e[ds]?|ing)|employ\w*|adopt\w*|appl(?:y|ied|ies|ying)|implement\w*|trained|follow\w*"
    r"|corp(?:us|ora)|tool\w*|parser|tagger|treebank|package|software|library",
}
_PATTERNS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _WORDS.items()}


def purposes(text: str) -> list[str]:
    """Returns the names of the purposes for which a word stands in `text`.

    >>> purposes("We extend the parser of Collins, and leave its training for future work.")
    ['future', 'extension', 'use']
    """
    return [name for name, pattern in _PATTERNS.items() if pattern.search(text)]
