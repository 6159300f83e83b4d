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


def lists_by_accident(page: str) -> Iterator[str]:
    """Lines of paragraphs and of items that Markdown takes for items: "of levels up to / 44. Above it is slower"."""
    number = 0
    for block in re.split(r"\n(?: *\n)+", re.sub(r"```.*?```", "", page, flags=re.DOTALL)):
        inside = block.startswith("  ")  # an item goes on
        for place, line in enumerate(block.split("\n")):
            item = re.match(r" {0,3}(?:([-+*>])|(\d+)\.)\s", line)
            if item:
                begins = place == 0 or (inside and item[2] in (None, str(number + 1)))
                if not begins:
                    yield line
                inside, number = True, int(item[2] or number)


def length(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def test_sentences_are_short():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    found = {page: list(sentences(page.read_text(encoding="utf-8"))) for page in pages}
    assert sum(map(len, found.values())) > 3000
    for page, of_it in found.items():
        long = [" ".join(each.split()) for each in of_it if length(each) > WORDS]
        assert not long, page.name


def test_no_line_of_a_paragraph_begins_a_list():
    for page in (ROOT / "docs").rglob("*.md"):
        assert not list(lists_by_accident(page.read_text(encoding="utf-8"))), page.name


def test_lists_by_accident_are_told_from_lists():
    assert list(lists_by_accident("as up to\n44. Above it is\n\n6. A sum is\n   16. It\n")) == [
        "44. Above it is",
        "   16. It",
    ]
    assert not list(lists_by_accident("- a\n- b\n   - c\n\n1. d\n   e\n2. f\n\n    - g\n"))


def test_words_are_counted_as_people_do():
    page = "# Not a title\n\nOne `two words` three. Four\nfive: six\n\n- a b\n- c\n\n| d | e |\n\n```\nf g\n```\n"
    assert [length(each) for each in sentences(page) if length(each)] == [3, 2, 1, 2, 1]
