"""Which tests may be skipped: found by reading what a test calls, without running it."""

import ast
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
_SKIPPING = {"skip", "skipif", "importorskip", "xfail", "gpu"}
"""Names after a dot that skip a test, or the tests of a file: of pytest, or marks that leave a test out."""


class _File:
    """Definitions of a file of tests by name, what it imports from tests/, and what it applies to all its tests."""

    def __init__(self, path: Path) -> None:
        nodes: dict[str, ast.AST] = {}
        self.imported: dict[str, tuple[Path, str]] = {}
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                nodes[node.name] = node
            elif isinstance(node, ast.Assign):
                nodes |= {name.id: node for name in node.targets if isinstance(name, ast.Name)}
            elif isinstance(node, ast.ImportFrom) and node.module:
                source = TESTS.joinpath(*node.module.split(".")).with_suffix(".py")
                if source.is_file():
                    self.imported |= {alias.asname or alias.name: (source, alias.name) for alias in node.names}
        self.words = {name: _words(node) for name, node in nodes.items()}
        self.skipping = {name for name, node in nodes.items() if _skips(node)}
        self.for_all = [name for name, node in nodes.items() if name == "pytestmark" or _is_autouse(node)]


def _words(node: ast.AST) -> set[str]:
    """Names that a definition uses, its fixtures among them."""
    parts = list(ast.walk(node))
    return {part.id for part in parts if isinstance(part, ast.Name)} | {
        part.arg for part in parts if isinstance(part, ast.arg)
    }


def _skips(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _SKIPPING for part in ast.walk(node))


def _is_autouse(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        "autouse=True" in ast.unparse(each) for each in node.decorator_list
    )


_read = cache(_File)


@cache
def may_skip(path: Path, name: str) -> bool:
    """Whether a test skips itself, or calls, or has a fixture or mark, that does."""
    above = [folder / "conftest.py" for folder in path.parents if TESTS in (folder, *folder.parents)]
    conftests = [each for each in above if each.is_file()]
    waiting = [(path, name), *((file, each) for file in (path, *conftests) for each in _read(file).for_all)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        file, word = place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        known = _read(file)
        if word in known.skipping:
            return True
        if word in known.imported:
            waiting.append(known.imported[word])
        elif word in known.words:
            waiting += [(file, each) for each in known.words[word]]
        else:
            waiting += [(each, word) for each in conftests if each != file and word in _read(each).words]
    return False
