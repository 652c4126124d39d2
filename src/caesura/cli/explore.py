# SPDX-License-Identifier: Apache-2.0
"""Look at results in a browser, live."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Output
from caesura.cli._output import echo_note
from caesura.cli._progress import progress_bar
from caesura.cli.report import page_inputs, read_sections

GROUP = "Look"


@click.command("explore", cls=Command)
@page_inputs
@opt.title_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0 for any free one."
)
@click.option(
    "--token",
    envvar="CAESURA_EXPLORE_TOKEN",
    help="Ask for this token; needed on an address that other machines reach [$CAESURA_EXPLORE_TOKEN].",
)
@click.option(
    "--bundle",
    cls=Output,
    metavar="DIR",
    type=click.Path(),
    help="Write page and data to this folder instead, for a web server.",
)
def command(
    results_files: tuple[str, ...],
    inputs: tuple[str, ...],
    title: str | None,
    host: str,
    port: int,
    token: str | None,
    bundle: str | None,
) -> None:
    """Show RESULTS in a browser, as caesura report does, with documents read as they are looked at.

    Use it where a page would be too large, or while results change: the page loads them again. It listens on this machine only, and stops with Ctrl-C.

    \b
    caesura explore results.json
    caesura explore results.json --port 9000 --inputs data/gold.jsonl
    caesura explore results.json --bundle site/
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.explorer import application, check_access, serve, write_bundle
    from caesura.reports.page import PageData

    if bundle is None:
        check_access(host, token)
    with progress_bar("preparing", "results") as progress:
        data = PageData(read_sections(results_files, inputs), progress)
    if bundle is not None:
        written = write_bundle(data, bundle, title=title)
        click.echo(f"{bundle}: {written} files. Offer the folder with a web server, such as python -m http.server.")
        return

    def again() -> PageData:
        return PageData(read_sections(results_files, inputs))

    app = application(data, title=title, host=host, token=token, again=again, files=results_files)
    if token is not None:
        echo_note("add ?token=... to the address, once")
    serve(app, host=host, port=port, ready=lambda address: click.echo(f"{address} (Ctrl-C to stop)"))
