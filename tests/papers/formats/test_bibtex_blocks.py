"""The blocks of BibTeX files are those that bibtexparser finds, whichever way an entry is read."""

import random

import pytest
from bibtexparser.model import (
    Block,
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    Entry,
    ImplicitComment,
    ParsingFailedBlock,
    String,
)
from bibtexparser.splitter import Splitter

from citewhy.text.bibtex_blocks import BrokenBlock, CommentBlock, EntryBlock, MacroBlock, blocks

PIECES = [
    "@article{key1,\n  title = {A {Nested {Title}} here},\n  year = 2001,\n  month = jan\n}\n",
    '@InProceedings {key2, author = "M{\\"u}ller and {Lee}", booktitle = "Proc. of " # acl # { 3},}\n',
    "@misc{key3, note = {mail@example.org, 50\\% of \\emph{all}}, url={http://x.y/z?a=b}}",
    "@book(key4, title = {Round})\n",
    "@string{acl = {Association}}\n",
    "@comment{ anything {nested} }\n",
    '@preamble{ "\\newcommand{\\x}{y}" }\n',
    "Some text between entries, with an at @ sign and a brace {.\n",
    "% @article{gone, title={Commented out}}\n",
    "@article{broken, title = {never closed,\n  year = 1999\n",
    "@article{escaped, title = {a \\{ b}, year = 2000}\n",
    "@article{twice, title = {a}, title = {b}}\n",
    "@article{key1, title = {Again}}\n",
    "@article{nocomma title = {x}}\n",
    "@article{ }\n",
    "@article{only}\n",
    '@article{quoted, title = "a {"}quoted{"} word", x = "}"}\n',
    "@article{at, title = {x\n@ y},\n abstract = {\n@inner{z}}}\n",
    "@article{deep, title = {{{{{{{{a}}}}}}}}}\n",
    "  @misc{indented, title={x}} @misc{behind, title={y}}\n",
    "@misc{schl\u00fcssel, title={\u00dcber}, year = {2001}\r\n}\r\n",
    "@misc{backslash, title = {ends \\\nhere}}\n",
    "\n\n",
]


def of_parser(text: str) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for given in Splitter(text).split().blocks:
        line = (given.start_line or 0) + 1
        block: Block | None = given
        while isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
            block = block.ignore_error_block
        if isinstance(block, Entry):
            fields = [(field.key, field.value) for field in block.fields]
            found.append(("entry", line, block.entry_type.strip(), block.key, fields, block.raw))
        elif isinstance(block, String):
            found.append(("macro", line, block.key, block.value))
        elif isinstance(block, ParsingFailedBlock):
            found.append(("broken", line, block.raw))
        elif isinstance(block, ImplicitComment):
            found.append(("comment", line, block.comment))
    return found


def of_ours(text: str) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for block in blocks(text, "some.bib"):
        if isinstance(block, EntryBlock):
            fields = [(field.name, field.expression) for field in block.fields]
            raw = text[block.start : block.end]
            found.append(("entry", block.line, block.kind, block.key, fields, raw))
        elif isinstance(block, MacroBlock):
            found.append(("macro", block.line, block.name, block.expression))
        elif isinstance(block, BrokenBlock):
            found.append(("broken", block.line, block.raw))
        elif isinstance(block, CommentBlock):
            found.append(("comment", block.line, block.text))
    return found


def without_lines(found: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [(block[0], *block[2:]) for block in found]


@pytest.mark.parametrize("piece", PIECES)
def test_each_kind_of_block_is_read_as_the_parser_reads_it(piece: str) -> None:
    """Entries of both ways, macros, comments and broken blocks have the parser's texts and fields."""
    text = f"@misc{{before, title={{x}}}}\n{piece}@misc{{after, title={{y}}}}\n"
    assert without_lines(of_ours(text)) == without_lines(of_parser(text))


@pytest.mark.parametrize("seed", range(150))
def test_files_of_all_kinds_of_blocks(seed: int) -> None:
    """Blocks in any order, with characters removed or inserted, are those of the parser, which refuses an
    equals sign in a key."""
    chance = random.Random(seed)
    text = "".join(chance.choices(PIECES, k=chance.randint(2, 9)))
    for _ in range(chance.randint(0, 6)):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice('{}",=@\\\n# a') + text[at + chance.randint(0, 1) :]
    ours = of_ours(text)
    if not any(block[0] == "entry" and "=" in str(block[3]) for block in ours):
        assert without_lines(ours) == without_lines(of_parser(text)), text


def test_lines_are_those_of_the_file() -> None:
    """A backslash before a line end does not make all lines after it wrong, as it does with the parser."""
    text = "@misc{a, title = {x \\\n y}}\ntext\n@book(b, title = {z})\n@misc{c, title = {u}}\n"
    assert [(block[0], block[1]) for block in of_ours(text)] == [
        ("entry", 1),
        ("comment", 3),
        ("entry", 4),
        ("entry", 5),
    ]


def test_what_a_value_means_is_known_where_it_is_one() -> None:
    """Numbers, and single values in braces or quotation marks, need no evaluation; macros and sums do."""
    (block,) = blocks('@misc{a, b={x}, c="y", d=2001, e=jan, f={x} # "y"}', "some.bib")
    assert isinstance(block, EntryBlock)
    assert [field.latex for field in block.fields] == ["x", "y", "2001", None, None]
