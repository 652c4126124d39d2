# SPDX-License-Identifier: Apache-2.0
"""What people did in an annotation project: append-only events in one SQLite file, and the state that follows from them."""

FILE = "annotate.sqlite"
"""The name of the file of events; a folder that holds one is an annotation project."""
LEAD = ""
"""The person of events that the lead, or a command, made; nobody else has an empty name."""
