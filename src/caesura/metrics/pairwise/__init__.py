# SPDX-License-Identifier: Apache-2.0
"""Metrics of a reference and a hypothesis.

Windows
    ``Pk``, ``WindowDiff``, ``WinPrecision``, ``WinRecall``, ``WinF1``: what a window that slides over the text sees.
Edits
    ``SegmentationSimilarity`` [S], ``BoundarySimilarity`` [B], ``EditPrecision``, ``EditRecall``, ``EditF1``: what it
    takes to turn one into the other.
Boundaries
    ``BoundaryPrecision``, ``BoundaryRecall``, ``BoundaryF1`` [F1, W-F1], ``BOR``, ``BoundaryCountError`` [MAE]: which boundaries
    are hit, how many there are. ``DialogueScore`` [Score]: F1, Pk and WindowDiff in one number.
Segments
    ``Purity``, ``Coverage``, ``PurityCoverageF1``, ``CovN``, ``CovD`` and their parts, ``AlignmentIndex``: what becomes
    of the segments. ``SegmentPrecision``, ``SegmentRecall``, ``SegmentF1``, ``PanopticQuality`` [PQ], ``MeanTIoU`` [TIoU], ``SODA``:
    the same by intersection over union, as chapters are scored.
Titles
    ``TitleScore``, ``SODA(similarity='rouge')``: whether segments that belong together are called alike.
Bins
    ``Binned``: any of them on bins of equal length.
"""
