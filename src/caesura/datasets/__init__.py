# SPDX-License-Identifier: Apache-2.0
"""Corpora: those that come with the library."""
