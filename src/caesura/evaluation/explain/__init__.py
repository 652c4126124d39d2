# SPDX-License-Identifier: Apache-2.0
"""One pair under every known convention, and the reasons why the scores differ."""
