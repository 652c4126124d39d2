# SPDX-License-Identifier: Apache-2.0
"""``caesura convert``."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from caesura.cli.convert import command
from caesura.errors import CaesuraError, ComparabilityError, OutputExistsError
from caesura.formats import load
from caesura.segmentation import Segmentation

SAMPLES = Path(__file__).parents[1] / "formats" / "samples"


def run(*words: object) -> str:
    done = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_between_formats(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    assert run(SAMPLES / "system.masses", target) == f"{target}: 2 documents written\n"
    assert load(target)["1"].segmentation == Segmentation(13, (6, 9))
    with pytest.warns(UserWarning, match="cannot hold the ids"):
        run(target, tmp_path / "b.txt", "--to", "bits(marks='last_closed')")
    assert (tmp_path / "b.txt").read_text().split()[0] == "0000010010001"
    run(tmp_path / "b.txt", tmp_path / "c.masses", "--from", "bits(marks='last_closed')")
    assert (tmp_path / "c.masses").read_text() == "6 3 4\n4 4 5\n"


def test_an_existing_output_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    target.write_text("mine")
    with pytest.raises(
        OutputExistsError, match=r"a\.jsonl: exists already; write to another file, or overwrite it with --force"
    ):
        run(SAMPLES / "system.masses", target)
    assert target.read_text() == "mine"
    run(SAMPLES / "system.masses", target, "--force")
    assert len(load(target)) == 2


def test_projection_onto_units_and_back(tmp_path: Path) -> None:
    chapters = tmp_path / "chapters.json"
    chapters.write_text('{"chapters": [{"startTime": 0}, {"startTime": 2.4}, {"startTime": 6.0}, {"startTime": 8.0}]}')
    target = tmp_path / "units.jsonl"
    said = run(chapters, target, "--project", "units", "--onto", SAMPLES / "talk.srt")
    # The boundary at 8.0 s is nearer to the end, at 9.0 s, than to the last gap, at 6.25 s, so it is dropped.
    moved = "boundaries moved by 250 ms at most, 175 on average; 0 merged, 1 dropped"
    assert said == f"{target}: 1 document written; {moved}\n"
    (document,) = load(target)
    assert document.segmentation == Segmentation(3, (1, 2), unit="cue")
    assert document.units is not None
    back = tmp_path / "back.jsonl"
    run(target, back, "--project", "ms")
    assert next(iter(load(back))).segmentation == Segmentation(9000, (2500, 6250), unit="ms")
    text = tmp_path / "text.jsonl"
    run(target, text, "--project", "character")
    assert load(text).unit == "character"


def test_what_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    with pytest.raises(ComparabilityError, match=r"document '1': projecting 'unit' onto 'ms' requires the unit_times"):
        run(SAMPLES / "system.masses", target, "--project", "ms")
    with pytest.raises(ComparabilityError, match=r"a file with the positions of the units; give it \(--onto\)"):
        run(SAMPLES / "marked.vtt", target, "--project", "units")
    with pytest.raises(CaesuraError, match="no such file"):
        run(SAMPLES / "none.vtt", target)
    done = CliRunner().invoke(command, [str(SAMPLES / "marked.vtt"), str(target), "--onto", "x"])
    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_every_option_has_help() -> None:
    assert command.help
    assert all(option.help for option in command.params if isinstance(option, click.Option))


def test_a_dataset_with_answers_is_both_documents_and_spans(tmp_path: Path) -> None:
    """Its documents are cut in lines, its answers are counted in characters."""
    from caesura.evaluation.spans import spans

    (tmp_path / "chroma" / "corpora").mkdir(parents=True)
    text = "Cats purr.\nThey sleep by day.\nRain falls.\n"
    (tmp_path / "chroma" / "corpora" / "notes.md").write_text(text)
    start = text.index("sleep")
    (tmp_path / "chroma" / "questions_df.csv").write_text(
        "question,references,corpus_id\n"
        f'When?,"[{{""start_index"": {start}, ""end_index"": {start + 12}, ""content"": ""sleep by day""}}]",notes\n'
    )
    target = tmp_path / "chroma.jsonl"
    assert run("--dataset", "Chroma", tmp_path / "chroma", target) == f"{target}: 1 document written\n"
    cut = tmp_path / "cut.jsonl"
    cut.write_text('{"id": "notes", "n_units": 3, "boundaries": [1, 2]}\n')
    assert spans(target, target, {"cut": cut}, resamples=10).scores["cut"]["Inside"] == 1
    with pytest.raises(click.UsageError, match="--dataset and --from exclude each other"):
        CliRunner().invoke(
            command,
            ["--dataset", "Chroma", "--from", "jsonl", "a", "b.jsonl"],
            standalone_mode=False,
            catch_exceptions=False,
        )


@pytest.mark.parametrize(
    ("start", "rule", "gap"),
    [(4, "nearest", 1), (4, "next", 2), (4, "previous", 1), (5, "nearest", 2), (5, "previous", 1)],
)
def test_the_gap_that_a_boundary_between_two_moves_to(tmp_path: Path, start: int, rule: str, gap: int) -> None:
    chapters, target = tmp_path / "chapters.json", tmp_path / "units.jsonl"
    chapters.write_text(f'{{"chapters": [{{"startTime": 0}}, {{"startTime": {start}}}]}}')
    # The gaps of the talk are at 2.5 s and at 6.25 s.
    run(chapters, target, "--project", "units", "--onto", SAMPLES / "talk.srt", "--rule", rule)
    assert next(iter(load(target))).segmentation == Segmentation(3, (gap,), unit="cue")
