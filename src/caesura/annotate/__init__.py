# SPDX-License-Identifier: Apache-2.0
"""Annotation projects: people mark boundaries in a browser, the lead sees agreement while it happens, and gold comes out."""

from caesura.annotate.project import Project

__all__ = ["Project"]
