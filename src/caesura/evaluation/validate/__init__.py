# SPDX-License-Identifier: Apache-2.0
"""The self-degradation test: which reference-free metrics work on a corpus.

A segmentation is damaged in known ways. A metric that prefers the damaged one, or does not react to the amount of damage,
cannot tell a good system from a bad one on these documents, however well it works elsewhere. One that does no better than a
measure of lengths (`Evenness`) does not read.

Nothing is imported here: `caesura.cohesion` tests itself with parts of this package.
"""
