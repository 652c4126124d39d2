# SPDX-License-Identifier: Apache-2.0
"""Corpora beyond one machine: shards are counted apart, by any scheduler, and merged without a difference in any digit.

`count` turns one shard into a small `ShardResult`, `merge` adds such results, `finish` makes `Results` of them.
"""

from caesura.scale.count import count
from caesura.scale.merge import finish, merge
from caesura.scale.shard import ShardResult, parse_shard, read_shard, shard_text, write_shard

__all__ = [
    "ShardResult",
    "count",
    "finish",
    "merge",
    "parse_shard",
    "read_shard",
    "shard_text",
    "write_shard",
]
