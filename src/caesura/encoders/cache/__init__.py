# SPDX-License-Identifier: Apache-2.0
"""Vectors kept on disk: the store, its database, its location, and the probe of an encoder."""
