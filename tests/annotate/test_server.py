"""The server of a project, asked by hand: who gets what, what is refused, and that a save is a commit."""

from __future__ import annotations

import http.client
import json
import sqlite3
import threading

import pytest

from caesura.annotate.content import recordings
from caesura.annotations import LEAD
from caesura.annotations.state import Task
from caesura.errors import FormatError
from tests.annotate.conftest import event


def test_nobody_is_sent_what_others_marked(server):
    place = server.project.state.tasks["a2"].index(Task("m1"))
    server.save("a1", event(1, "mark", server.project.state.tasks["a1"].index(Task("m1")), gap=4, level=1))
    server.save(
        "a1", event(2, "comment", server.project.state.tasks["a1"].index(Task("m1")), gap=4, text="secret-remark")
    )
    status, content, _ = server.ask(f"/api/document/{place}", person="a2")
    assert status == 200
    assert content["coding"]["marks"] == []
    answer = server.save("a2", event(1, "mark", place, gap=2, level=1), known=1)
    assert answer["others"] == []
    everything = json.dumps([content, answer, server.ask("/api/me", person="a2")[1]])
    assert "secret-remark" not in everything
    assert server.ask("/api/lead", person="a2")[0] == 403


def test_a_save_is_on_disk_and_a_repeated_one_counts_once(server):
    events = [event(k, "mark", gap=k, level=1) for k in range(1, 5)]
    assert server.save("a1", *events)["saved"] == [1, 2, 3, 4]
    assert server.save("a1", *events)["saved"] == [1, 2, 3, 4]
    stored = [each for each in server.project.store.events() if each.kind == "mark"]
    assert [each.sequence for each in stored] == [1, 2, 3, 4]


def test_two_tabs_learn_of_each_other_and_overwrite_nothing(server):
    number = server.save("a1", event(1, "mark", gap=2, level=1), client="tab-one-")["number"]
    answer = server.save("a1", event(1, "mark", gap=5, level=1), client="tab-two-", known=number)
    assert answer["others"] == []
    answer = server.save("a1", client="tab-one-", known=number)
    assert answer["others"] == [{"task": 0, "kind": "mark", "payload": {"gap": 5, "level": 1}}]
    content = server.ask("/api/document/0", person="a1")[1]
    assert content["coding"]["marks"] == [[2, 1], [5, 1]]


def test_a_bad_event_costs_itself_only(server):
    n = server.project.state.n_units[server.project.state.tasks["a1"][0].document]
    answer = server.save(
        "a1",
        event(1, "mark", gap=3, level=1),
        event(2, "mark", gap=n, level=1),
        event(3, "mark", gap=3, level=2),
        event(4, "mark", 99, gap=3, level=1),
        event(5, "settings", project="mine"),
        event(6, "title", gap=3, text="x" * 501),
        event(7, "time", seconds=1e9),
        event(8, "mark", gap=3, level=1, person="a2"),
        event(9, "finish"),
    )
    assert answer["saved"] == [1, 9]
    assert sorted(answer["refused"]) == ["2", "3", "4", "5", "6", "7", "8"]


