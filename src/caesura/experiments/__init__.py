# SPDX-License-Identifier: Apache-2.0
"""Experiments: fixed questions about real data."""
