# SPDX-License-Identifier: Apache-2.0
"""Comparison with chance at the same density: skill, verdicts, regimes."""
