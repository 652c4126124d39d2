# SPDX-License-Identifier: Apache-2.0
"""Servers that are asked over HTTP, by encoders and by segmenters."""

from caesura.encoders.web.server import Server, server_timeout

__all__ = ["Server", "server_timeout"]
