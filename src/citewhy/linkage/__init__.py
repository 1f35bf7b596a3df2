"""Citation linkage: which sentences of a paper does a citing sentence mean, and what do they say?"""

from citewhy.linkage.linker import Linker, default_linker

__all__ = ["Linker", "default_linker"]