def test_what_does_not_belong_here_is_refused(server):
    good = {"client": "client-1", "events": []}
    for status, path, body, options in [
        (401, "/api/me", None, {}),
        (401, "/api/me", None, {"Authorization": "Bearer " + "0" * 32}),
        (401, "/api/me", None, {"Authorization": "Basic " + server.project.token("a1")}),
        (421, "/", None, {"Host": "evil.example"}),
        (403, "/api/events", good, {"person": "a1", "Origin": "https://evil.example"}),
        (403, "/api/events", good, {"person": "a1", "Origin": "null"}),
        (415, "/api/events", good, {"person": "a1", "Content-Type": "text/plain"}),
        (400, "/api/events", b"{", {"person": "a1"}),
        (400, "/api/events", {"client": "c", "events": []}, {"person": "a1"}),
        (413, "/api/events", b" " * (1 << 20) + b" ", {"person": "a1"}),
        (404, "/api/document/77", None, {"person": "a1"}),
        (404, "/api/document/x", None, {"person": "a1"}),
        (404, "/assets/../html.py", None, {}),
        (405, "/api/events", None, {"person": "a1"}),
        (405, "/api/me", good, {"person": "a1", "method": "DELETE"}),
    ]:
        answer = server.ask(path, body, **options)
        assert answer[0] == status, (path, answer)
        assert answer[2]["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer[2]["content-security-policy"]


def test_a_person_who_asks_faster_than_a_person_is_told_to_wait(server, monkeypatch):
    monkeypatch.setattr("caesura.annotate.server._PER_SECOND", 0.1)
    codes = [server.ask("/api/me", person="a1")[0] for _ in range(100)]
    assert codes[0] == 200
    assert codes[-1] == 429
    assert server.ask("/api/me", person="a2")[0] == 200  # and costs nobody else anything


def test_a_full_disk_is_said_and_nothing_is_acknowledged(server, monkeypatch):
    real = server.project.store._connection

    class Full:
        def execute(self, words, *values):
            if words.startswith("INSERT"):
                raise sqlite3.OperationalError("database or disk is full")
            return real.execute(words, *values)

    monkeypatch.setattr(server.project.store, "_connection", Full())
    body = {"client": "client-1", "events": [event(1, "mark", gap=2, level=1)]}
    status, answer, _ = server.ask("/api/events", body, person="a1")
    assert status == 507
    assert "the disk is full" in answer["error"]
    assert str(server.project.folder) not in answer["error"]
    monkeypatch.undo()
    assert server.save("a1", event(1, "mark", gap=2, level=1))["saved"] == [1]


def test_many_at_once_lose_nothing(server):
    """Twelve pages save at the same time; commits are shared, and every answer is about its own events."""
    failures = []

    def work(client):
        for k in range(1, 9):
            answer = server.save(
                "a1" if client % 2 else "a2", event(k, "mark", gap=1 + k % 7, level=k % 2), client=f"page-{client:04}"
            )
            if answer["saved"] != [k]:
                failures.append((client, k, answer))  # pragma: no cover

    threads = [threading.Thread(target=work, args=(client,)) for client in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    stored = [(each.client, each.sequence) for each in server.project.store.events() if each.kind == "mark"]
    assert len(stored) == len(set(stored)) == 12 * 8


def test_the_lead_sees_progress_and_what_agree_says(server):
    for person, gap in (("a1", 4), ("a2", 5)):
        for task in range(3):
            server.save(
                person, event(2 * task + 1, "mark", task, gap=gap, level=1), event(2 * task + 2, "finish", task)
            )
    connection = http.client.HTTPConnection(server.place, timeout=20)
    connection.request("GET", "/api/lead", headers={"Authorization": f"Bearer {server.project.token(LEAD)}"})
    line = connection.getresponse().readline()
    view = json.loads(line[6:])
    connection.close()
    assert set(view["status"]) == {"m1", "m2", "m3"}
    assert all(row == ["done", "done"] for row in view["status"].values())
    assert "kappa" in " ".join(view["answer"]).lower()


def test_recordings_are_played_in_parts_by_whom_they_are_given_to(project, tmp_path):
    testclient = pytest.importorskip("starlette.testclient", reason="the extra explore is not installed")
    from caesura.annotate.server import application

    path = tmp_path / "m1.mp3"
    path.write_bytes(bytes(range(200)))
    client = testclient.TestClient(application(project, recordings={"m1": path}), base_url="http://127.0.0.1")
    place = project.state.tasks["a1"].index(Task("m1"))
    given = client.get(f"/api/document/{place}", headers={"Authorization": f"Bearer {project.token('a1')}"}).json()
    assert given["recording"]["video"] is False
    address = "/" + given["recording"]["address"]
    part = client.get(address, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
    assert client.get(address.partition("?")[0]).status_code == 404
    assert client.get(f"/api/recording/{place}?key={project.token('a1')}").status_code == 404  # another role
    key = address.rpartition("=")[2]
    assert client.get("/api/me", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    other = project.state.tasks["a1"].index(Task("m2"))
    assert client.get(f"/api/recording/{other}?key={key}").status_code == 404


def test_a_folder_of_recordings_that_does_not_fit_is_one_line(project, tmp_path):
    (tmp_path / "sound").mkdir()
    with pytest.raises(FormatError, match=r"no recording that is named like a document, such as ID\.mp3"):
        recordings(project.documents(), tmp_path / "sound")
    (tmp_path / "sound" / "m1.mp3").write_bytes(b"")
    with pytest.raises(FormatError, match="its units have no times"):
        recordings(project.documents(), tmp_path / "sound")
    with pytest.raises(FormatError, match="no folder of recordings"):
        recordings(project.documents(), tmp_path / "sound" / "m1.mp3")
