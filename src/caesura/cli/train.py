# SPDX-License-Identifier: Apache-2.0
"""Train a scorer on labelled documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, Output, What
from caesura.cli._overwriting import OutputFile

if TYPE_CHECKING:
    from caesura.scorers import Encoding

GROUP = "Segment and train"


def _abroad(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    from caesura.cli._output import named_files

    return named_files(given)


@click.command("train", cls=Command)
@click.argument("documents", metavar="[DOCS]...", nargs=-1, type=click.Path())
@click.option(
    "-o",
    "--output",
    "folder",
    cls=Output,
    required=True,
    type=OutputFile(folder=True),
    help="Write the model into this folder.",
)
@click.option(
    "--config", cls=Files, type=click.Path(dir_okay=False), help="Read stages, files and settings from this TOML file."
)
@click.option(
    "--scorer", cls=What, metavar="HEAD", help="Train this, such as 'WindowHead(window=4, hidden=32)' [WindowHead]."
)
@click.option(
    "--metric",
    "of_metric",
    cls=What,
    is_flag=True,
    help="Train the weights of Support, a metric without a reference; each of DOCS is a corpus, and is left out once.",
)
@opt.against_option
@click.option("--encoder", metavar="SPEC", help="Encoder of the vectors, as in caesura encode [default].")
@click.option(
    "--abroad",
    cls=What,
    multiple=True,
    metavar="NAME=FILE",
    callback=_abroad,
    help="Score it on other labelled documents too; repeatable.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Random seed [0].")
@opt.encoding_options
@opt.reading_options
@opt.format_option
@opt.full_option
@opt.force_option
def command(
    documents: tuple[str, ...],
    folder: str,
    config: str | None,
    scorer: str | None,
    of_metric: bool,
    against: str,
    encoder: str | None,
    abroad: dict[str, str],
    seed: int | None,
    cache: bool | None,
    allow_download: bool,
    output_format: str,
    full: bool,
    force: bool,
    **reading: Any,
) -> None:
    """Train a scorer on DOCS, which have text and boundaries, and say how it does on documents it has not seen.

    \b
    caesura train train.jsonl -o model/
    caesura train train.jsonl -o model/ --abroad meetings=qmsum.jsonl
    caesura train annotated.jsonl -o model/ --against annotators
    caesura train --config stages.toml -o model/
    caesura segment docs.jsonl --method model:model/ -o out.jsonl
    caesura train chats.jsonl meetings.jsonl --metric -o weights/
    caesura cohesion docs.jsonl a.jsonl -m model:weights/

    Three stages: splices of the documents, their gold boundaries, a temperature. 15 % of the documents decide when to stop,
    and another 15 % are only scored. A run that is killed goes on when it is called again in the same way.
    """  # noqa: D301  (click wants the backspace itself)
    from msgspec.structs import replace

    from caesura.cli._output import Outputs, echo_note
    from caesura.cli._progress import progress_bar
    from caesura.scorers import Encoding
    from caesura.training import Config, read_config, read_data, train

    if of_metric:
        if against != "boundaries":
            raise click.UsageError("--metric learns from the boundaries of DOCS; leave out --against")
        if config is not None or scorer is not None:
            raise click.UsageError("--metric takes documents, not --config or --scorer; leave them out")
        _train_metric(
            documents, folder, abroad, Encoding(encoder or "default", cache=cache, allow_download=allow_download), seed or 0,
            output_format, force, reading,
        )  # fmt: skip
        return
    if (config is None) == (not documents):
        raise click.UsageError("give documents to train on, or a configuration with --config, which names them")
    chosen = Config(train=list(documents)) if config is None else read_config(config)
    changes: dict[str, Any] = {"scorer": scorer, "encoder": encoder, "seed": seed, "abroad": abroad or None}
    changes["against"] = None if against == "boundaries" else against
    chosen = replace(chosen, **{name: value for name, value in changes.items() if value is not None}).check()
    encoding = Encoding(chosen.encoder, cache=cache, allow_download=allow_download)
    data = read_data(chosen, **reading)
    with progress_bar("training", "epochs") as progress:
        outcome = train(chosen, folder, data, encoding=encoding, overwrite=force, progress=progress, tell=echo_note)
    Outputs(output_format, None, force=force, full=full).finish(outcome.results(), outcome)
    if output_format == "table":
        click.echo(f"\nUse it: caesura segment DOCS --method model:{folder} -o FILE")


def _train_metric(
    documents: tuple[str, ...],
    folder: str,
    abroad: dict[str, str],
    encoding: Encoding,
    seed: int,
    output_format: str,
    force: bool,
    reading: dict[str, Any],
) -> None:
    """Train the weights of a metric, and show what they notice on corpora they have not seen."""
    from caesura.cli._output import named_files, show
    from caesura.cli._progress import progress_bar
    from caesura.training import train_metric

    with progress_bar("reading", "corpora") as progress:
        outcome = train_metric(
            named_files(documents), folder, abroad=abroad, encoding=encoding, seed=seed, overwrite=force,
            progress=progress, **reading,
        )  # fmt: skip
    show(outcome.table(), output_format)
    if output_format == "table":
        click.echo(f"\nUse it: caesura cohesion DOCS SYSTEM -m model:{folder}")
