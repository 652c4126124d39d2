# SPDX-License-Identifier: Apache-2.0
"""Experiments: fixed questions asked of real data."""
