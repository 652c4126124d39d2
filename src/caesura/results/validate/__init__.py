# SPDX-License-Identifier: Apache-2.0
"""The test of metrics without a reference: what was found, in sentences, in tables, as a figure."""
