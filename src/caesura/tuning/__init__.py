# SPDX-License-Identifier: Apache-2.0
"""From scores to an operating point: sweeps, policies, selection, calibration, streams."""
