"""Imports go downwards only, and in no circle; imports inside functions count as imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import caesura

ROOT = Path(caesura.__file__).parent

# Low to high, as the design has it; a module may import its own layer and those below.
LAYERS = {
    "errors": 0,
    "_version": 0,
    "_cython": 0,
    "segmentation": 1,
    "corpus": 1,
    "flat": 1,
    "pairs": 1,
    "panel": 1,
    "embedded": 1,
    "declare": 1,
    "quantity": 1,
    "chunks": 1,
    "texts": 1,
    "projection": 1,
    "results": 1,
    "table": 1,
    "kernels": 1,
    "formats": 2,
    "metrics": 2,
    "encoders": 2,
    "statistics": 2,
    "data": 3,  # reads its files through the formats
    "scorers": 3,
    "selectors": 3,
    "segmenters": 4,
    "evaluation": 5,
    "experiments": 6,
    "reports": 7,
    "explorer": 8,
    "cli": 8,
    "__main__": 9,
}
# Packages of one layer are strangers to each other, except the single modules of layer 1 and what is said here.
SAME_LAYER = {("selectors", "scorers"), ("cli", "explorer")}


def modules() -> dict[str, Path]:
    """Return every module of the package by name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ["caesura", *path.relative_to(ROOT).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(name: str) -> Iterator[tuple[str, int]]:
    """Yield the modules of this package that a module imports, anywhere in its text, with the line."""
    tree = ast.parse(MODULES[name].read_text())
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (
                (alias.name, node.lineno) for alias in node.names if alias.name.split(".")[0] == "caesura"
            )
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno} imports relatively"
            if node.module is not None and node.module.split(".")[0] == "caesura":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield (inner if inner in MODULES else node.module), node.lineno


def part(name: str) -> str:
    """Return the file or package directly under caesura that a module belongs to."""
    return name.split(".")[1] if "." in name else ""


def test_every_part_has_a_layer() -> None:
    parts = {part(name) for name in MODULES} - {""}
    assert parts <= set(LAYERS), f"no layer for {sorted(parts - set(LAYERS))}"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_go_downwards(name: str) -> None:
    own = part(name)
    for target, line in imports(name):
        other = part(target)
        if own == "":
            # The root is lazy: it may name nothing but the version when it is imported.
            assert other == "_version", f"{name}:{line} imports {target}"
        elif other not in ("", own):
            assert LAYERS[other] <= LAYERS[own], f"{name}:{line} imports {target}, which lies higher"
            if LAYERS[other] == LAYERS[own] and LAYERS[own] > 1:
                assert (own, other) in SAME_LAYER, f"{name}:{line} imports {target} of its own layer"


def test_declare_imports_no_family() -> None:
    assert {part(target) for target, _ in imports("caesura.declare")} == {"errors"}


def test_kernels_know_nothing_of_metrics() -> None:
    for name in MODULES:
        if part(name) == "kernels":
            known = {part(target) for target, _ in imports(name)}
            assert known <= {"", "_cython", "corpus", "flat", "pairs", "panel", "segmentation", "kernels"}


def test_there_is_no_circle() -> None:
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for name in MODULES:
        for target, _ in imports(name):
            # A kernel that falls back on `caesura._cython` names the lazy root, which imports nothing.
            if target in MODULES and target not in (name, "caesura"):
                graph[name].add(target)
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, "circle: " + " -> ".join((*path[path.index(name) :], name))
        if name not in done:
            for target in sorted(graph[name]):
                visit(target, (*path, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


def test_nothing_private_is_borrowed_from_another_part() -> None:
    for name in MODULES:
        for node in ast.walk(ast.parse(MODULES[name].read_text())):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("caesura."):
                continue
            if part(str(node.module)) != part(name):
                private = [
                    a.name for a in node.names if a.name.startswith("_") and not a.name.startswith("__")
                ]
                assert not private, f"{name}:{node.lineno} takes {private} from {node.module}"
