# SPDX-License-Identifier: Apache-2.0
"""Spans that chunkers should not cut: what was found, in sentences, in tables, as a figure."""
