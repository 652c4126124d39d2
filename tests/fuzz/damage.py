# SPDX-License-Identifier: Apache-2.0
"""Damage that knows what files are made of: lines, numbers, strings, brackets, encodings, containers."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence

__all__ = ["OPERATIONS", "damaged"]

_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_STRING = re.compile(rb'"[^"\n]{0,200}"')
_TAG = re.compile(rb"<[^<>]{0,200}>")
_PAIR = re.compile(rb'"[^"\n]{1,40}"\s*:\s*(?:"[^"\n]{0,80}"|[0-9.]+|\[[^\[\]]{0,80}\])')

_NUMBERS = [b"-1", b"0", b"1e999", b"-0.0", b"NaN", b"Infinity", b"9" * 25, b"9" * 5000, b"1e-400", b"0x10", b"1_000",
            b"9223372036854775807", b"9223372036854775808", b"1099511627777", b"2147483648", b"0.1" + b"1" * 400, b"00:99:99",
            "٣".encode(), b"1.5.2", b"+1", b"true", b"null", b'"7"', b"[1]", b"{}"]  # fmt: skip
_PIECES = [b"\0", b"\x1b[31m", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", "\u202e\u2028".encode(), b"\r", b"\n\n", b'"', b"'",
           b"\\", b"\\ud800", b"\\u0000", b"{", b"}", b"[", b"]", b",", b":", b";", b"\t", b"<", b">", b"&", b"&#0;", b"]]>",
           b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<?xml version='1.1' encoding='utf-16'?>", b"<!--", b"-->", b"==========",
           b"null", b"true", b"#", b"=1+1", b"WEBVTT\n\n", b"00:00:01.000 --> 00:00:02.000", b"0:00", b"SPEAKER", b"Coder\t"]  # fmt: skip
_DEEP = [(b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"(", b")"), (b"-", b""), (b'\\"', b""), (b'"', b""), (b"\n", b""),
         (b" ", b""), (b"a,", b""), (b"a ", b""), (b"1 ", b""), (b"<v a>", b""), (b"a=b ", b""), (b"{", b""), (b". ", b"")]  # fmt: skip

Operation = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


def damaged(whole: bytes, draw: random.Random, others: Sequence[bytes]) -> bytes:
    """Return a file with one to four kinds of damage; ``others`` are files to splice in."""
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        whole = draw.choice(OPERATIONS)(whole, draw, others)
    return whole


def _cut(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _lose(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = _slice(data, draw)
    return data[:start] + data[end:]


def _flip(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _repeat(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = _slice(data, draw)
    return data[:end] + data[start:end] * draw.choice((1, 1, 2, 50)) + data[end:]


def _swap(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    a, b, c, d = sorted(draw.randrange(len(data) + 1) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _splice(data: bytes, draw: random.Random, others: Sequence[bytes]) -> bytes:
    other = draw.choice(others)
    start, end = _slice(other, draw)
    place = draw.randrange(len(data) + 1)
    return data[:place] + other[start:end] + data[place + draw.choice((0, end - start)) :]


def _insert(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.choice(_PIECES) + data[place:]


def _lines(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(4):
        case 0:
            lines.insert(i, lines[j])
        case 1:
            lines[i], lines[j] = lines[j], lines[i]
        case 2:
            del lines[i]
        case _:
            return draw.choice((b"\r\n", b"\r", b"\n\n", b"\x0b", "\u2028".encode())).join(lines)
    return b"\n".join(lines)


def _number(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return _replaced(data, _NUMBER, draw, lambda found: draw.choice(_NUMBERS))


def _string(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return _replaced(data, _STRING, draw, lambda found: draw.choice((b'""', b"null", b"1", b"[]", b"{}", found * 2)))


def _tag(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return _replaced(
        data, _TAG, draw, lambda found: draw.choice((b"", found * 2, b"<a/>", found.replace(b"=", b"a=", 1)))
    )


def _pair(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return _replaced(
        data, _PAIR, draw, lambda found: draw.choice((found + b"," + found, b"", found.partition(b":")[0]))
    )


def _nest(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    opening, closing = draw.choice(_DEEP)
    depth = draw.choice((10, 300, 2000, 20_000))
    place = draw.randrange(len(data) + 1)
    return data[:place] + opening * depth + closing * draw.choice((0, depth)) + data[place:]


def _recode(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(
        draw.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "utf-8-sig")), "replace"
    )


def _pack(data: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return gzip.compress(data, 1)


OPERATIONS: tuple[Operation, ...] = (
    _cut, _lose, _flip, _repeat, _swap, _splice, _insert, _insert, _lines, _lines, _number, _number, _string, _tag, _pair, _nest,
    _recode, _pack,
)  # fmt: skip


def _slice(data: bytes, draw: random.Random) -> tuple[int, int]:
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.choice((1, 3, 10, 40, 200)))


def _replaced(data: bytes, kind: re.Pattern[bytes], draw: random.Random, by: Callable[[bytes], bytes]) -> bytes:
    found = list(kind.finditer(data))
    if not found:
        return data
    one = draw.choice(found)
    return data[: one.start()] + by(one[0]) + data[one.end() :]
