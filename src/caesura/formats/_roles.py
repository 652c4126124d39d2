# SPDX-License-Identifier: Apache-2.0
"""What the columns of tables and the keys of records are for: known names, and what the user says."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from caesura.errors import FormatError
from caesura.formats._files import Unlike

NAMES: Mapping[str, tuple[str, ...]] = {
    "doc": (
        "document", "doc", "doc_id", "document_id", "id", "dial_id", "dialogue_id", "dialog_id", "dialogue", "dialog",
        "conversation", "conversation_id", "conv_id", "call", "call_id", "chat", "chat_id", "session", "session_id",
        "meeting", "meeting_id", "episode", "episode_id", "video_id", "file", "filename", "dialogueid", "sample_id", "article_id",
    ),
    "label": (
        "label", "segment", "topic", "segment_id", "topic_id", "labels", "segments", "topics", "segment_ids", "topic_ids", "topic_label",
        "topic_labels", "seg_id", "seg_ids", "segment_label", "segment_labels", "pred", "preds", "prediction", "predictions", "gold",
    ),
    "boundary": (
        "boundary", "is_boundary", "segmentation_label", "segmentation_labels", "is_start", "starts", "is_end", "is_shift", "topic_shift",
        "new_topic", "topic_start", "segment_start", "boundary_flags", "flags", "flag",
    ),
    "masses": ("masses", "segment_lengths", "segment_sizes"),
    "boundaries": ("boundaries", "boundary_positions", "boundary_indices", "cuts", "splits"),
    "bits": ("bits",),
    "n_units": ("n_units", "num_units", "n_sentences", "num_sentences", "n_turns", "num_turns", "length"),
    "annotator": ("annotator", "annotator_id", "coder", "rater", "worker_id"),
    "order": (
        "unit", "unit_id", "turn", "turn_id", "index", "position", "line", "sentence_id", "utterance_id", "paragraph",
    ),
    "text": (
        "text", "sentence", "utterance", "content", "texts", "sentences", "utterances", "turns", "units", "messages", "message", "lines",
        "paragraphs",
    ),
    "speaker": ("speaker", "role", "speakers", "roles"),
}  # fmt: skip
"""The known column names by role; a column ``unit`` of words holds the texts."""

CODINGS = frozenset({"label", "boundary", "annotators", "masses", "boundaries", "bits"})
"""Roles of columns that give a segmentation."""

_MEANINGS = {
    "is_start": "first", "starts": "first", "topic_start": "first", "segment_start": "first", "new_topic": "first",
    "is_end": "last", "segmentation_label": "last", "segmentation_labels": "last",
}  # fmt: skip
"""What flags mark, where the name of their column says it."""

WEAK = {"id", "pred", "preds", "prediction", "predictions", "gold", "flag", "flags", "lines", "length"}
"""Names that give way to others of the same role."""


VALUE = "value"
"""What a list under the name of a document is called in ``columns``."""


class Unmapped(FormatError):
    """A table or record whose columns or keys do not say what they hold; ``columns`` shows how to say it."""

    def __init__(self, what: str, columns: str, line: int | None = None) -> None:
        self.what, self.columns = what, columns
        super().__init__(f"{what}; name it with --columns {columns} (columns={columns!r} in Python)", line=line)

    def told(self, argument: str) -> FormatError:
        """Return the error with the argument to copy for one file: the file and its format."""
        return Unlike(f'{self}, or for this file alone: "{argument}"', line=self.line)


def named_columns(said: str | None) -> dict[str, list[str]]:
    """Return the columns that the user names for each role; a role given without a column is not searched."""
    roles: dict[str, list[str]] = {}
    for part in filter(None, (part.strip() for part in (said or "").split(","))):
        role, equals, names = (piece.strip() for piece in part.partition("="))
        role = {"document": "doc", "unit": "order"}.get(role, role)
        if not equals or role not in (*NAMES, "annotators"):
            raise FormatError(
                f"columns: {part!r} is not role=column, such as doc=dial_id; the roles are "
                f"{', '.join((*NAMES, 'annotators'))}"
            )
        roles[role] = [name.strip() for name in names.split("+") if name.strip()]
        if len(roles[role]) > 1 and role != "annotators":
            raise FormatError(f"columns: {part!r} names several columns; only annotators may have several")
    return roles


def are_named(columns: str | None, keys: Collection[str]) -> bool:
    """Return whether the user names columns or keys, and a table or record with these keys has all of them."""
    named = _first_names(columns)
    return bool(named) and named <= set(keys)


def any_named(columns: str, keys: Collection[str]) -> bool:
    """Return whether a table or record with these keys has any of those that the user names; nothing to name is found anywhere."""
    named = _first_names(columns)
    return not named or not named.isdisjoint(keys)


def _first_names(columns: str | None) -> set[str]:
    return {name.replace("[]", "").partition(".")[0] for names in named_columns(columns).values() for name in names}


_ROLES = {name: role for role, names in NAMES.items() for name in names}


def role_of(name: str, chosen: Mapping[str, str] | None = None) -> str | None:
    """Return the role of a column or key by its name, or by that part of it which stands after the last dot.

    >>> role_of("Dial ID"), role_of("turns[].utterance"), role_of("colour"), role_of("colour", {"colour": "label"})
    ('doc', 'text', None, 'label')
    """
    if chosen and name.replace("[]", "") in chosen:
        return chosen[name.replace("[]", "")]
    return _ROLES.get(folded(name)) or _ROLES.get(last_name(name))


def meaning_of(name: str) -> str | None:
    """Return what flags mark, if the name of their column says it."""
    return _MEANINGS.get(last_name(name))


def folded(name: str) -> str:
    """Return a name as names are compared: without case, marks of lists and the signs between its words."""
    return re.sub(r"[\s\-.]+", "_", name.replace("[]", "").strip()).casefold()


def last_name(name: str) -> str:
    """Return the part of a name after its last dot, as it is compared."""
    return folded(name.rpartition(".")[2])
