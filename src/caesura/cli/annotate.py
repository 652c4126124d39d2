# SPDX-License-Identifier: Apache-2.0
"""Annotate boundaries in a browser, together."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, Output, What
from caesura.cli._output import echo_note
from caesura.cli._overwriting import OutputFile

if TYPE_CHECKING:
    from caesura.annotate import Project
    from caesura.annotations.events import Payload

GROUP = "Annotators"


@click.command("annotate", cls=Command)
@click.argument("project", type=click.Path())
@click.option(
    "--add",
    "added",
    cls=Files,
    multiple=True,
    metavar="FILE",
    help="Copy these documents into the project; repeatable.",
)
@click.option("--people", cls=What, metavar="A,B,C", help="Who annotates; more can be added later.")
@click.option(
    "--rename",
    "renamed",
    cls=What,
    multiple=True,
    metavar="OLD=NEW",
    help="Call somebody by another name; marks and link stay. Repeatable.",
)
@click.option(
    "--guide", cls=Files, type=click.Path(), metavar="FILE", help="The guide that everybody reads, as Markdown."
)
@click.option(
    "--suggest",
    cls=Files,
    type=click.Path(),
    metavar="FILE",
    help="Show a system's boundaries in a random half of the documents.",
)
@click.option("--pilot", type=click.IntRange(0), help="Documents that everybody annotates first [0].")
@click.option("--each", type=click.IntRange(1), help="People per document after the pilot [everybody].")
@click.option("--repeats", type=click.IntRange(0), help="Documents that each person gets again, unsaid [0].")
@click.option("--levels", type=click.IntRange(1, 2), help="Levels of boundaries [1].")
@click.option("--seed", type=click.IntRange(0), help="Draws who gets what in which order [0].")
@click.option(
    "--recordings",
    cls=Files,
    type=click.Path(),
    metavar="DIR",
    help="Play the sound or video of a document beside it: ID.mp3, ID.mp4; needs unit_times.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--plain-http",
    is_flag=True,
    help="State that texts and links may cross the network unencrypted; needed with a --host that others reach.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0 for any free one."
)
@click.option("--no-serve", "prepare", is_flag=True, help="Add what is to be added, and stop.")
@click.option(
    "--offline",
    cls=Output,
    type=click.Path(),
    metavar="DIR",
    help="Write one HTML file per person to this folder, to mail.",
)
@click.option(
    "--collect",
    "collected",
    cls=Files,
    multiple=True,
    metavar="FILE",
    help="Take in a file that came back; repeatable.",
)
@click.option(
    "--report",
    cls=Output,
    type=OutputFile(),
    metavar="FILE",
    help="Write what a paper needs as an HTML page: corpus, hours, agreement, trend, decisions, a paragraph, LaTeX.",
)
@opt.force_option
@opt.reading_options
def command(
    project: str,
    added: tuple[str, ...],
    people: str | None,
    renamed: tuple[str, ...],
    guide: str | None,
    suggest: str | None,
    recordings: str | None,
    host: str,
    plain_http: bool,
    port: int,
    prepare: bool,
    offline: str | None,
    collected: tuple[str, ...],
    report: str | None,
    force: bool,
    **given: Any,
) -> None:
    """Make or serve the annotation PROJECT, a folder: one link per person, and one for the lead.

    A boundary is one key. Every mark is on disk when the page says so. The other commands read the folder as annotations, at any time.

    \b
    caesura annotate project/ --add docs.jsonl --people a1,a2,a3 --guide guide.md
    caesura annotate project/
    caesura annotate project/ --offline out/
    caesura annotate project/ --collect a1.json
    caesura annotate project/ --report end.html
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.annotate import Project
    from caesura.annotate.content import recordings as find_recordings
    from caesura.annotate.offline import collect, write_offline
    from caesura.explorer.serving import is_loopback, serve

    if not is_loopback(host) and not plain_http:
        raise click.UsageError(
            f"{host} can be reached from other machines, and nothing is encrypted: texts and links could be read on the way; "
            "add --plain-http if that is accepted, or serve behind a proxy with TLS"
        )
    options = {name: given.pop(name) for name in ("pilot", "each", "repeats", "levels", "seed")}
    folder, new = Path(project), not Path(project).exists()
    with Project(folder, create=bool(added or people), options=options) as opened:
        try:
            _fill(opened, added, people, guide, suggest, given)
        except BaseException:
            if new:  # nothing half-made stays
                opened.close()
                shutil.rmtree(folder)
            raise
        for pair in renamed:
            old, sign, name = pair.partition("=")
            if not sign:
                raise click.UsageError(f"--rename takes OLD=NEW, such as a1=anna, and not {pair!r}")
            opened.rename(old, name)
        for file in collected:
            person, fresh, total = collect(opened, file)
            echo_note(f"{file}: {fresh} new events of {total} by {person}")
        if offline is not None:
            files = write_offline(opened, offline)
            click.echo(f"{offline}: {len(files)} files, one per person; --collect takes in what they send back")
        if report is not None:
            from caesura.annotate.closing import closing_page
            from caesura.files import write_together

            write_together({report: closing_page(opened).encode()})
            echo_note(f"{report} has what a paper needs; people are numbered")
        if prepare or collected or offline is not None or report is not None:
            _summary(opened)
            return
        from caesura.annotate.server import application

        sounds = None if recordings is None else find_recordings(opened.documents(), recordings)
        app = application(opened, host=host, title=folder.resolve().name, recordings=sounds)

        def ready(address: str) -> None:
            _summary(opened)
            for name, link in opened.links(address).items():
                click.echo(f"{name}\t{link}")
            click.echo("Ctrl-C stops; the links stay the same.")

        serve(app, host=host, port=port, ready=ready)


def _fill(
    project: Project,
    added: tuple[str, ...],
    people: str | None,
    guide: str | None,
    suggest: str | None,
    reading: Payload,
) -> None:
    """Add documents, people and the guide; then everybody gets what they lack."""
    for file in added:
        documents, codings = project.add_documents(file, **reading)
        echo_note(f"{file}: {documents} documents added, {codings} annotations imported")
    if people:
        project.add_people([name.strip() for name in people.split(",")])
    if guide:
        project.add_guide(guide)
    project.assign()
    if suggest:
        shown, total = project.add_suggestions(suggest, **reading)
        echo_note(
            f"{suggest}: shown in {shown} of {total} documents, drawn at random, so that anchoring can be measured"
        )


def _summary(project: Project) -> None:
    state = project.state
    done = sum(len(codings) for codings in state.first_round().values())
    click.echo(f"{len(state.n_units)} documents, {len(state.people)} people, {done} annotations finished")
