# SPDX-License-Identifier: Apache-2.0
"""The parts of the benchmark, one file per group of goals; each has one function ``measure(settings)``."""
