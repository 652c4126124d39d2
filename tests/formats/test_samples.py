# SPDX-License-Identifier: Apache-2.0
"""``caesura formats``: every format has a sample, and the sample is read back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from caesura.cli.formats import command
from caesura.corpus import Document
from caesura.errors import CaesuraError
from caesura.formats import FORMATS, describe_format, detect, format_table, load, sample_of

NAMES = sorted(
    set(FORMATS.names()) - {"parquet", "arrow", "xlsx", "annotation_project"}
)  # no sample: their files are not to be read by people


def test_every_format_has_a_sample_and_says_what_it_holds() -> None:
    assert {cls.name() for cls in FORMATS if cls.sample} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_is_recognised_and_read(name: str) -> None:
    path = sample_of(name)
    assert path is not None
    if path.is_file():
        assert detect(path).name() == name
    made = {
        d.id: ({who: coding.masses for who, coding in d.annotations.items()} if len(d.annotations) > 1 else None)
        or (d.segmentation and d.segmentation.masses)
        for d in load(path)
    }
    assert made == FORMATS.parse(name).sample


@pytest.mark.parametrize("name", NAMES)
def test_a_description_fits_a_terminal_and_ends_with_the_sample(name: str) -> None:
    prose, _, sample = describe_format(name).partition("\nSample\n")
    assert prose.startswith(f"{name}: ")
    assert max(map(len, prose.split("\n"))) <= 80
    assert sample.strip()
    for option in FORMATS.parse(name).options():
        assert f"  {option}=" in prose


def test_the_command_lists_and_describes() -> None:
    listed = CliRunner().invoke(command, [], catch_exceptions=False).output
    assert all(f"\n{name} " in listed for name in NAMES)
    assert len(format_table().rows) == len(FORMATS.names())
    described = CliRunner().invoke(command, ["labels"], catch_exceptions=False).output
    assert "columns=None" in described
    assert "walk,1,Ann,The path climbs.,hills" in described


def damaged(data: bytes) -> list[bytes]:
    """Return a file as people damage it: cut off, lines lost, doubled or exchanged, other line ends, stray bytes."""
    lines = data.splitlines(keepends=True)
    made = [data[: len(data) * part // 12] for part in range(1, 12)]
    made += [b"".join(lines[:n] + lines[n + 1 :]) for n in range(len(lines))]
    made += [b"".join(lines[: n + 1] + lines[n:]) for n in range(len(lines))]
    made += [b"".join([*lines[:n], *lines[n + 1 : n + 2], lines[n], *lines[n + 2 :]]) for n in range(len(lines) - 1)]
    made += [data.replace(b"\n", end) for end in (b"\r\n", b"\r", b"\n\n")]
    made += [b"\xef\xbb\xbf" + data, data + b"\n \n", data.decode().encode("utf-16"), data + b"\xff", data + b"\0"]
    made += [data.replace(b",", b";"), data.replace(b":", b""), data.replace(b"1", b"-1"), data.replace(b'"', b"'")]
    return made


def read_or_refused(path: Path) -> tuple[Iterable[Document], str]:
    try:
        return load(path), ""
    except CaesuraError as error:
        return (), str(error)


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("name", ["chunks", "jsonl", "label_studio", "labels", "moonstone", "superdialseg"])
def test_a_damaged_sample_is_read_rightly_or_refused_in_one_line(name: str, tmp_path: Path) -> None:
    sample = sample_of(name)
    assert sample is not None
    path = tmp_path / sample.name
    whole = load(sample)
    for content in damaged(sample.read_bytes()):
        path.write_bytes(content)
        corpus, refusal = read_or_refused(path)
        assert "\n" not in refusal
        assert not refusal or refusal.startswith(str(path))
        # Whatever is read has documents of the whole file, none longer than it was: nothing has been merged.
        for document in corpus:
            assert document.id in whole
            grown = document.n_units - whole[document.id].n_units
            assert grown <= (1 if name not in ("chunks", "label_studio") else 40)
