# SPDX-License-Identifier: Apache-2.0
"""The function `agreement`."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from caesura.batches.panel import Panel
from caesura.corpus import Corpus, known_annotators
from caesura.declare import nearest
from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.agree.coefficients import DEFAULT_COEFFICIENTS
from caesura.evaluation.agree.pairwise import Progress
from caesura.evaluation.agree.report import Agreement, usable_on
from caesura.evaluation.agree.work import second_coding
from caesura.evaluation.inputs import CorpusLike, Reading, read_source
from caesura.evaluation.intervals import check_resampling
from caesura.metrics import listed_metrics, spelled
from caesura.metrics.profiles import profile as find_profile
from caesura.statistics import Bootstrap
from caesura.strict_json import decode

__all__ = ["agreement"]

Names = dict[str, str]
_NamesLike = Mapping[str, str] | Mapping[str, Mapping[str, str]] | str | Path


def agreement(
    corpus: CorpusLike,
    coefficients: Iterable[str] | None = None,
    *,
    by: str | None = None,
    exclude: Iterable[str] = (),
    names: _NamesLike | None = None,
    anonymous: bool = False,
    repeat: Mapping[str, str] | None = None,
    before: CorpusLike | None = None,
    profile: str = "caesura",
    resamples: int = 1000,
    seed: int = 0,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Agreement:
    """Measure the agreement of the annotators of a corpus, and how and where they differ.

    Parameters
    ----------
    corpus : path or Corpus
        Documents with annotations; they may have different annotators. Where nobody shares a document yet, agreement is
        undefined, and the answer tells density and progress.
    coefficients : iterable of str, optional
        Agreement coefficients; a standard set if not given.
    by : str, optional
        The pairwise metric that measures each annotator's agreement with the others; ``B`` if not given, and
        ``WindowDiff`` on time and characters, where B needs a distance.
    exclude : iterable of str
        Annotators to leave out, by their new names if they are renamed.
    names : mapping or path, optional
        Other names for annotators: old to new; or ``{"annotators": {old: new}, "documents": {old: new}}``; or a JSON
        file with either.
    anonymous : bool
        Give everybody a name such as ``a3`` in place of their own, in the order of the file; nothing that is made holds the old ones.
    repeat : mapping of str to str, optional
        Annotators who are others coding a second time: ``{"anna2": "anna"}``. Their codings are compared with the first ones, and take no
        part in the agreement.
    before : path or Corpus, optional
        An earlier export of the same annotations, to tell what has changed since.
    profile : str
        The conventions of the coefficients.
    resamples, seed : int
        Resamples and seed of the bootstrap over documents.
    format : str, optional
        The format of the file; detected if not given.
    columns : str, optional
        What columns and keys are for (`caesura.load`).
    marks : str, optional
        What labels of 0 and 1, bits or spans mark, such as ``"first"`` (`caesura.load`).
    strict : bool
        Refuse unknown keys in files.
    progress : callable, optional
        Called with the number of pairs of annotators compared and the total.

    Examples
    --------
    >>> from caesura.datasets.bundled import bundled
    >>> a = agreement(bundled("moonstone"), resamples=200)
    >>> round(a.coefficients["FleissKappa"].score, 3), round(a.pairwise("WindowDiff").mean, 3)
    (0.276, 0.341)
    """
    reading: Reading = {"columns": columns, "marks": marks, "strict": strict, "missing": None}
    source = read_source(corpus, "annotations", format=format, **reading)
    excluded = tuple(dict.fromkeys([exclude] if isinstance(exclude, str) else exclude))
    earlier = None if before is None else read_source(before, "before", format=format, **reading)
    both = [source.corpus, *([] if earlier is None else [earlier.corpus])]
    people, documents = ({}, {}) if names is None else _read_names(names)
    if anonymous:  # in one step, since every step is recorded
        everybody = dict.fromkeys(people.get(name, name) for each in both for name in known_annotators(each))
        hidden = {name: f"a{place}" for place, name in enumerate(everybody, start=1)}
        _check_known([*excluded, *(repeat or {})], hidden)
        excluded = tuple(hidden[name] for name in excluded)
        repeat = {hidden[again]: hidden.get(first, first) for again, first in (repeat or {}).items()}
    else:
        hidden = {}
    if people or documents or hidden:
        both = [_renamed(each, people, documents, hidden, earlier=place > 0) for place, each in enumerate(both)]
    for again, first in (repeat or {}).items():
        both = [
            second_coding(each, again, first) if not place or again in known_annotators(each) else each
            for place, each in enumerate(both)
        ]
    if excluded:
        both = [
            each.without_annotators([name for name in excluded if not place or name in known_annotators(each)])
            for place, each in enumerate(both)
        ]
    source = dataclasses.replace(source, corpus=both[0])
    panel = Panel.from_corpus(source.corpus.in_drawing_order())
    check_resampling(resamples=resamples, seed=seed)
    requested = usable_on(panel.unit, DEFAULT_COEFFICIENTS) if coefficients is None else listed_metrics(coefficients)
    by = spelled(by) if by else usable_on(panel.unit, ("B", "WindowDiff"))[0]
    bootstrap, profile = Bootstrap(len(panel), resamples, seed), find_profile(profile).name
    old = None if earlier is None else dataclasses.replace(earlier, corpus=both[1])
    return Agreement(
        source,
        panel,
        tuple(map(str, requested)),
        by,
        bootstrap,
        profile,
        excluded,
        old,
        dict(repeat or {}),
        anonymous,
        progress,
    )


def _renamed(corpus: Corpus, people: Names, documents: Names, hidden: Names, *, earlier: bool) -> Corpus:
    """Rename annotators and documents, and hide all names; an ``earlier`` export need not have all of them."""
    known, ids = known_annotators(corpus), set(corpus.ids)
    if hidden:
        people = {**people, **{name: hidden[people.get(name, name)] for name in known}}
    if earlier:
        people = {old: new for old, new in people.items() if old in known}
        documents = {old: new for old, new in documents.items() if old in ids}
    return corpus.renamed(people, documents)


def _check_known(names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise ComparabilityError(f"there is no annotator {name!r}; {nearest(name, list(known))}")


def _read_names(names: _NamesLike) -> tuple[Names, Names]:
    """Return the new names of annotators and of documents, by their old names.

    >>> _read_names({"1": "Anna"}), _read_names({"documents": {"7": "interview"}})
    (({'1': 'Anna'}, {}), ({}, {'7': 'interview'}))
    """
    where, given = None, names
    if isinstance(names, (str, Path)):
        where = names
        try:
            given = decode(Path(names).read_bytes())
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"is not JSON: {error}", where) from None
    with contextlib.suppress(msgspec.ValidationError):
        return msgspec.convert(given, Names), {}
    with contextlib.suppress(msgspec.ValidationError):
        both = msgspec.convert(given, dict[Literal["annotators", "documents"], Names])
        return both.get("annotators", {}), both.get("documents", {})
    raise FormatError(
        'names are {"old": "new"} for annotators, or {"annotators": {"old": "new"}, "documents": {"old": "new"}}', where
    )
