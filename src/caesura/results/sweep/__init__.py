# SPDX-License-Identifier: Apache-2.0
"""A sweep over thresholds: what was found, in sentences, in tables, as a figure."""
