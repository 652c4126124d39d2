# SPDX-License-Identifier: Apache-2.0
"""A live stream of boundaries: what was found, in sentences, in tables, as a figure."""
