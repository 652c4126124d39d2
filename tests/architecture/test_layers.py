"""Imports go downwards only, and in no circle; imports inside functions count as imports."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import caesura

ROOT = Path(caesura.__file__).parent

# Low to high, as the design has it; a module may import its own layer and those below.
LAYERS = {
    part: level
    for level, parts in enumerate(
        [
            "errors _version",
            "segmentation corpus declare table results files limits later strict_json strict_npy batches units kernels placements foreign annotations",
            "formats metrics encoders statistics",
            "datasets scorers selectors",
            "segmenters",
            "evaluation",
            "tuning training",
            "demo integrations scale",
            "reports",
            "explorer",
            "annotate",
            "cli",
            "__main__",
        ]
    )
    for part in parts.split()
}
PLUMBING = 1
# Packages of one layer are strangers to each other, except the plumbing of layer 1 and what is said here.
SAME_LAYER = {("selectors", "scorers")}


def modules() -> dict[str, Path]:
    """Return every module of the package by name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ["caesura", *path.relative_to(ROOT).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()
TREES = {name: ast.parse(path.read_text()) for name, path in MODULES.items()}
NODES = {name: list(ast.walk(tree)) for name, tree in TREES.items()}


@functools.cache
def imports(name: str) -> tuple[tuple[str, int], ...]:
    """Return the modules of this package that a module imports, anywhere in its text, with the line."""
    return tuple(_imports(name))


def _imports(name: str) -> Iterator[tuple[str, int]]:
    typing_only = {
        id(inner)
        for node in NODES[name]
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in NODES[name]:
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name.split(".")[0] == "caesura")
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


def test_the_table_for_contributors_has_the_same_layers() -> None:
    page = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    shown = {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert shown == {name: level for name, level in LAYERS.items() if not name.startswith("_")}
    for own, other in SAME_LAYER:
        assert f"`{own}` may import `{other}`" in page


def test_imports_go_downwards() -> None:
    for name in MODULES:
        own = part(name)
        for target, line in imports(name):
            other = part(target)
            if own == "":
                # The root is lazy: it may name nothing but the version when it is imported.
                assert other == "_version", f"{name}:{line} imports {target}"
            elif other not in ("", own):
                assert LAYERS[other] <= LAYERS[own], f"{name}:{line} imports {target}, which lies higher"
                if LAYERS[other] == LAYERS[own] > PLUMBING:
                    assert (own, other) in SAME_LAYER, f"{name}:{line} imports {target} of its own layer"


def test_declare_imports_no_family() -> None:
    for name in MODULES:
        if part(name) == "declare":
            assert {part(target) for target, _ in imports(name)} <= {"errors", "declare"}


def test_kernels_know_nothing_of_metrics() -> None:
    for name in MODULES:
        if part(name) == "kernels":
            known = {part(target) for target, _ in imports(name)}
            assert known <= {"", "errors", "later", "declare", "batches", "segmentation", "kernels"}


def test_there_is_no_circle() -> None:
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for name in MODULES:
        for target, _ in imports(name):
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
    """Neither a private name nor a private module, whose path has a part that begins with an underscore."""
    for name, nodes in NODES.items():
        for node in nodes:
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("caesura."):
                continue
            if part(str(node.module)) != part(name):
                steps = [*str(node.module).split("."), *(alias.name for alias in node.names)]
                steps = [step for step in steps if step != "_version"]
                private = [step for step in steps if step.startswith("_") and not step.startswith("__")]
                assert not private, f"{name}:{node.lineno} takes {private} from {node.module}"
