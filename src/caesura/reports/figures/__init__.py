# SPDX-License-Identifier: Apache-2.0
"""Figures: Vega-Lite specifications made from results."""
