# SPDX-License-Identifier: Apache-2.0
"""Caesura inside other tools, one module each: pytest, scikit-learn, Inspect. None is imported unless it is asked for."""
