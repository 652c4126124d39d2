# SPDX-License-Identifier: Apache-2.0
"""Paper 004, how people segment a novel, and a measure for many annotators.

The numbers below are of the corpus as its authors released it: 20 chapters, 27 annotators in five groups. Put the folder (`data/moonstone_corpus`
of github.com/contours/textseg, with its tables of groups) into the data folder as `moonstone_release`, or name it with `--data`. It has no
licence and is not included: without it, the 8 chapters of the package are used, two of the five groups.

Table 2 follows the protocol of the paper: settings are chosen on chapters 1 to 4 by multWinDiff, and the other 16 are tested. The paper does not
say which settings it tried, so those are ours; the notes say how far others that are as good on the four chapters move the result.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("kazantseva2012", "Kazantseva and Szpakowicz, Topical segmentation: a study of human performance")
