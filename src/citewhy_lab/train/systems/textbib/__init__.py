"""TEXTBIB, the local citation recommendation model of Medić (2023), chapters 4 and 5."""
