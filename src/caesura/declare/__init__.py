# SPDX-License-Identifier: Apache-2.0
"""The one pattern for named, parametrised, registered things: metrics, formats, and whatever families come later.

A thing is a frozen dataclass in a file of its own. Its fields are its parameters (declared with `param`), its
``card`` holds its public facts. ``@FAMILY.register`` puts it into the registry of its family; the family's package
walks its own folder with `Registry.discover`, so that nothing else anywhere has to name the thing. ``parse`` and
``str`` are inverse to each other: ``parse("WindowDiff(k=5)")`` and ``str(metric)``.

This package imports no family.
"""

from caesura.declare._parameters import Card, Declared, param, parameters
from caesura.declare._registry import Registry
from caesura.declare._text import arguments, nearest, snake_case

__all__ = ["Card", "Declared", "Registry", "arguments", "nearest", "param", "parameters", "snake_case"]
