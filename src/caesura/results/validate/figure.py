# SPDX-License-Identifier: Apache-2.0
"""The figure of the self-degradation test: how often each metric prefers the undamaged segmentation, by kind and level."""

from __future__ import annotations

from caesura.results import Results
from caesura.results.panels import Panel, Spec, axis, concatenated, names_apart, needed, plain_name, read_off

__all__ = ["figure"]


def figure(results: Results) -> Spec:
    """Return one panel per kind of damage and encoder: the share of documents ranked right over the level of damage."""
    validity = needed(results.validity, results, "damages", "validate")
    names = names_apart(dict.fromkeys(name for each in validity.encoders.values() for name in each.metrics))
    panels = []
    for encoder, trust in validity.encoders.items():
        kinds = dict.fromkeys(trial.kind for each in trust.metrics.values() for trial in each.trials)
        for kind in kinds:
            rows: list[Spec] = [
                {"scorer": names[metric], "threshold": trial.level, "level": trial.level, "right": trial.ranked_right,
                 "low": trial.ranked_right, "high": trial.ranked_right}
                for metric, each in trust.metrics.items()
                for trial in each.trials
                if trial.kind == kind and trial.ranked_right is not None
            ]  # fmt: skip
            single = len({row["level"] for row in rows}) == 1
            panels.append(
                Panel(
                    title=f"{kind} ({plain_name(encoder)})" if len(validity.encoders) > 1 else kind,
                    rows=rows,
                    marked=rows if single else [],
                    x=axis("level", f"level of {kind}", {"zero": False, "nice": False}, tickCount=5),
                    y=axis("right", "share of documents ranked right", {"domain": [0, 1]}, tickCount=5),
                    line={"right": 0.5},
                    tooltip=read_off(level=("level", ".3~g"), right=("ranked right", ".3f")),
                    clip={},
                )
            )
    subtitle = [f"{validity.documents} documents; dashed: a coin"]
    return concatenated(panels, list(names.values()), "Which metric notices damage", subtitle)
