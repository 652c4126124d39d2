# SPDX-License-Identifier: Apache-2.0
"""Caesura evaluates topic segmentation: against one reference, against many annotators, or with no reference at all."""

from caesura._version import __version__
