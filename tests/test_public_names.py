"""The public names: listed once for people and type checkers, imported when they are wanted, and always themselves."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import texsamp

SOURCE = Path(texsamp.__file__).read_text()


def names_for_type_checkers() -> dict[str, str]:
    """Module by name, as the source imports them for type checkers alone."""
    blocks = [node for node in ast.parse(SOURCE).body if isinstance(node, ast.If)]
    (block,) = (node for node in blocks if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def test_every_name_is_in_all_lists_with_its_module() -> None:
    places = {name: place for name, place in texsamp._PLACE_OF.items()}
    assert names_for_type_checkers() == places
    assert sorted(places) == sorted(texsamp.__all__)
    for name in texsamp.__all__:
        assert getattr(texsamp, name) is getattr(sys.modules[places[name]], name)


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def test_the_package_alone_imports_nothing() -> None:
    loaded = run("import sys, texsamp\nprint(*sys.modules)").split()
    assert not {"numpy", "av"} & set(loaded)
    assert not [name for name in loaded if name.startswith("texsamp.")]


@pytest.mark.parametrize("name", ["batch", "plan", "process", "progress", "verify"])
def test_functions_named_like_their_modules_stay_functions(name: str) -> None:
    imports = f"import texsamp, texsamp.{name}, texsamp.view\nfrom texsamp.{name} import *\n"
    assert run(f"{imports}print(texsamp.{name}.__name__)") == name
    first = f"from texsamp import {name}\nimport texsamp.{name}\n"
    assert run(f"{first}print({name}.__name__, texsamp.{name} is {name})") == f"{name} True"


def test_parts_are_there_without_an_import_of_their_own() -> None:
    parts = run("import texsamp\nprint(texsamp.io.VideoReader.__name__, texsamp.errors.__name__)")
    assert parts == "VideoReader texsamp.errors"
    assert run("from texsamp import *\nprint(process.__name__, Surface.__name__)") == "process Surface"


def test_names_that_are_none_are_told() -> None:
    with pytest.raises(AttributeError, match="module 'texsamp' has no attribute 'sharpen'"):
        texsamp.sharpen  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(texsamp, "__wrapped__")
    assert {*texsamp.__all__, "__version__"} <= {*dir(texsamp), "__version__"}


def test_what_registers_when_imported_is_found(tmp_path: Path) -> None:
    """Filters of FFmpeg and texture files come from a part that nobody has imported yet."""
    assert run("from texsamp.video.pipeline import Pipeline\nprint(Pipeline.parse('hflip', 'cpu').stages[0])")
    texture = str(tmp_path / "a.dds")
    make = "import numpy as np\nfrom texsamp.surface.surface import Surface\n"
    make += "Surface.from_array(np.zeros((4, 4, 4), np.uint8), format='R8G8B8A8_UNORM', device='cpu')"
    run(f"{make}.save({texture!r})")
    assert run(f"import texsamp as ts\nprint(ts.Surface.open({texture!r}, device='cpu').format)") == "R8G8B8A8_UNORM"
