# SPDX-License-Identifier: Apache-2.0
"""How boundaries are searched: by dynamic programming, by division, from ranked gaps."""
