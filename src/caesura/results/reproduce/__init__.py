# SPDX-License-Identifier: Apache-2.0
"""A reproduced paper: what was found, in sentences, in tables, as a figure."""
