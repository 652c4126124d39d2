# SPDX-License-Identifier: Apache-2.0
"""What chance gets at the same density: skill, verdicts, regimes."""
