# SPDX-License-Identifier: Apache-2.0
"""Agreement of annotators: what was found, in sentences, in tables, as a figure."""
