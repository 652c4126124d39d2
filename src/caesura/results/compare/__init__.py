# SPDX-License-Identifier: Apache-2.0
"""The comparison of systems: what was found, in sentences, in tables, as a figure."""
