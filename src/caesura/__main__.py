# SPDX-License-Identifier: Apache-2.0
"""The command line, as ``caesura`` and as ``python -m caesura``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Import the command line and run it; Ctrl-C ends it with 130 from the first import on."""
    try:
        from caesura.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
