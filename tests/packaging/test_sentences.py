"""Pages are written in short sentences."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = 30
"""The most in a sentence, up to a period, a colon or a semicolon."""
_APART = re.compile(r"```.*?```|<!--.*?-->|\]\([^)]*\)", re.DOTALL)
_BREAK = re.compile(r"^(?=\||#|!\[|<|:::| {4})|^ *(?:[-*]|\d+\.)\s", re.MULTILINE)


def sentences(page: str) -> Iterator[str]:
    """Those of the prose and of items of lists; code is one word."""
    text = re.sub(r"`[^`]*`", "x", _APART.sub("", page))
    for block in re.split(r"\n\s*\n", _BREAK.sub("\n\n", text)):
        if not block.lstrip().startswith(("|", "#", "![", "<", ":::")):
            yield from re.split(r"(?<=[.!?:;])[)\"*]*\s+", block)


def length(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def test_sentences_are_short():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    found = {page: list(sentences(page.read_text(encoding="utf-8"))) for page in pages}
    assert sum(map(len, found.values())) > 3000
    for page, of_it in found.items():
        long = [" ".join(each.split()) for each in of_it if length(each) > WORDS]
        assert not long, page.name


def test_words_are_counted_as_people_do():
    page = "# Not a title\n\nOne `two words` three. Four\nfive: six\n\n- a b\n- c\n\n| d | e |\n\n```\nf g\n```\n"
    assert [length(each) for each in sentences(page) if length(each)] == [3, 2, 1, 2, 1]
