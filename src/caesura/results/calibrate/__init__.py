# SPDX-License-Identifier: Apache-2.0
"""Calibration of a scorer: what was found, in sentences, in tables, as a figure."""
