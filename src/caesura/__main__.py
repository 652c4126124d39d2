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
    except RuntimeError as error:  # while a class is made, Python 3.11 turns Ctrl-C into this
        if isinstance(error.__cause__, KeyboardInterrupt):
            sys.exit(130)
        raise


if __name__ == "__main__":
    main()
