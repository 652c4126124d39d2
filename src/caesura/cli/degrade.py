# SPDX-License-Identifier: Apache-2.0
"""``caesura degrade``: known damage done to segmentations."""

from __future__ import annotations

import click

from caesura.cli._output import refuse_existing

__all__ = ["command"]


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the degradations that begin so, for the shell."""
    from caesura.experiments.degradations import DEGRADATIONS

    return [name for name in DEGRADATIONS.names() if name.startswith(incomplete)]


@click.command("degrade")
@click.argument("documents", metavar="DOCS", type=click.Path())
@click.option(
    "-d",
    "--degradation",
    "degradations",
    multiple=True,
    required=True,
    shell_complete=_complete,
    help="What is done, such as 'Removal(share=0.3)'; several are done one after the other.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Where the documents go [standard output, as JSON lines].",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of everything that is drawn."
)
@click.option(
    "--draw",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Which of several independent draws of the seed.",
)
@click.option("--from", "from_format", help="The format of DOCS [detected].")
@click.option("--strict", is_flag=True, help="Refuse unknown keys in files.")
@click.option("--force", is_flag=True, help="Overwrite an output that exists.")
def command(
    documents: str,
    degradations: tuple[str, ...],
    output: str | None,
    seed: int,
    draw: int,
    from_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Damage the boundaries of DOCS in a known way, and say on stderr what could not be done.

    \b
    caesura degrade gold.jsonl -d "Removal(share=0.3)" -o worse.jsonl
    caesura degrade gold.jsonl -d "Splitting(count=2)" --seed 7
    caesura degrade gold.jsonl -d "Transposition(distance=2, which='all', direction='random')"
    caesura degrade gold.jsonl -d RandomPlacement
    caesura degrade gold.jsonl -d Shuffle

    What is drawn for a document depends on the seed, its id and the degradation, and on no other document.
    """  # noqa: D301  (click wants the backspace itself)
    refuse_existing(output, force=force, inputs=[documents])
    from caesura.experiments.degradations import degrade
    from caesura.formats import load, save

    result = degrade(load(documents, from_format, strict=strict), degradations, seed=seed, draw=draw)
    if output is not None:
        save(result.corpus, output)
    else:
        from caesura.formats.jsonl import document_line

        for document in result.corpus:
            click.echo(document_line(document).decode().rstrip("\n"))
    if result.skipped:
        click.echo(f"caesura: note: {result}", err=True)
