# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files: one module per format, found by walking this folder.

A format is detected from suffix and content; ``load(path, "bits(marks='last')")`` says it outright. Modules whose name
begins with an underscore are shared parts. A format module is imported when its suffix or name calls for it, and a
third-party library only inside the function that reads or writes with it.
"""

from caesura.formats._base import FORMATS, Format
from caesura.formats._detect import detect, load, save

__all__ = ["FORMATS", "Format", "detect", "load", "save"]

FORMATS.discover(__path__, __name__, lazy=True)
