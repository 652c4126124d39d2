# SPDX-License-Identifier: Apache-2.0
"""The work of an engine on shards: found from an earlier run, else done by a worker and kept by the caller."""

from __future__ import annotations

from typing import Generic, TypeVar

__all__ = ["Result", "Shard", "Work"]

Shard = TypeVar("Shard")
Result = TypeVar("Result")


class Work(Generic[Shard, Result]):
    """One kind of work on shards; it is sent to workers, so it holds plain data and opens the rest on use."""

    @property
    def holds_encoder(self) -> bool:
        """Whether it opens an encoder, which an actor then holds from shard to shard."""
        return False

    def name(self, shard: Shard) -> str:
        """Return the name of a shard for messages; implemented by every subclass."""
        raise NotImplementedError  # pragma: no cover - every work has its own

    def found(self, shard: Shard) -> Result | None:
        """Return the result of a shard from an earlier run; None if missing or damaged."""
        return None

    def do(self, shard: Shard) -> Result:
        """Do the work, in any process; a `CaesuraError` stops this shard only."""
        raise NotImplementedError  # pragma: no cover - every work has its own

    def keep(self, shard: Shard, result: Result) -> None:
        """Keep the result of a shard atomically; called by the process that started the run."""
