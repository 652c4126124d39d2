# SPDX-License-Identifier: Apache-2.0
"""Segmentations checked without a reference: what was found, in sentences and in tables."""
