# SPDX-License-Identifier: Apache-2.0
"""Conversion between units: quantities, texts, aligned chunks, projected boundaries."""
