"""The default linker: which sentences of a paper a citing sentence means."""
