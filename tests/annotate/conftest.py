"""A project, its server in this process, and people who talk to it without a browser."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.annotate import Project
from caesura.corpus import Corpus, Document
from tests.cli.conftest import run  # noqa: F401  (the command line in this process)


def corpus_of(sizes: list[int]) -> Corpus:
    """Return documents whose units say where they are."""
    return Corpus(
        [
            Document(id=f"m{i}", n_units=n, units=tuple(f"Turn {k} of meeting {i}." for k in range(1, n + 1)))
            for i, n in enumerate(sizes, start=1)
        ]
    )


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Write three documents."""
    path = tmp_path / "docs.jsonl"
    cz.save(corpus_of([12, 20, 8]), path)
    return path


@pytest.fixture
def project(tmp_path: Path, docs: Path) -> Iterator[Project]:
    """Make a project with three documents and two people."""
    with Project(tmp_path / "project", create=True) as made:
        made.add_documents(docs)
        made.add_people(["a1", "a2"])
        made.assign()
        yield made


class Asking:
    """A server, and requests of it."""

    def __init__(self, address: str, project: Project) -> None:
        self.place = address.removeprefix("http://").rstrip("/")
        self.project = project

    def ask(
        self, path: str, body: object = None, *, person: str | None = None, method: str | None = None, **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        """Return status, answer and headers."""
        connection = http.client.HTTPConnection(self.place, timeout=20)
        if person is not None:
            headers["Authorization"] = f"Bearer {self.project.token(person)}"
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method or ("GET" if body is None else "POST"), path, sent, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        try:
            value: Any = json.loads(text)
        except ValueError:
            value = text.decode()
        return answer.status, value, dict(answer.getheaders())

    def save(self, person: str, *events: dict[str, Any], client: str = "client-1", known: int = 0) -> dict[str, Any]:
        """Save events, and return the answer."""
        status, value, _ = self.ask(
            "/api/events", {"client": client, "known": known, "events": list(events)}, person=person
        )
        assert status == 200, value
        answer: dict[str, Any] = value
        return answer


@pytest.fixture
def server(project: Project) -> Iterator[Asking]:
    """Serve the project."""
    pytest.importorskip("starlette", reason="the extra explore is not installed")
    uvicorn = pytest.importorskip("uvicorn", reason="the extra explore is not installed")
    from caesura.annotate.server import application

    config = uvicorn.Config(
        application(project), port=0, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield Asking(f"http://127.0.0.1:{port}/", project)
    running.should_exit = True
    thread.join(10)


def event(sequence: int, kind: str, task: int = 0, **payload: Any) -> dict[str, Any]:
    """Return an event as a page sends it."""
    return {"sequence": sequence, "kind": kind, "task": task, "payload": payload}


Save = Callable[..., dict[str, Any]]
