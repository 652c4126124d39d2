"""``kill -9`` while four pages save: every acknowledged event is there once. CAESURA_KILLS says how often (`make fuzz`: 300)."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from caesura.annotate import Project
from caesura.annotations.events import EventStore

pytest.importorskip("uvicorn", reason="the extra explore is not installed")
KILLS = int(os.environ.get("CAESURA_KILLS", "3"))
PAGES = 4


def start(folder):
    """Start the server, and return it with its port."""
    words = [sys.executable, "-W", "ignore", "-m", "caesura", "annotate", str(folder), "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    for line in process.stdout:
        if line.startswith("lead\t"):
            return process, int(line.split(":")[2].split("/")[0])
    raise AssertionError("the server did not start")


class Page(threading.Thread):
    """Saves one event after the other, and says each again until it is acknowledged, as the page in a browser does."""

    def __init__(self, token, client, ports):
        super().__init__(daemon=True)
        self.token, self.client, self.ports = token, client, ports
        self.acknowledged, self.sequence, self.ended = set(), 1, False

    def run(self):
        while not self.ended:
            sent = {
                "sequence": self.sequence,
                "kind": "mark",
                "task": 0,
                "payload": {"gap": 1 + self.sequence % 11, "level": 1},
            }
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=5)
                connection.request(
                    "POST",
                    "/api/events",
                    json.dumps({"client": self.client, "events": [sent]}),
                    {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
                )
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
            except OSError:
                time.sleep(0.02)
                continue
            except http.client.HTTPException:
                continue
            if answer.status != 200:
                time.sleep(0.05)
                continue
            assert json.loads(body)["saved"] == [self.sequence]
            self.acknowledged.add(self.sequence)
            self.sequence += 1


def test_no_acknowledged_event_is_lost_or_doubled(project):
    folder = project.folder
    project.close()
    with Project(folder) as made:
        tokens = [made.token("a1"), made.token("a2")]
    drawn = random.Random(5)
    ports = [0]
    pages = [Page(tokens[k % 2], f"page-{k:04}", ports) for k in range(PAGES)]
    process, ports[0] = start(folder)
    for page in pages:
        page.start()
    for _ in range(KILLS):
        before = sum(len(page.acknowledged) for page in pages)
        deadline = time.monotonic() + 20
        while sum(len(page.acknowledged) for page in pages) < before + 5 and time.monotonic() < deadline:
            time.sleep(0.005)  # somebody is saving
        time.sleep(drawn.random() * 0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process, ports[0] = start(folder)
    for page in pages:
        page.ended = True
        page.join(10)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with EventStore(folder) as store:
        stored = [(event.client, event.sequence) for event in store.events() if event.kind == "mark"]
    assert len(stored) == len(set(stored))
    acknowledged = {(page.client, sequence) for page in pages for sequence in page.acknowledged}
    assert len(acknowledged) >= 5 * KILLS
    assert acknowledged <= set(stored)
    # What is there and was never acknowledged is at most the one event that each page was about to say again.
    assert len(set(stored) - acknowledged) <= PAGES
