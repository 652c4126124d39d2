# SPDX-License-Identifier: Apache-2.0
"""Which system is better, and by how much."""
