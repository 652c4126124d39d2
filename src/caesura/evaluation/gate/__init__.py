# SPDX-License-Identifier: Apache-2.0
"""A gate for a build: limits on scores, and drops since an earlier results file."""
