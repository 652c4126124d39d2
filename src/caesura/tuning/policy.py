# SPDX-License-Identifier: Apache-2.0
"""Policies: operating points that were chosen on a sweep, saved, and applied elsewhere."""

from __future__ import annotations

from pathlib import Path

import msgspec

from caesura.errors import FormatError
from caesura.files import write_atomically
from caesura.results import Number, as_text
from caesura.segmentation import Segmentation
from caesura.selectors import Scores, Selector
from caesura.selectors import selector as find_selector
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["POLICY_SCHEMA", "Policy", "read_policy"]

POLICY_SCHEMA = "caesura.policy/1"


class Policy(msgspec.Struct, kw_only=True):
    """A selector as text, such as ``StaticSelector(threshold=0.55, min_gap=3)``, and why it was chosen.

    ``scorer`` is the scorer whose curve it was chosen on, ``reached`` has the scores at that point of the curve.
    """

    schema: str = POLICY_SCHEMA
    selector: str
    why: str = ""
    scorer: str = ""
    reached: dict[str, Number] = msgspec.field(default_factory=dict)

    def make(self) -> Selector:
        """Return the selector."""
        return find_selector(self.selector)

    def select(self, scores: Scores) -> Segmentation:
        """Apply the policy to the scores of one document."""
        return self.make().select(scores)

    def encode(self) -> bytes:
        """Return the policy as JSON."""
        return (as_text(self) + "\n").encode()

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON."""
        write_atomically(path, self.encode())


def read_policy(path: str | Path) -> Policy:
    """Read a saved policy."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", path) from None
    try:
        policy = decode(data, Policy, strict=False)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, error.line) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not a policy; caesura sweep --save-policy FILE writes one", path) from None
    if policy.schema != POLICY_SCHEMA:
        raise FormatError(f"has the schema {policy.schema!r}, this version reads {POLICY_SCHEMA!r}", path)
    policy.make()
    return policy
