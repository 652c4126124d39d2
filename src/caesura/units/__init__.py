# SPDX-License-Identifier: Apache-2.0
"""From one unit to another: quantities with a unit, texts, aligned chunks, projected boundaries."""
