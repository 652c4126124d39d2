# SPDX-License-Identifier: Apache-2.0
"""Batches: segmentations of many documents as flat arrays, as kernels and metrics read them."""
