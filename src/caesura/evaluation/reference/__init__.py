# SPDX-License-Identifier: Apache-2.0
"""Evaluation of systems against a reference."""
