# SPDX-License-Identifier: Apache-2.0
"""A gate: what was found, in sentences, in tables, as a figure."""
