# SPDX-License-Identifier: Apache-2.0
"""An evaluation against a reference: what was found, in sentences, in tables, as a figure."""
