# SPDX-License-Identifier: Apache-2.0
"""Comparison of systems: which is better, and by how much."""
