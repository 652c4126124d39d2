# SPDX-License-Identifier: Apache-2.0
"""The exception tree of Caesura.

::

    CaesuraError                      base class of all errors below
      +-- SegmentationError           ValueError    an invalid segmentation: unsorted, out of range, ...
      +-- FormatError                 ValueError    a file that cannot be read or written (file, line)
      +-- DeclarationError            ValueError    an unknown name or invalid parameter of a registered class
      |     +-- MetricError                         ... of a metric, or an operation it does not support
      +-- ComparabilityError          ValueError    inputs that must not be compared (lengths, units, documents)
      +-- EncoderError                ValueError    an encoder, weights, a server or vectors that are unusable
      +-- OutputExistsError           FileExistsError   an output file that exists already
      +-- MissingExtraError           ImportError   an optional part that is not installed

    CaesuraWarning                    UserWarning   a decision made for the caller, reported once

A message is one line: what is wrong with which values, where, and what to do. Secrets are taken out of every message.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from caesura._version import DISTRIBUTION

__all__ = [
    "LONGEST",
    "CaesuraError",
    "CaesuraWarning",
    "ComparabilityError",
    "DeclarationError",
    "EncoderError",
    "FormatError",
    "MetricError",
    "MissingExtraError",
    "OutputExistsError",
    "SegmentationError",
    "and_more",
    "for_terminal",
    "listed",
    "reason",
    "shareable",
    "visible",
    "without_secrets",
]

LONGEST = 900
"""The maximum length of a message in characters, since it may quote a whole file."""

SECRETS = ("CAESURA_HTTP_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "RAY_AUTH_TOKEN")
"""The environment variables that hold secrets."""
_MOST_TOLD = 50  # lines of `listed`
_HIDDEN = "[secret]"

# Control characters, surrogates, and characters that are invisible or change the text direction.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_KEY = r"(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|token|passw(?:or)?d|passphrase)"
_VALUE = r"""(?:'[^']*'|"[^"]*"|[^\s,;&)\]}'"]+)"""
_BODY = r"(?:(?=[A-Za-z_]*\d)\w{10,}|\w{20,})[\w-]*"
# What looks like a key: a named argument, a well-known beginning, a password in a URL.
_SECRET = re.compile(
    rf"""(?P<before>(?:{_KEY}['"]?\s?=|{_KEY}['"]\s?:|[_-](?:key|token)\s?:)\s?){_VALUE}"""
    rf"""|(?P<url>://)[^\s/@'"]+@|(?P<bearer>\bBearer\s){_VALUE}"""
    rf"|\bsk-(?:proj|ant|or|svcacct)-[\w-]{{10,}}|\b(?:sk-|hf_|gh[a-z]_|github_pat_|xox[a-z]-|AKIA|AIza){_BODY}",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"((?<![\w-])--?(?:[a-z]+[_-])*{_KEY}\s+){_VALUE}", re.IGNORECASE)
# An absolute path, quoted or not; not the "//" of a URL.
_PATH = re.compile(r"""(?<=['"])/(?!/)[^'"]+|(?<![^\s=:,(\[])/(?!/)[^\s'":,)\]]+""")


class CaesuraError(Exception):
    """Base class of all errors that Caesura raises on purpose; the message is one line that is safe to print."""

    def __init__(self, message: str = "", *rest: object) -> None:
        super().__init__(_safe(message), *rest)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback through our files: the one line, which says what to do."""
        return [f"{type(self).__name__}: {self}"]


class SegmentationError(CaesuraError, ValueError):
    """An invalid segmentation."""


class FormatError(CaesuraError, ValueError):
    """A file that cannot be read or written.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    path : path-like, optional
        The file.
    line : int, optional
        The line, counted from 1.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        where = "" if path is None else f"{path}:" if line is None else f"{path}:{line}:"
        super().__init__(f"{where} {message}".strip())


class DeclarationError(CaesuraError, ValueError):
    """An unknown name, an unknown parameter, or an invalid value of a parameter."""


class MetricError(DeclarationError):
    """An unknown metric, or an operation it does not support."""


class ComparabilityError(CaesuraError, ValueError):
    """Inputs that must not be compared: different lengths, units or documents."""


class EncoderError(CaesuraError, ValueError):
    """An encoder, its weights, a server or vectors that are unusable."""


class OutputExistsError(CaesuraError, FileExistsError):
    """An output file that exists already and must not be overwritten."""


