"""QPCR: papers for a paragraph from its topic sentence (Medić and Šnajder 2023)."""
