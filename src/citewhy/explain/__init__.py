"""Why a paper is suggested: reasons that a person can check against the library."""

from citewhy.explain.suggestions import explain
from citewhy.explain.support import Support

__all__ = ["Support", "explain"]
