# SPDX-License-Identifier: Apache-2.0
"""Correlation of metrics without a reference with those that have one: what was found, in sentences, in tables, as a figure."""
