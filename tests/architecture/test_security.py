"""SECURITY.md promises nothing that no test holds: every promise has its tests here, and they exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

HELD = {
    "No code from data": ["encoders/test_precomputed.py::test_a_pickle_is_not_opened", "formats/test_annotation_formats.py::test_xmi_refuses_entities", "results/test_counts.py::test_hostile_counts_are_refused_in_one_line_and_little_memory"],
    "Opening a model runs no code and asks nothing": [
        "encoders/test_no_code.py::test_the_command_refuses_it_in_one_line_whatever_stands_on_its_input",
        "encoders/test_no_code.py::test_a_trained_model_that_names_code_is_refused_before_a_library_sees_it",
        "encoders/test_no_code.py::test_a_library_sees_weights_settings_and_vocabularies_alone",
    ],
    "One line, not a traceback": ["cli/test_no_tracebacks.py::test_bad_input_is_one_line", "formats/test_damage.py::test_damage_names_its_line"],
    "Nothing controls your terminal": ["cli/test_terminal.py::test_a_command_does_not_control_the_terminal", "cli/test_terminal.py::test_every_command_has_a_case"],
    "Passed means compared": ["cli/test_gate.py::test_a_gate_that_compared_nothing_has_not_passed", "cli/test_gate.py::test_only_scores_that_were_compared_are_counted"],
    "No keys in what you share": ["cli/test_private.py::test_bench_shares_neither_key_nor_folder", "cli/test_private.py::test_new_names_of_annotators_and_documents_replace_the_old_ones_everywhere"],
    "Any file name": ["cli/test_private.py::test_a_file_name_that_is_not_utf8"],
    "Whole or not at all": ["formats/test_damage.py::test_cut_off", "formats/test_containers.py::test_a_part_of_a_container_is_refused", "test_strict_json.py::"],
    "Bounded cost": ["formats/test_containers.py::test_a_bomb_is_refused_with_the_way_to_read_it", "fuzz/test_fuzz.py::test_a_hang_and_much_memory_are_reported"],
    "Memory follows the size of a file": ["cli/test_memory.py::test_boundaries_are_scored_however_long_a_document_is", "cli/test_memory.py::test_too_little_memory_is_one_line_and_2", "formats/test_parquet_limits.py::"],
    "Counts and shards are checked": ["results/test_counts.py::", "scale/test_damaged.py::test_a_damaged_shard_is_refused_when_it_is_read"],
    "The recorded hash is that of what was read": ["test_files.py::test_the_hash_is_that_of_what_was_read"],
    "TERM and HUP are as clean as Ctrl-C": ["cli/test_signals.py::test_a_program_and_what_it_started_end_too", "cli/test_no_tracebacks.py::test_interrupted_at_any_moment"],
    "`explore` answers this machine only": ["browser/test_explorer.py::test_another_host_name_is_not_answered", "browser/test_explorer.py::test_a_token_that_is_short_or_cannot_be_sent_is_refused_at_once"],
    "`annotate` answers the holders of its links only": ["annotate/test_server.py::test_what_does_not_belong_here_is_refused", "annotate/test_server.py::test_nobody_is_sent_what_others_marked", "annotate/test_kills.py::test_no_acknowledged_event_is_lost_or_doubled"],
    "A download is whole or absent": ["datasets/test_download.py::test_a_wrong_hash_keeps_nothing", "datasets/test_download.py::test_a_part_that_is_a_link_is_not_written"],
    "Nothing leaves the machine": ["test_foreign.py::test_a_library_gets_no_connection", "cli/test_chat.py::"],
    "Libraries do not connect unasked": ["test_foreign.py::test_an_adapter_connects_only_if_that_is_allowed"],
    "Code that you name costs its own document only": ["segmenters/others/test_function.py::test_whatever_it_raises_or_returns_costs_its_document_only"],
    "A locked set of dependencies": ["architecture/test_security.py::test_the_lock_has_a_hash_for_every_package"],
}  # fmt: skip
"""The tests that hold each promise; a file without a name stands for all its tests."""


def promises() -> list[str]:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    part = page.split("## What Caesura guarantees")[1].split("\n## ")[0]
    bullets = re.findall(r"^- \*\*(.+?)\*\*", part, re.MULTILINE)
    assert len(bullets) == len(re.findall(r"^- ", part, re.MULTILINE)), "every promise begins with its name"
    return [name.rstrip(".,") for name in bullets]


def test_every_promise_is_held_by_tests() -> None:
    assert sorted(promises()) == sorted(HELD)


@pytest.mark.parametrize("promise", HELD)
def test_the_tests_of_a_promise_exist(promise: str) -> None:
    for place in HELD[promise]:
        file, _, name = place.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        found = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        assert found, f"{file} has no test"
        assert not name or name in found, place


def test_the_lock_has_a_hash_for_every_package() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(.*(?:\n    .*)*)", text, re.MULTILINE)
    assert len(entries) > 50
    lacking = [name for name, _, rest in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", rest)]
    assert not lacking
    assert not re.search(r"https?://|--index|--find-links", text), "a lock names no place"
