# SPDX-License-Identifier: Apache-2.0
"""The pages about reproduced papers, made from results files; no number is typed by hand.

``python -m caesura_reproductions.pages run [PAPER ...]`` reproduces papers (all if none is named) with the data that ``CAESURA_DATA``
names, and writes ``reproductions/caesura_reproductions/paper_PAPER/results.json``; ``000/Fig2`` is one item, the others stay as they were. ``page`` makes the pages beside them and ``docs/errata.md`` from these files.
``systems FOLDER`` packs the boundaries of the trained systems that ``python -m studies.nine_systems.study run`` left in
``build/nine-systems``, for ``caesura reproduce 000 T1ours``; corpora that are not in the folder stay as they were. ``released`` packs the
released files that hold numbers only, for whoever has no data.
"""

from __future__ import annotations

import fnmatch
import importlib
import inspect
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from caesura.datasets.folders import data_folder
from caesura.reports import escaped, render
from caesura.reports.figures import draw
from caesura.results import Results, answer_of, as_text, read_results
from caesura.results.reproduce.facts import STATUSES, Cell, ItemFacts, ReproductionFacts
from caesura.results.reproduce.figure import has_figure
from caesura.results.reproduce.tables import cell_table, noted
from caesura.results.tables import tables_of
from caesura_reproductions.run import items, papers, reproduce

DOCS = Path(__file__).resolve().parents[2] / "docs"
_FEWEST = 3  # systems over which a correlation can be taken
_SHIPPED = (
    "*_masses.json",
    "*/minilm_float32_depths.json.gz",
    "*/sweep_*",
    "*/bootstrap_ci_*",
    "*/per_dialogue_bor_dialseg711_*",
    "*/per_dialogue_bor_superseg_random.csv",
    "*/external_methods.csv",
)
_GENERATED = (
    "<!-- Written by `python -m caesura_reproductions.pages page` from the results files; run them again. -->\n"
)
_ERRATA = """# Errata

Errors that the reproduced papers and their released code contain, with the numbers that show them. The numbers come from the
[reproductions](reproduce/index.md), or were counted in a released file that is named with its commit.
"""


def stored() -> dict[str, Path]:
    """Return the results file of each paper."""
    return {paper: Path(__file__).with_name(f"paper_{paper}") / "results.json" for paper in papers()}


def pages() -> dict[str, str]:
    """Return every page: path below ``docs`` to text."""
    found = {paper: read_results(path) for paper, path in stored().items()}
    template = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    index = template.replace("<!-- papers -->", _overview(found))
    made = {"reproduce/index.md": f"{_GENERATED}\n{index}", "errata.md": _errata(found)}
    return made | {f"reproduce/{name}.md": _page(results) for name, results in found.items()}


def _facts(results: Results) -> ReproductionFacts:
    if results.reproduction is None:
        raise ValueError("a results file without a reproduction")
    return results.reproduction


def _overview(found: dict[str, Results]) -> str:
    """Return one line per paper, with links; required are the numbers that can be exact."""
    heads = ["paper", "title", "required", *STATUSES]
    lines = [heads, ["---"] * len(heads)]
    for name, results in found.items():
        facts = _facts(results)
        totals: Counter[str] = Counter()
        for item in facts.items:
            totals.update(item.counts)
        required = sum(item.can_be_exact for item in facts.items)
        missed = sum(cell.failed for cell in results.cells or () if cell.can_be_exact)
        first = [f"[{name}]({name}.md) `{facts.alias}`", escaped(facts.title), f"{required - missed} of {required}"]
        lines.append([*first, *(str(totals[status]) for status in STATUSES)])
    cautions = [f"- {name}: {about.caution}" for name, about in papers().items() if about.caution]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", *cautions])


def _page(results: Results) -> str:
    facts = _facts(results)
    package = importlib.import_module(f"caesura_reproductions.paper_{facts.paper}")
    about = inspect.getdoc(package) or ""
    lines = [_GENERATED, f"# Paper {facts.paper}", "", f"*{escaped(facts.title)}*", ""]
    lines += [about.partition("\n")[2].strip().replace("``", "`"), ""] if "\n" in about else []
    lines += [f"`caesura reproduce {facts.paper}`, or `caesura reproduce {facts.alias}`.", ""]
    said = [sentence for sentence in answer_of(results) if "--full" not in sentence]
    lines += [" ".join(map(escaped, said)), ""]
    if len(facts.items) > 1:
        lines += [render(tables_of(results)[0], "markdown").partition("\n\n")[2].rstrip(), ""]
    if has_figure(results):
        lines += [
            f"![{escaped(facts.title)}](../../reproductions/caesura_reproductions/paper_{facts.paper}/figure.svg)",
            "",
        ]
    for item in facts.items:
        lines += _section(item, [cell for cell in results.cells or () if cell.item == item.name])
    if facts.errata or any(cell.misprint for cell in results.cells or ()):
        lines += ["The errors that were found are in the [errata](../errata.md).", ""]
    return "\n".join(lines).rstrip() + "\n"


