# SPDX-License-Identifier: Apache-2.0
"""What action.yml runs: ``caesura gate``, its summary on the page of the job, and one comment on the pull request, kept up to date.

Settings come from the environment, never through a shell. The exit code is that of the gate. A comment that cannot be written, as
from a fork, is told and fails nothing.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

_WORDS = {0: "passed", 1: "failed"}
_LONGEST = 60_000  # of the 65,536 characters that a comment may have


def main() -> int:
    """Run the gate and show what it said."""
    title = os.environ.get("CAESURA_TITLE") or "Caesura"
    try:
        arguments = shlex.split(os.environ.get("CAESURA_GATE", ""))
    except ValueError as error:
        print(f"The input gate cannot be read: {error}.", file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "caesura", "gate", *arguments, "--format", "markdown"]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONIOENCODING": "utf-8"}
    )
    print(done.stdout, end="", flush=True)
    print(done.stderr, end="", file=sys.stderr)
    said = done.stdout.strip() or f"```\n{done.stderr.strip()}\n```"
    text = f"## {title}: {_WORDS.get(done.returncode, 'did not run')}\n\n{said}\n"
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(page).open("a", encoding="utf-8") as file:
            file.write(text)
    if os.environ.get("CAESURA_COMMENT") == "true":
        try:
            comment(f"<!-- caesura: {title} -->\n", text)
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"::warning::The comment was not written: {error}")
    return done.returncode


def comment(mark: str, text: str) -> None:
    """Replace the comment that begins with this mark, or add one."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    if "pull_request" not in event:
        return
    base = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    own = f"{base}/{event['pull_request']['number']}/comments"
    body = mark + text
    if len(body) > _LONGEST:
        body = f"{body[:_LONGEST]}\n\nThe rest is on the page of the job.\n"
    page = 1
    while found := _ask("GET", f"{own}?per_page=100&page={page}"):
        for each in found:
            if (each.get("body") or "").startswith(mark):
                _ask("PATCH", f"{base}/comments/{each['id']}", body)
                return
        page += 1
    _ask("POST", own, body)


def _ask(method: str, address: str, body: str | None = None) -> list[dict[str, object]]:
    data = None if body is None else json.dumps({"body": body}).encode()
    headers = {"Authorization": f"Bearer {os.environ['CAESURA_TOKEN']}", "Accept": "application/vnd.github+json"}
    request = urllib.request.Request(address, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
