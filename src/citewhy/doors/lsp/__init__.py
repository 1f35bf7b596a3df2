"""The language server: what to cite, while one writes, in every editor that speaks its protocol."""
