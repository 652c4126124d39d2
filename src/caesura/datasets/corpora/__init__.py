# SPDX-License-Identifier: Apache-2.0
"""The datasets, one file each."""
