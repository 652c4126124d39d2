"""Rules of the house that can be counted: what an evaluation loads, who imports makers, how small a module may be."""

from __future__ import annotations

import ast
import collections
import subprocess
import sys
from pathlib import Path

from tests.architecture.test_layers import MODULES, TREES, imports

MAKERS = ("encoders", "scorers", "segmenters", "selectors", "training")
# Modules that a registry finds by their names are imported by nobody in particular; compiled ones are apart to be compiled.
FOUND = ("caesura.evaluation.degrade.", "caesura.kernels.", "caesura.scorers.", "caesura.segmenters.")


def loaded(folder: Path) -> set[str]:
    """Return the modules that are loaded when a file is scored by one metric."""
    for name in ("gold", "a"):
        text = '{"id": "d", "n_units": 9, "boundaries": [3, 6]}\n{"id": "e", "n_units": 7, "boundaries": [2]}\n'
        (folder / f"{name}.jsonl").write_text(text)
    code = (
        "import runpy, sys; sys.argv = ['caesura', *sys.argv[1:]]\n"
        "try: runpy.run_module('caesura', run_name='__main__')\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    call = [sys.executable, "-c", code, "evaluate", folder / "gold.jsonl", folder / "a.jsonl", "-m", "B"]
    return set(subprocess.run(call, capture_output=True, text=True, check=True).stderr.split())


def test_an_evaluation_loads_at_most_150_modules_and_no_maker(tmp_path: Path) -> None:
    names = loaded(tmp_path)
    ours = sorted(name for name in names if name.split(".")[0] == "caesura")
    assert "caesura.metrics.pairwise.similarity" in ours
    assert len(ours) <= 150, ours
    assert [name for name in ours if name.split(".")[1:2] in [[maker] for maker in MAKERS]] == []
    assert sorted(names & {"scipy", "rich", "torch", "pandas"}) == []


def test_the_evaluator_imports_no_maker_at_its_start() -> None:
    """Encoders, scorers, selectors and segmenters are imported inside the function that was asked for one."""
    wrong = [
        f"{name}:{node.lineno}: {module}"
        for name, tree in TREES.items()
        if name.split(".")[1:2] in [["evaluation"], ["metrics"], ["results"], ["reports"]]
        for node in tree.body
        if isinstance(node, ast.ImportFrom | ast.Import)
        for module in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
        if module.startswith(tuple(f"caesura.{maker}" for maker in MAKERS))
    ]
    assert wrong == []


def test_few_small_modules_have_one_importer() -> None:
    """A module is one idea; one below 80 lines that a single other module imports belongs there, or has a reason."""
    importers = collections.defaultdict(set)
    for name in MODULES:
        for target, _ in imports(name):
            importers[target].add(name)
    small = [
        name
        for name, path in MODULES.items()
        if path.name not in {"__init__.py", "__main__.py"}
        and len(importers[name] - {name}) == 1
        and len(path.read_text("utf-8").splitlines()) < 80
    ]
    assert len([name for name in small if not name.startswith(FOUND)]) <= 15, small
