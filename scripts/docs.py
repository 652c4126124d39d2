# SPDX-License-Identifier: Apache-2.0
"""Write the pages that come from the declarations: metrics, profiles, formats, command line.

``python -m scripts.docs`` writes them; ``tests/architecture/test_docs_are_fresh.py`` fails when one is stale.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from scripts.picture import four_values

DOCS = Path(__file__).resolve().parent.parent / "docs"
_GENERATED = "<!-- Written by `make docs` from the declarations; edit those. -->\n"
_ROLE = re.compile(r":math:`([^`]*)`")


def pages() -> dict[str, str]:
    """Return every generated page: path below ``docs`` to text."""
    found = {"metrics/index.md": _metric_index(), "profiles.md": _profiles(), "cli.md": _command_line()}
    found["formats-table.md"] = _formats()
    found["datasets-table.md"] = _datasets()
    found["figures/pk.svg"] = four_values()
    found["../src/caesura/results/schema.json"] = _results_schema()
    found.update(_metric_pages())
    return found


def _results_schema() -> str:
    import json

    from caesura.results import json_schema

    return json.dumps(json_schema(), indent=1) + "\n"


def _metric_index() -> str:
    from caesura.metrics.describe import metric_table
    from caesura.reports import render

    lines = [
        _GENERATED,
        "# Metrics",
        "",
        "One page per metric: meaning, formula, edge cases, and an example checked by hand.",
        "",
    ]
    table = render(metric_table(), "markdown").splitlines()
    for line in table:
        match = re.match(r"\| (\w+) \|", line)
        if match and match[1] != "metric":
            line = line.replace(f"| {match[1]} |", f"| [{match[1]}]({match[1]}.md) |", 1)
        lines.append(line)
    return "\n".join(lines).rstrip() + "\n"


def _metric_pages() -> dict[str, str]:
    from caesura.metrics.describe import describe_class, metric_classes

    found = {}
    for cls in metric_classes():
        d = describe_class(cls)
        lines = [_GENERATED, f"# {d.name}", "", d.summary, ""]
        lines += ["| | |", "| --- | --- |", f"| score | {_cell(d.card.formula)} |", f"| range | {_cell(d.range)} |"]
        if d.reference:
            lines.append(f"| symmetric | {'yes' if d.card.symmetric else 'no'} |")
        lines.append(f"| documents | {d.card.aggregation} |")
        if d.aliases:
            lines.append(f"| also called | {_cell(', '.join(f'`{alias}`' for alias in d.aliases))} |")
        blind = ", ".join(sorted(d.card.blind_to)) or "none"
        lines += [
            f"| damage that may go unnoticed | {blind} |",
            f"| source | {_cell(d.card.citation)} |",
            f"| equation | {_cell(d.card.equation)} |",
            "",
        ]
        for name in ("Definition", "Edge cases"):
            lines += [f"## {name}", "", _prose(d.sections[name]), ""]
        if d.parameters:
            lines += ["## Parameters", "", "| name | default | meaning |", "| --- | --- | --- |"]
            for p in d.parameters:
                choices = f" ({', '.join(repr(c) for c in p['choices'])})" if p["choices"] else ""
                lines.append(f"| `{p['name']}` | `{p['default']!r}` | {_cell(p['help'] + choices)} |")
            lines.append("")
        lines += ["## Example", "", "```python", d.sections["Examples"], "```", ""]
        if "See Also" in d.sections:
            lines += ["## See also", "", _prose(d.sections["See Also"]), ""]
        found[f"metrics/{d.name}.md"] = "\n".join(lines).rstrip() + "\n"
    return found


def _profiles() -> str:
    from caesura.metrics.describe import profile_table
    from caesura.reports import render

    return f"{_GENERATED}\n# Profiles\n\nThe conventions of other tools and papers: `caesura evaluate ... --profile NAME`.\n\n{render(profile_table(), 'markdown')}"


def _formats() -> str:
    from caesura.formats import FORMATS

    lines = [
        _GENERATED,
        "# Formats at a glance",
        "",
        "| name | suffixes | reads | writes | what |",
        "| --- | --- | --- | --- | --- |",
    ]
    for cls in FORMATS:
        marks = ["yes", "yes" if cls.writable else ""]
        lines.append(
            f"| `{cls.name()}` | {' '.join(cls.suffixes)} | {marks[0]} | {marks[1]} | {_cell(cls.card.title)} |"
        )
    return "\n".join(lines) + "\n"


def _datasets() -> str:
    from caesura.cli.datasets import dataset_table
    from caesura.reports import render

    return f"{_GENERATED}\n# Datasets at a glance\n\n{render(dataset_table(), 'markdown')}"


_NAMES = """Metrics, profiles, methods, datasets and formats are found in any case, and results carry the names as they are registered.
`-m pk,b` is `-m Pk -m B`; a comma inside brackets is part of a name: `-m "WindowDiff(k=5, edge='lamprier')"`."""

_CSV = """`--format csv`, and `--csv FILE`, hold one table, every title once and every number as a number with all its digits:

| command | one row for each | beside the scores |
| --- | --- | --- |
| `evaluate`, `gate`, `merge` | system; with `--per-document` system and document | with `--ci` the ends of the interval, with `--skill` chance and skill, the verdict and the clock (with `--per-document` only if `--verdict` is given) |
| `compare`; `gate --last` | metric and pair of systems; metric and system | scores, difference, p |
| `cohesion` | system and metric; with `--per-document` system and document | density, interval, chance |
| `spans` | system | interval, chance, padding |
| `bench` | as `evaluate`, `spans` or `cohesion` | costs; why a method failed |
| `agree` | annotator | density, agreement and kappa with the ends of their intervals |
| `sweep` | scorer and threshold, or point that was chosen | the ends of every interval |
| `validate` | encoder and metric | verdict, and what it rests on |
| `correlate` | encoder, pair of metrics and reading | the ends of every interval |
| `calibrate`, `tune`, `select --stream-report` | logits before and after, setting, document | |
| `train` | dataset, density and system; without datasets stage and epoch | |
| `reproduce` | number of the paper | |

A second table is refused, not printed behind the first. `-o r.json`, then `caesura report r.json -o r.html --figures DIR`, writes
every table to a file of its own."""


def _command_line() -> str:
    import click

    from caesura.cli import cli, command_lines

    context = cli.make_context("caesura", [], resilient_parsing=True, terminal_width=100)
    lines = [_GENERATED, "# Command line", "", "```", cli.get_help(context), "```", "", _NAMES, "", _CSV, ""]
    for name in (name for names in command_lines().values() for name in names):
        command = cli.get_command(context, name)
        assert command is not None, name
        inner = click.Context(command, parent=context, info_name=name, terminal_width=100)
        lines += [f"## caesura {name}", "", "```", command.get_help(inner), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _prose(text: str) -> str:
    """Turn the few marks of a docstring into Markdown."""
    out, block = [], []
    for line in [*inspect.cleandoc(text).splitlines(), ""]:
        if line.startswith(".. math::"):
            block = [line.removeprefix(".. math::").strip()]
        elif block and line.strip():
            block.append(line.strip())
        elif block:
            out += ["$$", *block, "$$", ""]
            block = []
        else:
            out.append(_ROLE.sub(r"$\1$", line).replace("``", "`"))
    return "\n".join(out).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the pages, and remove those of metrics that are gone."""
    wanted = pages()
    for old in (DOCS / "metrics").glob("*.md"):
        if f"metrics/{old.name}" not in wanted:
            old.unlink()
    for name, text in wanted.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
