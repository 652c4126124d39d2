# SPDX-License-Identifier: Apache-2.0
"""A measurement without a reference: what was found, in sentences, in tables, as a figure."""
