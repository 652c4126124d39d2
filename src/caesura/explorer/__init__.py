# SPDX-License-Identifier: Apache-2.0
"""The live form of the report page: the same modules, with documents read on demand.

`app` has the application (page and data over HTTP, guarded by a token), and the same as files for any web server.
"""

from caesura.explorer.app import LOOPBACK, application, serve, write_bundle

__all__ = ["LOOPBACK", "application", "serve", "write_bundle"]
