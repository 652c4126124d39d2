# SPDX-License-Identifier: Apache-2.0
"""The live form of the page: the same modules, with documents read as they are looked at.

`app`
    the application: pages and data over HTTP, for those who may see them.
`bundle`
    the same as files, for any web server.
"""

from caesura.explorer.app import LOOPBACK, application, serve
from caesura.explorer.bundle import write_bundle

__all__ = ["LOOPBACK", "application", "serve", "write_bundle"]
