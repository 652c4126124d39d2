# SPDX-License-Identifier: Apache-2.0
"""One adapter per library: what it supports, how its input is prepared, how it runs, which scores come out.

Preparing is never timed, so that each library gets the form it likes best.
"""

from benchmarks.peers.base import TASKS, Adapter, Task
from benchmarks.peers.caesura_adapter import CaesuraAdapter
from benchmarks.peers.mir_eval_adapter import MirEvalAdapter
from benchmarks.peers.nltk_adapter import NltkAdapter
from benchmarks.peers.pyannote_adapter import PyannoteAdapter
from benchmarks.peers.segeval_adapter import SegevalAdapter

__all__ = ["PEERS", "TASKS", "Adapter", "CaesuraAdapter", "Task"]

PEERS: tuple[Adapter, ...] = (SegevalAdapter(), NltkAdapter(), PyannoteAdapter(), MirEvalAdapter())
"""Every library but our own."""
