"""The public face: every `__all__` sorted, complete and documented; the package light to import."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import caesura
from tests.architecture.test_layers import NODES, TREES

ALLOWED_AT_IMPORT = {"numpy", "msgspec", "caesura", "cython_runtime"}  # the last comes with compiled kernels


def declared(name: str) -> list[str] | None:
    """Return the `__all__` of a module, or None if it has none."""
    for node in TREES[name].body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return caesura.__all__ if name == "caesura" else ast.literal_eval(node.value)
    return None


WITH_LIST = sorted(name for name in TREES if declared(name) is not None)


def test_list_is_sorted_and_without_repetition() -> None:
    for name in WITH_LIST:
        names = declared(name)
        assert names is not None
        # As ruff sorts it: constants, then classes, then the rest.
        kinds = [(0 if n.isupper() and len(n) > 1 else 1 if n[0].isupper() else 2, n) for n in names]
        assert kinds == sorted(kinds) or names == sorted(names)
        assert len(set(names)) == len(names)


def test_list_is_true() -> None:
    for name in WITH_LIST:
        module = importlib.import_module(name)
        for public in declared(name) or []:
            assert hasattr(module, public), f"{name} has no {public}"
            assert not public.startswith("_") or public == "__version__"


@functools.cache
def _shared() -> frozenset[tuple[str, str]]:
    """Return the (module, name) pairs that other modules of the package import by name."""
    return frozenset(
        (node.module, alias.name)
        for nodes in NODES.values()
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    )


def test_list_is_complete() -> None:
    """Every class and function that a module defines without an underscore is in its list, or shared inside the package.

    `Parameter` is what `parameters` returns and is made by nobody else.
    """
    for name in [name for name in WITH_LIST if name != "caesura"]:
        listed = {*(declared(name) or []), "Parameter"}
        for node in TREES[name].body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                assert node.name in listed or (name, node.name) in _shared(), f"{name}.{node.name} is not in __all__"


def test_public_names_are_documented() -> None:
    for name in WITH_LIST:
        module = importlib.import_module(name)
        assert inspect.getdoc(module)
        for public in declared(name) or []:
            thing = getattr(module, public)
            # A decorator that click makes is a value of ours, not a function.
            ours = getattr(thing, "__module__", "").startswith("caesura")
            if ours and (inspect.isclass(thing) or inspect.isfunction(thing)):
                assert inspect.getdoc(thing), f"{name}.{public} has no docstring"


def test_the_face_is_what_it_says() -> None:
    assert sorted(caesura.__all__, key=str) == sorted(dir(caesura))
    for name in caesura.__all__:
        assert getattr(caesura, name) is not None
    with pytest.raises(AttributeError, match="module 'caesura' has no attribute 'evaluete'"):
        caesura.evaluete  # noqa: B018


def test_every_lazy_name_is_public_and_typed() -> None:
    """The names for type checkers, the lazy homes and `__all__` are one list."""
    tree = ast.parse(Path(caesura.__file__).read_text())
    typed = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "caesura._version"
        for alias in node.names
        if alias.asname
    }
    assert typed == set(caesura._HOMES) == set(caesura.__all__) - {"__version__"}


@pytest.mark.parametrize("statement", ["import caesura", "import caesura; caesura.Segmentation(3)"])
def test_import_loads_only_numpy_and_msgspec(statement: str) -> None:
    before = "import sys; before = set(sys.modules)\n"
    after = (
        "\nimport json\n"
        "top = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "print(json.dumps(sorted(t for t in top if t not in sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", before + statement + after], capture_output=True, text=True, check=True
    )
    assert set(json.loads(done.stdout)) - {n for n in json.loads(done.stdout) if n.startswith("_")} <= ALLOWED_AT_IMPORT


def test_import_of_the_metrics_loads_only_numpy_and_msgspec() -> None:
    """Third parties of the core come in where they are used; Cython's shadow module stands in when it is there."""
    code = (
        "import sys, json; before = set(sys.modules)\n"
        "import caesura.metrics\n"
        "top = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "print(json.dumps(sorted(t for t in top if t not in sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in json.loads(done.stdout) if not name.startswith("_")}
    assert loaded <= ALLOWED_AT_IMPORT | {"cython", "Cython"}
