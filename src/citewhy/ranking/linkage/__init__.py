"""Citation linkage: to which sentences of a paper does a citing sentence refer, and what is the paper cited
for?"""

from citewhy.ranking.linkage.folder import default_linker, open_linker
from citewhy.ranking.linkage.linker import Link, Linker

__all__ = ["Link", "Linker", "default_linker", "open_linker"]
