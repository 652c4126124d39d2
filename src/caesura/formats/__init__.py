# SPDX-License-Identifier: Apache-2.0
"""Read and write files: one module per format, called by the format's name.

A format is detected from suffix and content, or named: ``load(path, "bits(marks='last')")``. Modules whose name begins
with an underscore are shared parts. A format's module is imported when it is needed, and a third-party library only
inside the function that reads or writes with it.
"""

from caesura.formats._base import FORMATS, Format
from caesura.formats._describe import describe_format, format_table, sample_of
from caesura.formats._detect import detect, load, save

__all__ = ["FORMATS", "Format", "describe_format", "detect", "format_table", "load", "sample_of", "save"]

FORMATS.discover(__path__, __name__, lazy=True)
