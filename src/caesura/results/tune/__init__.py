# SPDX-License-Identifier: Apache-2.0
"""Tuned parameters: what was found, in sentences, in tables, as a figure."""
