# SPDX-License-Identifier: Apache-2.0
"""Vectors kept on disk: the store, and its database."""
