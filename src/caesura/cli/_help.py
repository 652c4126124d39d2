# SPDX-License-Identifier: Apache-2.0
"""Help in groups: an option says by its class which group it is in, as ``click.option("--ci", cls=What)`` does.

Click has no groups of options of its own. A plain option says how something is done. What a `Command` prints as help has a
section for each group, or one section for all if there are few.
"""

from __future__ import annotations

from typing import ClassVar

import click

_FEW = 8  # options that need no groups
_WIDEST = 30  # columns before the texts


class _Grouped(click.Option):
    """An option of a group."""

    heading: ClassVar[str] = "How"


class What(_Grouped):
    """An option that says what is asked: metrics, methods, systems, questions."""

    heading = "What"


class Files(_Grouped):
    """An option that says how files are read and matched."""

    heading = "Files"


class Output(_Grouped):
    """An option that says what is printed and written."""

    heading = "Output"


class Large(_Grouped):
    """An option for large corpora: shards, threads, engines."""

    heading = "Large corpora"


class Command(click.Command):
    """A command whose help lists its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group; ``--help`` is the last of those about output."""
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        rows: dict[str, list[tuple[str, str]]] = {group.heading: [] for group in (What, _Grouped, Files, Output, Large)}
        for option in options:
            heading = option.heading if isinstance(option, _Grouped) else _Grouped.heading
            record = option.get_help_record(ctx)
            if record is not None:
                rows[Output.heading if "--help" in option.opts else heading].append(record)
        if len(options) <= _FEW:
            rows = {"Options": [record for records in rows.values() for record in records]}
        write_rows(formatter, rows)


def write_rows(formatter: click.HelpFormatter, sections: dict[str, list[tuple[str, str]]]) -> None:
    """Write the rows of sections below their headings; the texts of all sections begin in the same column."""
    names = [name for rows in sections.values() for name, _ in rows]
    width = max((len(name) for name in names if len(name) <= _WIDEST), default=0)
    for heading, rows in sections.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=width)
