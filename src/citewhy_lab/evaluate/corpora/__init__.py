"""Formats of corpora that only research uses. `citewhy add` reads them by entry points of the group
``citewhy.formats``."""
