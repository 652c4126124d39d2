# SPDX-License-Identifier: Apache-2.0
"""Corpora beyond one machine: shards are counted separately, by any scheduler, and merged exactly.

`count` reduces a shard to a small `ShardResult`, `merge` adds such results, `finish` converts them to `Results`.
"""

from caesura.scale.count import count
from caesura.scale.merge import finish, merge
from caesura.scale.shard import ShardResult, parse_shard, read_shard, shard_text, write_shard

__all__ = ["ShardResult", "count", "finish", "merge", "parse_shard", "read_shard", "shard_text", "write_shard"]
