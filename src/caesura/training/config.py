# SPDX-License-Identifier: Apache-2.0
"""What to train on what: made in Python, or read from a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from caesura.errors import DeclarationError, FormatError
from caesura.scorers.trained import head as find_head
from caesura.scorers.trained.model import file_bytes

__all__ = ["Config", "Splicing", "Supervision", "read_config"]

_LARGEST = 1 << 20


class Splicing(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Stage 1: documents joined from pieces of others.

    ``files`` are documents to take pieces from, the training documents if there are none. ``documents`` are made; a document
    has ``pieces`` (least and most), each of ``units`` units, from different documents. ``trim`` units at both ends of a
    segment are left out where ``units`` remain, and with ``stock`` so are greetings, thanks and farewells, which would give
    a join away. ``control`` documents of one segment each are made of the validation documents.
    """

    files: list[str] = msgspec.field(default_factory=list)
    documents: int = 600
    pieces: tuple[int, int] = (2, 5)
    units: tuple[int, int] = (3, 10)
    trim: int = 1
    stock: bool = True
    control: int = 100
    epochs: int = 3


class Supervision(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Stage 2: gold boundaries, for at most ``epochs`` epochs."""

    epochs: int = 5


class Config(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides the weights, but the documents themselves.

    ``train`` are files with gold boundaries. ``validation`` decides when to stop, the temperature and the threshold;
    ``test`` is scored at the end only. If they are not given, 15 % of the training documents each. ``abroad`` are other datasets
    by name, scored at the end. A stage without epochs is left out. A stage ends when the validation loss has not fallen for
    ``patience`` epochs. Without a ``threshold``, the one is chosen at which the validation documents get as many boundaries
    as they have. ``against`` says which boundaries are learnt from and scored against: those of the documents, of one annotator
    (``annotator=NAME``), those that a share marked (``consensus=0.5``), or those of all annotators (``annotators``): every coding is
    a document, so that a boundary weighs as much as the share of the annotators who marked it.
    """

    scorer: str = "WindowHead"
    encoder: str = "default"
    seed: int = 0
    train: list[str] = msgspec.field(default_factory=list)
    validation: list[str] = msgspec.field(default_factory=list)
    test: list[str] = msgspec.field(default_factory=list)
    abroad: dict[str, str] = msgspec.field(default_factory=dict)
    patience: int = 2
    threshold: float | None = None
    min_gap: int = 1
    against: str = "boundaries"
    stage1: Splicing = msgspec.field(default_factory=Splicing)
    stage2: Supervision = msgspec.field(default_factory=Supervision)

    def check(self) -> Config:
        """Refuse numbers that make no sense, and return the configuration."""
        find_head(self.scorer)
        one, two = self.stage1, self.stage2
        for what, value, least in (
            ("seed", self.seed, 0),
            ("patience", self.patience, 1),
            ("min_gap", self.min_gap, 1),
            ("stage1.documents", one.documents, 10),
            ("stage1.pieces", one.pieces[0], 2),
            ("stage1.units", one.units[0], 1),
            ("stage1.trim", one.trim, 0),
            ("stage1.control", one.control, 1),
            ("stage1.epochs", one.epochs, 0),
            ("stage2.epochs", two.epochs, 0),
        ):
            if value < least:
                raise DeclarationError(f"{what} is {value}; it must be at least {least}")
        for what, (low, high) in (("stage1.pieces", one.pieces), ("stage1.units", one.units)):
            if high < low:
                raise DeclarationError(f"{what} is [{low}, {high}]; write the least first, then the most")
        if not one.epochs + two.epochs:
            raise DeclarationError("no stage has an epoch; give stage1.epochs or stage2.epochs a number above 0")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise DeclarationError(f"threshold is {self.threshold}; it must be a probability between 0 and 1")
        return self


def read_config(path: str | Path) -> Config:
    """Read a configuration; files that it names lie beside it, unless their paths are absolute."""
    where = Path(path)
    data = file_bytes(where, _LARGEST, "name a TOML file")
    try:
        config = msgspec.convert(tomllib.loads(data.decode("utf-8")), Config).check()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.MsgspecError, RecursionError) as error:
        raise FormatError(f"is not a configuration ({error}); correct it", path) from None
    except DeclarationError as error:
        raise FormatError(str(error), path) from None

    def beside(files: list[str]) -> list[str]:
        return [str(where.parent / file) for file in files]

    return msgspec.structs.replace(
        config,
        train=beside(config.train),
        validation=beside(config.validation),
        test=beside(config.test),
        abroad={name: str(where.parent / file) for name, file in config.abroad.items()},
        stage1=msgspec.structs.replace(config.stage1, files=beside(config.stage1.files)),
    )
