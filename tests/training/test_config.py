"""Configurations: defaults, files beside them, and what is refused."""

from __future__ import annotations

import pytest

from caesura.errors import FormatError
from caesura.training.config import Config, read_config


def test_files_lie_beside_the_configuration(tmp_path):
    path = tmp_path / "stages.toml"
    path.write_text(
        'train = ["a.jsonl", "/data/b.jsonl"]\nseed = 3\n[stage1]\nepochs = 0\nfiles = ["p.jsonl"]\n'
        '[abroad]\nother = "c.jsonl"\n'
    )
    found = read_config(path)
    assert found.train == [str(tmp_path / "a.jsonl"), "/data/b.jsonl"]
    assert found.abroad == {"other": str(tmp_path / "c.jsonl")}
    assert found.stage1.files == [str(tmp_path / "p.jsonl")]
    assert (found.seed, found.stage1.epochs, found.stage2) == (3, 0, Config().stage2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("train = [", "is not a configuration"),
        ("trian = ['a']", "is not a configuration"),
        ("seed = 'one'", "is not a configuration"),
        ("seed = -1", "seed is -1; it must be at least 0"),
        ("scorer = 'Nothing'", "is not a head"),
        ("threshold = 1.5", "threshold is 1.5"),
        ("[stage1]\nunits = [5, 2]", r"stage1.units is \[5, 2\]"),
        ("[stage1]\nepochs = 0\n[stage2]\nepochs = 0", "no stage has an epoch"),
        ("x = " + "[" * 2000, "is not a configuration"),
        ("\udcff", "is not a configuration"),
    ],
)
def test_a_wrong_configuration_is_refused_in_one_line(tmp_path, text, says):
    path = tmp_path / "stages.toml"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(FormatError, match=says) as refused:
        read_config(path)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FormatError, match="there is no such file"):
        read_config(tmp_path / "nothing.toml")
