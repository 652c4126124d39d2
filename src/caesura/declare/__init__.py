# SPDX-License-Identifier: Apache-2.0
"""Declaration and registration of named, parametrised classes: metrics, formats and every other family.

A declared class is a frozen dataclass in its own file. Its fields are its parameters (declared with `param`); its
``card`` holds its public facts. ``@FAMILY.register`` adds it to the registry of its family. The family's package
imports its own modules with `Registry.discover`, so nothing else has to name the class. ``parse("WindowDiff(k=5)")``
and ``str(metric)`` are inverses.

This package imports no family.
"""

from caesura.declare._parameters import Card, Declared, param, parameters
from caesura.declare._registry import Registry
from caesura.declare._text import arguments, in_any_case, nearest, snake_case, split_names

__all__ = [
    "Card", "Declared", "Registry", "arguments", "in_any_case", "nearest", "param", "parameters", "snake_case", "split_names",
]  # fmt: skip