def _section(item: ItemFacts, cells: list[Cell]) -> list[str]:
    lines = [f"## {item.name}: {item.title}", ""]
    if item.needs:
        lines += [f"Needs {item.needs}.", ""]
    valued = [cell for cell in cells if cell.status != "unavailable"]
    if valued:
        lines += [render(cell_table(valued), "markdown").rstrip(), ""]
    if not valued:
        lines += ["No number has a value of ours; the note says why.", ""]
    elif len(valued) < len(cells):
        lines += [f"{len(cells) - len(valued)} of {len(cells)} numbers have no value of ours; a note says why.", ""]
    notes = [f"- {escaped(where)}: {escaped(note)}" for _, where, note in noted(cells)]
    return [*lines, *notes, ""] if notes else lines


def _errata(found: dict[str, Results]) -> str:
    lines = [_GENERATED, _ERRATA]
    for name, results in found.items():
        facts = _facts(results)
        entries = [
            f"- **{escaped(f'{c.item}, {c.row}, {c.column}')}**: printed {c.printed}, should be {c.corrected}.\n"
            f"  *Shown by:* {escaped(c.note)}."
            for c in results.cells or ()
            if c.corrected is not None and not c.failed
        ]
        entries += [f"- **{escaped(e.where)}**: {escaped(e.said)}\n  *Found:* {escaped(e.shown)}" for e in facts.errata]
        if entries:
            lines += [f"## Paper {name}: {escaped(facts.title)}", "", *entries, ""]
    return "\n".join(lines).rstrip() + "\n"


def run(names: list[str]) -> None:
    """Reproduce papers, and write their results files."""
    if data_folder() is None:
        raise SystemExit("set CAESURA_DATA to the folder of the corpora")
    for name in names or [number for number in papers() if items(number)]:
        paper, _, item = name.partition("/")
        results = msgspec.structs.replace(reproduce(paper, item or None).results(), environment={})
        path = stored()[_facts(results).paper]
        if item:
            results = _merged(read_results(path), results)
        path.write_text(as_text(results) + "\n", encoding="utf-8")
        print(name, *answer_of(results), sep="\n  ")


def _merged(before: Results, results: Results) -> Results:
    """Return the results of a paper with those of one item replaced."""
    old, new = _facts(before), _facts(results)
    (item,) = new.items
    order = list(items(old.paper))

    def together(left: list[Any], right: list[Any], named: str = "item") -> list[Any]:
        kept = [each for each in left if getattr(each, named) != item.name]
        return sorted([*kept, *right], key=lambda each: order.index(getattr(each, named)))

    cells = together(before.cells or [], results.cells or [])
    facts = msgspec.structs.replace(
        old,
        matched=not any(cell.failed for cell in cells),
        items=together(old.items, new.items, "name"),
        errata=together(old.errata, new.errata),
        series=together(old.series, new.series),
    )
    return msgspec.structs.replace(before, cells=cells, reproduction=facts)


def systems(folder: Path) -> None:
    """Pack the boundaries of trained systems, CORPUS/outputs/HEAD-ENCODER.jsonl below a folder, where there are three or more."""
    import gzip

    from caesura.formats import load

    package = Path(importlib.import_module("caesura_reproductions.paper_000").__path__[0])
    file = package / "systems.json.gz"
    found: dict[str, dict[str, object]] = msgspec.json.decode(gzip.decompress(file.read_bytes()))
    for corpus in sorted(path for path in folder.iterdir() if path.is_dir()):
        made = {path.stem.replace("-", ", "): load(path) for path in sorted(corpus.glob("outputs/*-*.jsonl"))}
        if len(made) < _FEWEST:
            continue
        ids = list(next(iter(made.values())).ids)
        gaps = {name: [one.segmentation(key).positions.tolist() for key in ids] for name, one in made.items()}
        found[corpus.name] = {"documents": ids, "systems": gaps}
    file.write_bytes(gzip.compress(msgspec.json.encode(found), mtime=0))


def released() -> None:
    """Pack the small released files; the vectors of paper 002 take seven megabytes, and need its texts."""
    import zipfile

    from caesura_reproductions.data import Data, released_files

    data = Data(data_folder())
    package = Path(importlib.import_module("caesura_reproductions").__path__[0])
    with zipfile.ZipFile(package / "released.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in released_files():
            if any(fnmatch.fnmatch(name, pattern) for pattern in _SHIPPED):
                data.read(name)  # refuses any other version
                archive.writestr(zipfile.ZipInfo(name), data.path(name).read_bytes(), zipfile.ZIP_DEFLATED, 9)


def main() -> None:
    """Do what the command line says."""
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2:])
    elif sys.argv[1:2] == ["systems"] and len(sys.argv) == 3:
        systems(Path(sys.argv[2]))
    elif sys.argv[1:] == ["released"]:
        released()
    elif sys.argv[1:] == ["page"]:
        for name, text in pages().items():
            (DOCS / name).write_text(text, encoding="utf-8")
        for path in stored().values():
            results = read_results(path)
            if has_figure(results):
                figure = path.with_name("figure.svg")
                figure.write_bytes(draw(results, figure))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
