# SPDX-License-Identifier: Apache-2.0
"""``python -m caesura``: the command line."""

from caesura.cli import main

if __name__ == "__main__":
    main()
