# SPDX-License-Identifier: Apache-2.0
"""Systems against a reference."""
