# SPDX-License-Identifier: Apache-2.0
"""Paper 002, a quality index without a reference.

**We chose the levels.** Tables 1 to 3 and 6 correlate means over the number of boundaries that were removed, added or moved. The
paper does not say which numbers, and the released notebook has one example and none of the experiments. The levels of Tables 1
and 2 were chosen among about eleven ranges because they fit best, and each note has the value at another range. Choi comes
within 0.003 of print there, which shows that some range of levels gives these numbers, not that it is the paper's.

**Which documents.** The paper leaves out two documents of Choi in Table 4 and does not name them. Left out here is the one of the three
documents with equal neighbours without which every digit but that of Pk comes out. In means over levels infinite scores are left out
and counted: whether two equal centroids differ by rounding decides between 0, ten thousand and infinity.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "lucas2023",
    "Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)",
    caution="The levels of Tables 1 and 2 are not stated; they were chosen among about eleven ranges because they fit best. "
    "*Within sampling* says there that some range of levels gives the printed numbers, not that it is the paper's.",
)
