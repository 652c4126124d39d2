# SPDX-License-Identifier: Apache-2.0
"""The version, in a file that the build can read without importing the package, and the name to install.

On the package index ``caesura`` is another project; the name here is that of pyproject.toml.
"""

__version__ = "0.1.0"

DISTRIBUTION = "caesura-eval"
