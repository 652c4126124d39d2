"""Docstrings and type annotations at 100 %, counted in the source; kernels are typed by the stub beside them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tests.architecture.test_layers import MODULES, NODES, TREES

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public(name: str) -> bool:
    """Say whether a name is for others."""
    return not name.startswith("_")


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.ClassDef | Function]]:
    """Yield the classes and functions of a module with their dotted names; not what is inside functions."""
    pending: list[tuple[str, ast.AST]] = [("", tree)]
    while pending:
        prefix, parent = pending.pop()
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.ClassDef | Function):
                yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                pending.append((f"{prefix}{node.name}.", node))
            elif isinstance(node, ast.If | ast.Try):
                pending.append((prefix, node))


def unannotated(function: Function) -> list[str]:
    """Return the arguments without a type, and "return" if that is missing."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    every += [extra for extra in (function.args.vararg, function.args.kwarg) if extra is not None]
    missing = [a.arg for a in every if a.annotation is None and a.arg not in ("self", "cls")]
    return missing + (["return"] if function.returns is None else [])


def is_kernel(name: str) -> bool:
    """Say whether a module is a kernel file, typed for the compiler and by its stub."""
    return name.startswith("caesura.kernels.") and not name.startswith("caesura.kernels._")


def test_docstrings() -> None:
    for name in sorted(MODULES):
        tree = TREES[name]
        assert ast.get_docstring(tree), f"{name} has no docstring"
        for dotted, node in definitions(tree):
            if all(public(piece) for piece in dotted.split(".")) and not _is_overload(node):
                assert ast.get_docstring(node), f"{name}.{dotted} has no docstring"


def _is_overload(node: ast.AST) -> bool:
    return any("overload" in ast.unparse(d) for d in getattr(node, "decorator_list", []))


def test_annotations() -> None:
    for name in sorted(name for name in MODULES if not is_kernel(name)):
        for node in NODES[name]:
            if isinstance(node, Function):
                assert not unannotated(node), f"{name}:{node.lineno} {node.name} lacks {unannotated(node)}"


def test_kernels_are_typed_by_their_stub() -> None:
    for name in sorted(name for name in MODULES if is_kernel(name)):
        source = TREES[name]
        stub = ast.parse(MODULES[name].with_suffix(".pyi").read_text())
        typed = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
        ours = {node.name: node for node in source.body if isinstance(node, ast.FunctionDef) and public(node.name)}
        assert set(typed) == set(ours)
        for function, node in ours.items():
            assert [a.arg for a in typed[function].args.args] == [a.arg for a in node.args.args]
            assert not unannotated(typed[function])
        constants = {node.targets[0].id for node in source.body if isinstance(node, ast.Assign) and _is_constant(node)}
        declared = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
        assert constants == declared


def _is_constant(node: ast.Assign) -> bool:
    """Say whether an assignment makes a public constant; a name for a C type is none."""
    named = isinstance(node.targets[0], ast.Name) and public(node.targets[0].id)
    return named and not ast.unparse(node.value).startswith("cython.typedef(")


def test_no_assert_for_user_input_and_no_bare_raise() -> None:
    """An assert vanishes under -O; an exception class without a message says nothing."""
    for name in sorted(MODULES):
        for node in NODES[name]:
            assert not isinstance(node, ast.Assert), f"{name}:{node.lineno} asserts"
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                silent = not node.exc.args and not node.exc.keywords
                assert not silent, f"{name}:{node.lineno} raises without a message"


def test_licence_line() -> None:
    for name in sorted(MODULES):
        assert MODULES[name].read_text().startswith("# SPDX-License-Identifier: Apache-2.0\n")


def test_sizes() -> None:
    """Modules stay readable: 95 of 100 have at most 350 lines, and no folder more than 25 files but two."""
    lengths = sorted(len(path.read_text().splitlines()) for path in MODULES.values())
    assert lengths[int(0.95 * len(lengths))] <= 350
    folders = Counter(path.parent for path in MODULES.values())
    crowded = {folder.name for folder, files in folders.items() if files > 25}
    assert crowded <= {"formats", "cli"}


def test_few_types_are_any() -> None:
    """`Any` turns the type checker off; it is for what other libraries give, and there is little of it."""
    used = Counter(
        module for module in MODULES for node in NODES[module] if isinstance(node, ast.Name) and node.id == "Any"
    )
    assert used, "the names are read"
    assert used.total() <= 350, used.most_common(10)
