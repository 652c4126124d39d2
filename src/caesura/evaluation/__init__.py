# SPDX-License-Identifier: Apache-2.0
"""Evaluation: systems x metrics, counted per document and aggregated into scores that carry their recipe; one folder per question."""
