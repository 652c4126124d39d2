"""Files to mail: what comes back is taken in once, and what does not belong is one line and takes nothing in."""

from __future__ import annotations

import json

import pytest

from caesura.annotate import Project
from caesura.annotate.offline import _checksum, collect, write_offline
from caesura.annotations.state import Task
from caesura.errors import FormatError, OutputExistsError


def returned(project, changes=None):
    """Return the content of a file as the page saves it."""
    events = json.dumps(
        [{"client": "mailed-page", "sequence": 1, "task": 0, "kind": "mark", "payload": {"gap": 3, "level": 1}}]
    )
    content = {
        "annotate": 1,
        "project": project.state.settings.project,
        "person": "a1",
        "key": project.token("a1", "mail"),
        "events": events,
        "check": _checksum(events.encode()),
    }
    return json.dumps(content | (changes or {}))


def test_a_file_is_taken_in_once(project, tmp_path, run):
    file = tmp_path / "a1.json"
    file.write_text(returned(project))
    assert collect(project, file) == ("a1", 1, 1)
    assert collect(project, file) == ("a1", 0, 1)
    task = project.state.tasks["a1"][0]
    assert project.state.coding("a1", Task(task.document)).marks == {3: 1}
    code, out, err = run("annotate", project.folder, "--collect", file)
    assert code == 0
    assert "0 new events of 1 by a1" in err
    assert "3 documents, 2 people" in out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"project": "another"}, "belongs to another project"),
        ({"person": "a2"}, "is of 'a2', who has no such file"),
        ({"person": "nobody"}, "is of 'nobody', who has no such file"),
        ({"check": 1}, "was changed after the page saved it"),
        ({"events": "[]"}, "was changed after the page saved it"),
        ({"more": 1}, "is not a file that an annotation page saved"),
    ],
)
def test_what_does_not_belong_is_one_line_and_takes_nothing_in(project, tmp_path, changes, said):
    file = tmp_path / "a1.json"
    file.write_text(returned(project, changes))
    before = project.state.number
    with pytest.raises(FormatError, match=said) as error:
        collect(project, file)
    assert "\n" not in str(error.value)
    assert project.state.number == before
    file.write_bytes(b"\xff\x00 no json")
    with pytest.raises(FormatError, match="is not a file that"):
        collect(project, file)


def test_a_mailed_file_has_nothing_of_others(project, tmp_path, run):
    code, out, _ = run("annotate", project.folder, "--offline", tmp_path / "out")
    assert code == 0
    assert "2 files, one per person" in out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a1.html", "a2.html"]
    with pytest.raises(OutputExistsError):
        write_offline(project, tmp_path / "out")
    with Project(project.folder) as again:
        assert again.token("a2") not in (tmp_path / "out" / "a1.html").read_text()
