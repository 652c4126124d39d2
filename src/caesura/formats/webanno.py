# SPDX-License-Identifier: Apache-2.0
"""WebAnno TSV 3, exported by WebAnno and INCEpTION: sentences, tokens, and span layers in columns."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Sample
from caesura.formats._files import faults, read_text
from caesura.formats._spans import Layout, Span, SpanFormat, Tally

__all__ = ["Webanno", "choose_layer"]

_USUAL = ("topic", "topics", "segment", "segments", "section", "sections", "chapter", "chapters", "boundary")
_OF_THE_TOOL = ("uima.", "de.tudarmstadt.ukp.dkpro.", "org.dkpro.")
_MAGIC = "#FORMAT=WebAnno TSV 3"
_TOKEN = re.compile(
    r"(?P<sentence>[0-9]{1,9})-[0-9]{1,9}(?P<part>\.[0-9]{1,9})?\t(?P<start>[0-9]{1,12})-(?P<end>[0-9]{1,12})\t"
)
_STACKED = re.compile(r"(?:\\.|[^|\\])+")
_NUMBERED = re.compile(r"(?<!\\)\[(?P<number>[0-9]+)\]\Z")
_ESCAPED = re.compile(r"\\(.)")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}


class _Row(NamedTuple):
    sentence: int
    is_token: bool
    span: Span
    cells: Sequence[str]


@dataclasses.dataclass
class _File:
    layers: dict[str, int] = dataclasses.field(default_factory=dict)
    n_columns: int = 3
    sentences: list[str] = dataclasses.field(default_factory=list)
    rows: list[_Row] = dataclasses.field(default_factory=list)


@FORMATS.register("inception")
@dataclasses.dataclass(frozen=True)
class Webanno(SpanFormat):
    """WebAnno TSV 3.1 to 3.3, also exported by INCEpTION: one document of one annotator per file.

    The units are the sentences, or the tokens with ``unit='token'``. The spans are those of one span layer (``#T_SP=``):
    the one named by ``layer`` (its full name or the last part), or the only one, or the one named topic, segment,
    section or chapter. Spans over several tokens are distinguished by number (``*[1]``). The tools do not export a layer
    in which nothing is marked, so a file without it is read as one segment, with a warning. The file does not name its
    annotator: the document has a segmentation and no annotations; use annotator_folders to name annotators.
    """

    card: ClassVar[Card] = Card(
        title="WebAnno TSV 3, of WebAnno and INCEpTION",
        citation="INCEpTION user guide, appendix 'WebAnno TSV 3.3 File format'.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)
    begins: ClassVar[bytes] = _MAGIC.encode()
    sample: ClassVar[Sample] = {"webanno": (1, 1)}
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units", "segmentation"})

    unit: str = param("sentence", "the unit", choices=("sentence", "token"))  # type: ignore[misc]
    layer: str | None = param(None, "the span layer that holds the segments")
    label: str | None = param(None, "the value of the layer's first feature whose spans to read [all]")

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        file = _parsed(read_text(path))
        tally = Tally()
        layer = choose_layer(list(file.layers), self.layer, tally)
        spans = [] if layer is None else list(self._spans(file.rows, file.layers[layer]))
        places = _sentences(file) if self.unit == "sentence" else _tokens(file)
        return self.one_document(path, spans, places, tally, strict)

    def _spans(self, rows: Sequence[_Row], column: int) -> Iterator[Span]:
        """Yield the spans of a layer, from the column of its first feature."""
        long: dict[str, Span] = {}
        for row in rows:
            for value in _STACKED.findall(row.cells[column]):
                match = _NUMBERED.search(value)
                label = _plain(value[: match.start()] if match else value)
                if value == "_" or (self.label is not None and label != self.label):
                    continue
                if match is None:
                    yield row.span
                else:
                    before = long.get(match["number"], row.span)
                    start, end = min(before.start, row.span.start), max(before.end, row.span.end)
                    long[match["number"]] = Span(start, end)
        yield from long.values()


def _parsed(text: str) -> _File:
    if not text.startswith(_MAGIC):
        raise FormatError(f"does not begin with '{_MAGIC}.3'; export it as WebAnno TSV v3.3", line=1)
    file = _File()
    pending: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            name, *features = line[6:].split("|")
            if line.startswith("#T_SP="):
                file.layers[name.strip()] = file.n_columns
            file.n_columns += max(len(features), 1)
        elif line.startswith("#Text="):
            pending.append(_plain(line[6:]))
        elif line.strip() and not line.startswith("#"):
            if pending:
                file.sentences.append("\n".join(pending))
                pending = []
            with faults(line=number):
                file.rows.append(_row(line, file))
    if not file.rows:
        raise FormatError("contains no token; export the document again")
    return file


def _row(line: str, file: _File) -> _Row:
    match = _TOKEN.match(line)
    if match is None:
        raise FormatError("is not a token line such as '1-1\\t0-5\\tHello\\t_'; export it again")
    span = Span(int(match["start"]), int(match["end"]))
    before = next((row.span for row in reversed(file.rows) if row.is_token), Span(0, 0))
    if span.end < span.start or (not match["part"] and span.start < before.end):
        previous = f"the previous one is at {before.start}-{before.end}"
        raise FormatError(f"the token is at {span.start}-{span.end}, but {previous}; tokens must be in order")
    cells = line.split("\t")
    if len(cells) < file.n_columns:
        what = f"the line has {len(cells)} columns, but the layers of the header need {file.n_columns}"
        raise FormatError(f"{what}; export it again")
    if not file.sentences:
        raise FormatError("a token precedes the first '#Text='; export it again")
    if match["part"] and not file.rows:
        raise FormatError("a part of a token precedes its token; export it again")
    return _Row(len(file.sentences) - 1, not match["part"], span, cells)


def _sentences(file: _File) -> Layout:
    spans: list[Span | None] = [None] * len(file.sentences)
    for row in file.rows:
        if row.is_token:
            before = spans[row.sentence] or row.span
            spans[row.sentence] = Span(before.start, row.span.end)
    filled = [(span, text) for span, text in zip(spans, file.sentences, strict=True) if span is not None]
    return Layout("sentence", [span for span, _ in filled], tuple(text for _, text in filled))


def _tokens(file: _File) -> Layout:
    tokens = [row for row in file.rows if row.is_token]
    return Layout("token", [row.span for row in tokens], tuple(_plain(row.cells[2]) for row in tokens))


def _plain(text: str) -> str:
    r"""Return a string without its escapes.

    >>> _plain(r"a\|b\\c\td")
    'a|b\\c\td'
    """
    return _ESCAPED.sub(lambda match: _CONTROLS.get(match[1], match[1]), text)


def choose_layer(names: Sequence[str], wanted: str | None, tally: Tally) -> str | None:
    """Return the requested layer, the only one, or the one with a usual name.

    A layer is requested by its full name (``webanno.custom.Topic``) or the last part of it. Tools do not export unused
    layers, so if the layer is missing, nothing is marked: the result is None, and the tally records it.
    """
    if wanted is not None:
        candidates = [name for name in names if wanted == name or wanted.casefold() == _last(name)]
        if len(candidates) > 1 and wanted in candidates:
            candidates = [wanted]
    else:
        # Parts of speech, sentences and named entities are built-in layers; segments are a custom layer.
        candidates = [name for name in names if not name.startswith(_OF_THE_TOOL)]
        usual = [name for name in candidates if _last(name) in _USUAL]
        candidates = usual if len(usual) == 1 else candidates
    if len(candidates) == 1:
        return candidates[0]
    there = ", ".join(repr(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
    if candidates:
        raise FormatError(f"has the layers {there}; name the one that holds the segments with layer='…'")
    what = "no layer of segments" if wanted is None else f"nothing in the layer {wanted!r}"
    beside = f" (there are {there})" if there else ""
    tally.others.append(f"there is {what}{beside}, so the document is one segment")
    return None


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()
