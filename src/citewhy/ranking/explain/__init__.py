"""Why a paper is suggested: reasons that a person can check against the library."""

from citewhy.ranking.explain.suggestions import explain
from citewhy.ranking.explain.support import Support

__all__ = ["Support", "explain"]
