"""Hypothesis profiles: stable by default, `HYPOTHESIS_PROFILE=explore` looks for new examples."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "stable", deadline=None, derandomize=True, database=None, max_examples=30, suppress_health_check=_SLOW
)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "stable"))