class MissingExtraError(CaesuraError, ImportError):
    """An optional dependency that is not installed; the message names the extra to install."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional dependency that is not installed; run: pip install '{DISTRIBUTION}[{extra}]'"
        )


class CaesuraWarning(UserWarning):
    """A decision made for the caller, reported once."""

    def __init__(self, message: str = "") -> None:
        super().__init__(_safe(message))


def visible(text: str) -> str:
    r"""Return a text with characters escaped that could control a terminal or hide in a log.

    >>> print(visible("a\x1b[31m\nb\u202e"))
    a\x1b[31m\nb\u202e
    """
    return _INVISIBLE.sub(lambda found: ascii(found[0])[1:-1], text)


def for_terminal(text: str) -> str:
    r"""Return a text for a terminal: what could control it is escaped as JSON does, but for line breaks and tabs.

    JSON stays JSON, since these characters stand in its strings only.

    >>> print(for_terminal("a\x1b[31m\nb\u202e\U000e0041"))
    a\u001b[31m
    b\u202e\udb40\udc41
    """
    return _INVISIBLE.sub(lambda found: found[0] if found[0] in "\n\t" else _as_json(found[0]), text)


def _as_json(letter: str) -> str:
    return re.sub("(....)", r"\\u\1", letter.encode("utf-16-be", "surrogatepass").hex())


def _safe(message: str) -> str:
    """Return a message without secrets, as one line of visible characters.

    A message that is too long loses its middle: it begins with what is wrong and ends with what to do.
    """
    message = visible(without_secrets(message))
    return message if len(message) <= LONGEST else f"{message[: LONGEST - 303]} … {message[-300:]}"


def and_more(count: int, sentence: bool = False) -> str:
    """Return a phrase for the number of offenders besides the named one."""
    if count <= 1:
        return ""
    if not sentence:
        return f" (and {count - 1} more)"
    return "; 1 more document is wrong" if count == 2 else f"; {count - 1} more documents are wrong"


def listed(lines: Sequence[str], joined: str = ", ") -> str:
    """Return lines as one, of many the first, with the number of others.

    >>> listed(["a", "b"]), listed(list("a" * 60))[-14:]
    ('a, b', 'a, and 10 more')
    """
    more = [f"and {len(lines) - _MOST_TOLD} more"] if len(lines) > _MOST_TOLD else []
    return joined.join([*lines[:_MOST_TOLD], *more])


def without_secrets(text: str) -> str:
    """Return a text without the secrets of the environment, plain or in any encoded form, and without what looks like a key.

    A secret shorter than eight characters is replaced as a whole word only; one shorter than four is ignored.

    >>> without_secrets("f(api_key='x1', n=2) https://me:pass@host/ sk-a1b2c3d4e5f6")
    'f(api_key=***, n=2) https://***@host/ ***'
    """
    text = _SECRET.sub(lambda m: f"{m['before'] or m['bearer'] or m['url'] or ''}***{'@' if m['url'] else ''}", text)
    secrets = {os.environ.get(name, "").strip() for name in SECRETS}
    if not any(len(secret) > 3 for secret in secrets):
        return text
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) > 3:
            any_of = "|".join(re.escape(form) for form in sorted(_forms(secret), key=len, reverse=True))
            edge = "" if len(secret) > 7 else r"(?<!\w)%s(?!\w)"
            text = re.sub(edge % f"(?:{any_of})" if edge else any_of, _HIDDEN, text, flags=re.IGNORECASE)
    return text


def shareable(text: str) -> str:
    """Return the text of a method for results: without keys, and with paths from this folder on, or file names only.

    >>> shareable("command:/usr/bin/python3 /home/me/cut.py --token x1 --data='/home/me/a b'")
    "command:python3 cut.py --token *** --data='a b'"
    """

    def short(found: re.Match[str]) -> str:
        path, here = found[0].rstrip("/"), os.getcwd() + os.sep  # noqa: PTH109  (pathlib is not loaded for this)
        return path.removeprefix(here) if path.startswith(here) else path.rpartition("/")[2]

    text = _PATH.sub(short, text)
    return without_secrets(_OPTION.sub(r"\1***", text))


def _forms(secret: str) -> set[str]:
    """Return the ways to write a secret: plain, escaped, percent-encoded, in hexadecimal, within base64."""
    import base64
    import json
    from urllib.parse import quote, quote_plus

    data = secret.encode("utf-8", "surrogateescape")
    forms = {secret, " ".join(secret.split()), ascii(secret)[1:-1], repr(secret)[1:-1], repr(data)[2:-1]}
    forms |= {json.dumps(secret)[1:-1], quote(data), quote(data, safe=""), quote_plus(data), data.hex()}
    forms.add(data.decode("latin-1"))
    for before in range(3):
        # Inside a longer text, the first and last base64 digits depend on the neighbouring bytes.
        digits = base64.b64encode(b"\0" * before + data).rstrip(b"=").decode()
        inner = digits[(0, 2, 3)[before] : len(digits) - ((before + len(data)) % 3 > 0)]
        forms |= {inner, inner.replace("+", "-").replace("/", "_")} if len(inner) > 7 else set()
    return forms


def reason(error: BaseException) -> str:
    """Return the class and message of another library's error in one line, to be quoted; the class alone if it has no words."""
    try:
        words = str(error)
    except Exception:  # the error is broken itself
        words = ""
    return " ".join(f"{type(error).__name__}: {words}".split())[:300].rstrip(": ")
