"""Whole files of every format: samples that are kept, and rich documents as each format writes them."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from caesura import formats
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError
from caesura.formats import FORMATS, Format, detect, save
from caesura.segmentation import Segmentation

SAMPLES = Path(__file__).parent / "formats" / "samples"
SHIPPED = Path(formats.__file__).parent / "samples"
COMPANION = SAMPLES / "annotation" / "xmi" / "TypeSystem.xml"
"""What stands beside an XMI file, and is not read."""

FOLDERS = {"annotator_folders", "annotation_project"}
"""Formats of directories, not of files."""

NEEDS = {"xlsx": "openpyxl"}
"""The library without which the files of a format cannot be read."""

INLINE = {
    "bits": ["000100\n0010\n11\n"],
    "masses": ["6 3 4\n2 2\n5\n"],
    "segeval": [
        '{"items": {\n "one": {\n  "anna": [2, 3],\n  "ben": [1, 4]\n },\n "two": {"anna": [7]}\n},\n"segmentation_type": "linear"}\n',
        "Coder\tMasses\nanna\t2\t3\nben\t1\t4\n",
    ],
    "jsonl": [
        '{"id": "a", "units": ["x", "y: z"], "boundaries": [1], "unit_times": [[0, 1], [1, 2]]}\n{"id": "b", "masses": [2, 3]}\n',
        '{"id":"a:1","n_units":9,"boundaries":[2,5]}\n{"id":2,"n_units":4,"boundaries":[]}\n',
        '{"id":"a","unit":"turn","masses":[2,3]}\n{"id":"b","unit":"turn","n_units":3,"masses":[3]}\n',
    ],
    "chunks": [
        '{"id": "d1", "chunks": ["One two.", "Three four."]}\n{"id": "d2", "chunks": ["Five."]}\n',
        '[{"text": "One two.", "doc_id": "a", "start_index": 0}, {"text": "Three.", "doc_id": "a", "start_index": 9}]\n',
    ],
    "documents": [
        "---\ntitle: x\n---\n# One\n\nText *here*. More.\n\n- a\n  - b\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    ],
    "text": ["A first paragraph. It has two sentences.\n\nA second one: shorter.\n"],
}


@dataclasses.dataclass(frozen=True)
class Seed:
    """A whole file of a format."""

    format: str
    name: str
    content: bytes

    def __str__(self) -> str:
        return f"{self.format}-{self.name}"

    def place(self, folder: Path, content: bytes | None = None, ending: str = "") -> Path:
        """Write the file, or a changed one under its name."""
        path = folder / f"{self.name}{ending}"
        path.write_bytes(self.content if content is None else content)
        return path


def readable(cls: type[Format]) -> bool:
    """Say whether the library of a format is installed."""
    return cls.name() not in NEEDS or find_spec(NEEDS[cls.name()]) is not None


@functools.cache
def seeds() -> tuple[Seed, ...]:
    """Return whole files, at least one of every format whose library is installed."""
    found = [*_kept(), *_written()]
    for name, texts in INLINE.items():
        suffixes = type(FORMATS.parse(name)).suffixes
        for place, text in enumerate(texts):
            ending = ".tsv" if text.startswith("Coder") else suffixes[0]
            found.append(Seed(name, f"inline{place}{ending}", text.encode()))
    lacking = {cls.name() for cls in FORMATS if readable(cls)} - FOLDERS - {seed.format for seed in found}
    assert not lacking, f"no whole file of {sorted(lacking)}; add one to {SAMPLES}, or to INLINE"
    return tuple(found)


def _kept() -> list[Seed]:
    found = []
    for path in sorted((*SAMPLES.rglob("*"), *SHIPPED.rglob("*"))):
        if path.is_file() and path.name != COMPANION.name and "people" not in path.parts:
            try:
                cls = type(detect(path))
            except CaesuraError:
                continue
            if readable(cls):
                found.append(Seed(cls.name(), path.name, path.read_bytes()))
    return found


def _written() -> list[Seed]:
    found = []
    for cls in FORMATS:
        if cls.writable and readable(cls):
            name = f"written{cls.suffixes[0]}"
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                save(rich(cls), Path(folder) / name, cls.name())
                found.append(Seed(cls.name(), name, (Path(folder) / name).read_bytes()))
    return found


def rich(cls: type[Format]) -> Corpus:
    """Return documents with everything that a format keeps."""
    count = 3 if cls.many else 1
    names = ["Ödön:a", "b", "c"] if "ids" in cls.keeps else ["1", "2", "3"]
    documents = [_document(cls, name, 5 + place) for place, name in enumerate(names[:count])]
    return Corpus(documents, ids_are_given="ids" in cls.keeps)


def _document(cls: type[Format], name: str, n: int) -> Document:
    titles = {"extra": {"segment_titles": ["Begin", "Füße", "end"]}} if "segment_titles" in cls.keeps else {}
    if cls.unit == "ms":
        seconds = "n_units" not in cls.keeps
        n_units = 60_001 if seconds else 90_500
        cut = Segmentation(n_units, [20_000, 60_000], unit="ms")
        return Document(id=name, n_units=n_units, segmentation=cut, unit="ms", open_ended=seconds, **titles)
    unit = "cue" if "unit_times" in cls.keeps else "unit"
    cut = Segmentation(n, [1, 3], unit=unit)
    values: dict[str, Any] = {
        "segmentation": cut,
        "units": tuple(f"unit {i}, says 漢字 & more" for i in range(n)),
        "speakers": tuple("AB"[i % 2] for i in range(n)),
        "unit_times": tuple((1.5 * i, 1.5 * i + 1.25) for i in range(n)),
        "scores": tuple(0.125 * i for i in range(n - 1)),
        "annotations": {who: Segmentation(n, [gap], unit=unit) for who, gap in (("Anna", 2), ("B: n", 3))},
        "hierarchy": (Segmentation(n, unit=unit), cut),
    }
    kept = {key: value for key, value in values.items() if key in cls.keeps}
    return Document(id=name, n_units=n, unit=unit, **kept, **titles)
