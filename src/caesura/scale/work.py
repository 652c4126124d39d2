# SPDX-License-Identifier: Apache-2.0
"""What an engine does to shards: found if an earlier run left it, done by a worker, kept by the caller."""

from __future__ import annotations

from typing import Generic, TypeVar

__all__ = ["Result", "Shard", "Work"]

Shard = TypeVar("Shard")
Result = TypeVar("Result")


class Work(Generic[Shard, Result]):
    """One kind of work on shards; it travels to the workers, so it holds plain data and opens the rest when it is used."""

    @property
    def holds_encoder(self) -> bool:
        """Whether it opens an encoder, which an actor then holds from shard to shard."""
        return False

    def name(self, shard: Shard) -> str:
        """Return the name of a shard in messages; every work has its own."""
        raise NotImplementedError  # pragma: no cover - every work has its own

    def found(self, shard: Shard) -> Result | None:
        """Return what an earlier run kept of a shard; None if it is not there, or damaged."""
        return None

    def do(self, shard: Shard) -> Result:
        """Do the work, in whichever process; a `CaesuraError` stops this shard only."""
        raise NotImplementedError  # pragma: no cover - every work has its own

    def keep(self, shard: Shard, result: Result) -> None:
        """Keep the result of a shard, whole or not at all; called by the process that started the run."""
