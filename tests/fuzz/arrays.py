"""Random arrays into every public call that takes arrays: what comes back is a result or a `CaesuraError`, never a crash.

::

    python -m tests.fuzz.arrays --seconds 60                      # wrong arrays, in a process of its own
    python -m tests.fuzz.arrays --cases 100000 --each             # as many for every call
    python -m tests.fuzz.arrays --seconds 60 --checked build/checked

With ``--checked FOLDER``, right arrays go through a build with bounds checks (``CAESURA_CHECKED=1``), the ordinary build and
the sources; the counts must be equal, and no bounds check may fail.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.machinery
import importlib.util
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from caesura import CaesuraError, Corpus, Document, Segmentation, evaluate, metric
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.batches.panel import Panel, PanelPairs
from caesura.kernels import Kernel, kernel, kernel_names, run_kernels
from caesura.metrics.counting import Request, count_requests
from caesura.selectors import selector
from caesura.selectors.scores import FlatScores
from tests.strategies import count_one

Random = np.random.Generator
EXTREMES = (0, -1, 1, 2, 5, 10**7, -(10**9), 2**31, 2**40, 2**40 + 1, 2**62, 2**63 - 1, -(2**63))
KINDS = [
    "b",
    "i1",
    "u1",
    "i2",
    "u4",
    ">i4",
    "i8",
    ">i8",
    "u8",
    ">u8",
    "q",
    "f2",
    "f4",
    ">f8",
    "f8",
    "g",
    "c16",
    "O",
    "U3",
    "S2",
    "M8[s]",
    "m8[s]",
]
METRICS = [
    "AlignmentIndex",
    "Pk",
    "WindowDiff",
    "B",
    "W-F1",
    "CovN",
    "Purity",
    "WinF1",
    "BoundaryF1(matching='one_to_one')",
]


# ------------------------------------------------------------------------------------------------ right arrays


def flat_arrays(random: Random, documents: int | None = None, units: Any = None) -> list[Any]:
    """Return units, pointers and boundaries that are right."""
    count = int(random.integers(0, 6)) if documents is None else documents
    n_units = np.array(random.integers(1, 30, count) if units is None else units, dtype=np.int64)
    sides = [np.flatnonzero(random.random(int(n) - 1) < 0.3) + 1 for n in n_units]
    ptr = np.concatenate([[0], np.cumsum([len(side) for side in sides])]).astype(np.int64)
    return [n_units, ptr, np.concatenate([*sides, []]).astype(np.int64)]


def pair_arrays(random: Random) -> list[Any]:
    """Return both sides of the same documents."""
    reference = flat_arrays(random)
    return [*reference, *flat_arrays(random, len(reference[0]), reference[0])[1:]]


# ------------------------------------------------------------------------------------------------ wrong arrays


def damaged(random: Random, array: Any) -> Any:
    """Return an array with something wrong in its values, its type or its layout; or all right, now and then."""
    array = np.array(array)
    if array.ndim and len(array) and random.random() < 0.6:
        for _ in range(int(random.integers(1, 3))):
            place = int(random.integers(len(array)))
            value = EXTREMES[int(random.integers(len(EXTREMES)))]
            if random.random() < 0.4:
                value = int(random.integers(-3, 40))
            with contextlib.suppress(OverflowError):
                array[place] = value
    choice = int(random.integers(14))
    if choice == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                array = array.astype(KINDS[int(random.integers(len(KINDS)))])
            except (TypeError, ValueError, OverflowError, RuntimeError):  # dates that NumPy cannot write
                return None
    elif choice == 1:
        array = np.repeat(array, 2, axis=0)[::2] if array.ndim else array
    elif choice == 2:
        array = array[::-1] if array.ndim else array
    elif choice == 3:
        array = array[: int(random.integers(len(array) + 1))] if array.ndim else array
    elif choice == 4:
        array = np.concatenate([array, array]) if array.ndim else array
    elif choice == 5:
        array = np.array(array.flat[0]) if array.size else np.array(3)
    elif choice == 6:
        array = array[None] if random.random() < 0.5 else array[:, None] if array.ndim else array
    elif choice == 7:
        array.setflags(write=False)
    elif choice == 8:
        return [None, array.tolist(), "0101", 7, b"12345678", np.ma.masked_array(array, array != 0)][
            int(random.integers(6))
        ]
    elif choice == 9:
        array = np.lib.stride_tricks.as_strided(array, (5,), (0,)) if array.ndim and len(array) else array
    return array


def some_damaged(random: Random, arrays: list[Any]) -> list[Any]:
    """Return arrays of which one or two are damaged."""
    arrays = list(arrays)
    for _ in range(int(random.integers(1, 3))):
        place = int(random.integers(len(arrays)))
        arrays[place] = damaged(random, arrays[place])
    return arrays


def whole(random: Random) -> int:
    """Return a whole number that is small, or extreme."""
    if random.random() < 0.6:
        return int(random.integers(-3, 12))
    return EXTREMES[int(random.integers(len(EXTREMES)))]


# ------------------------------------------------------------------------------------------------ calls


def call_flat(random: Random) -> None:
    flat = Flat(*some_damaged(random, flat_arrays(random)))
    rows = damaged(random, random.integers(0, max(len(flat), 1), 3))
    Corpus.from_flat([str(row) for row in range(len(flat))], flat)
    flat.take(rows)


def call_from_flat(random: Random) -> None:
    arrays = some_damaged(random, flat_arrays(random))
    flat = Flat(*arrays)
    corpus = Corpus.from_flat([str(row) for row in range(len(flat))], flat)
    for array in arrays:  # what was checked may not be changed any more
        if isinstance(array, np.ndarray) and array.flags.writeable and array.dtype.kind in "iu":
            array[...] = 3
    evaluate(corpus, {"h": corpus}, metrics=METRICS).results()


def call_pairs(random: Random) -> None:
    pairs = Pairs(*some_damaged(random, pair_arrays(random)))
    pairs.take(damaged(random, random.integers(0, max(len(pairs), 1), 3)))
    evaluate(pairs, metrics=METRICS).results()


def call_kernel(random: Random) -> None:
    name = kernel_names()[int(random.integers(len(kernel_names())))]
    wanted = len(kernel(name).parameters) + (random.random() < 0.1)
    parameters: Any = tuple(whole(random) for _ in range(wanted))
    if random.random() < 0.1:
        parameters = tuple(damaged(random, np.array(parameters)) for _ in range(2))
    arrays = pair_arrays(random)
    pairs = Pairs(*(some_damaged(random, arrays) if random.random() < 0.5 else arrays))
    kernel(name).count(pairs, parameters, threads=int(random.integers(1, 3)))
    run_kernels([pairs], [(kernel(name), parameters)])
    for row in range(min(len(pairs), 2)):
        count_one(kernel(name), pairs.reference.segmentation(row), pairs.hypothesis.segmentation(row), *parameters)


def call_requests(random: Random) -> None:
    name = kernel_names()[int(random.integers(len(kernel_names())))]
    request = Request(name, **{parameter: whole(random) for parameter in kernel(name).parameters})
    count_requests([Pairs(*some_damaged(random, pair_arrays(random)))], [request])


def call_segmentation(random: Random) -> None:
    n_units, _, positions = flat_arrays(random, 1)
    n = int(n_units[0]) if random.random() < 0.7 else whole(random)
    given = damaged(random, positions)
    made = [
        lambda: Segmentation.from_positions(n, given),
        lambda: Segmentation(n, given),
        lambda: Segmentation.from_masses(given),
        lambda: Segmentation.from_bits(damaged(random, random.random(9) < 0.5), marks="gap"),
        lambda: Segmentation.from_labels(given),
        lambda: Segmentation.from_spans(given),
        lambda: Segmentation.from_seconds(given, float(n)),
    ][int(random.integers(7))]()
    if isinstance(given, np.ndarray) and given.flags.writeable and given.dtype.kind in "iu":
        given[...] = 0
    if made.n_units < 10**6:
        metric(METRICS[int(random.integers(len(METRICS)))])(made, made.mirrored())


def call_evaluate(random: Random) -> None:
    bits = random.random(12) < 0.4
    evaluate({"d": damaged(random, bits)}, {"d": damaged(random, bits)}, metrics=METRICS[:2]).results()


def call_panel(random: Random) -> None:
    size = int(random.integers(1, 4))
    doc_ptr = np.concatenate([[0], np.cumsum(random.integers(1, 4, size))]).astype(np.int64)
    units = random.integers(2, 20, size)
    codings = flat_arrays(random, int(doc_ptr[-1]), np.repeat(units, np.diff(doc_ptr)))
    annotator = np.concatenate([np.arange(n) for n in np.diff(doc_ptr)])
    units, doc_ptr, annotator = some_damaged(random, [units, doc_ptr, annotator])
    ids, names = tuple(map(str, range(size))), ("a", "b", "c")
    panel = Panel(ids, units, doc_ptr, annotator, names, Flat(*codings))
    hypothesis = flat_arrays(random, size, panel.n_units)
    pairs = PanelPairs(panel, Flat(*(some_damaged(random, hypothesis) if random.random() < 0.5 else hypothesis)))
    for name in ("MultiWindowDiff", "FleissKappa"):
        chosen: Any = metric(name)
        chosen.score(chosen.count(pairs if name == "MultiWindowDiff" else panel))
    panel.take(damaged(random, np.arange(size)))


def call_embedded(random: Random) -> None:
    arrays = flat_arrays(random, int(random.integers(1, 4)))
    rows = int(arrays[0].sum())
    vectors = random.normal(size=(rows, 5)).astype([np.float32, np.float64][int(random.integers(2))])
    starts = np.cumsum(arrays[0]) - arrays[0]
    vectors, starts = some_damaged(random, [vectors, starts])
    flat = Flat(*(some_damaged(random, arrays) if random.random() < 0.5 else arrays))
    ids = tuple(str(row) for row in range(len(flat)))
    which = int(random.integers(3))
    if which == 0:
        batch = Embedded(ids, flat, vectors, starts)
    elif which == 1:
        batch = Embedded.from_arrays(ids, flat, vectors, starts if random.random() < 0.5 else None)
    else:
        batch = Embedded.of({"0": flat.segmentation(0)}, {"0": vectors})
    if isinstance(vectors, np.ndarray) and vectors.ndim == 2:
        with contextlib.suppress(AttributeError, ValueError):
            vectors.shape = (vectors.size, 1)
    for name in ("ARPstd", "SegReFree", "Silhouette"):
        chosen: Any = metric(name)
        chosen.score(chosen.count(batch))
    batch.take(damaged(random, np.arange(len(batch))))


def call_scores(random: Random) -> None:
    units = random.integers(1, 12, 3)
    units, scores = some_damaged(random, [units, random.random(int((units - 1).sum()))])
    flat = FlatScores(units, scores, max(1, whole(random)))
    flat.at_threshold(0.5)
    flat.at_counts(np.minimum(flat.n_units - 1, 2))


def call_selector(random: Random) -> None:
    scores = damaged(random, random.random(9))
    selector(["StaticSelector(threshold=0.5)", "TopKSelector(k=3)"][int(random.integers(2))]).select(scores)
    Corpus([Document(id="d", n_units=10, scores=scores)])


CALLS: dict[str, Callable[[Random], None]] = {
    name.removeprefix("call_"): call for name, call in list(globals().items()) if name.startswith("call_")
}


# ------------------------------------------------------------------------------------------------ runs


def work(names: list[str], seed: int, start: int, cases: int, seconds: float) -> int:
    """Run cases in this process and print how far it came; stop at an exception that is not ours."""
    warnings.simplefilter("ignore")
    end = time.monotonic() + seconds
    number = start
    while number < start + cases and time.monotonic() < end:
        name = names[number % len(names)]
        if number % 64 == 0:
            print(number, flush=True)
        try:
            CALLS[name](np.random.default_rng([seed, number]))
        except CaesuraError:
            pass
        except Exception as error:
            print(f"{name}, seed {seed}, case {number}: {type(error).__name__}: {error}", file=sys.stderr)
            raise
        number += 1
    print(number, flush=True)
    return 0


def watched(arguments: list[str]) -> tuple[int, int]:
    """Run cases in a process of its own; return how many were run, and how the process ended."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.arrays", *arguments, "--here"], capture_output=True, text=True
    )
    last = int(done.stdout.split()[-1]) if done.stdout.split() else 0
    if done.returncode:
        print(done.stderr[-3000:], file=sys.stderr)
        how = f"signal {-done.returncode}" if done.returncode < 0 else "an exception"
        print(f"ended by {how} at or after case {last}: {' '.join(arguments)}", file=sys.stderr)
    return last, done.returncode


# ------------------------------------------------------------------------------------------------ builds


def built(folder: Path, stem: str) -> ModuleType:
    """Return a kernel module of another build."""
    places = [folder / "caesura/kernels" / f"{stem}{end}" for end in importlib.machinery.EXTENSION_SUFFIXES]
    path = next(place for place in places if place.exists())
    name = f"caesura.kernels.{stem}"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def compare(folder: Path, seed: int, seconds: float) -> int:
    """Count right arrays with three builds of every kernel; the counts must be equal."""
    from tests.kernels.test_compiled_equals_uncompiled import load

    failed: list[object] = []
    sys.unraisablehook = failed.append  # loops without the GIL cannot raise: a failed bounds check comes here
    builds = {}
    for name in kernel_names():
        stem = kernel(name).module.__name__.rpartition(".")[2]
        columns = kernel(name).columns
        builds[name] = [Kernel(name, columns, built(folder, stem)), Kernel(name, columns, load(stem, shim=True))]
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        random = np.random.default_rng([seed, number])
        pairs = Pairs(*pair_arrays(random))
        for name, others in builds.items():
            ranges = others[0].parameters.values()
            parameters = tuple(int(random.integers(least, min(most, 9) + 1)) for least, most in ranges)
            expected = kernel(name).count(pairs, parameters)
            for other in others:
                same = np.array_equal(other.count(pairs, parameters), expected, equal_nan=True)
                if not same or failed:
                    print(
                        f"{name}{parameters}, seed {seed}, case {number}: {failed or 'builds differ'}", file=sys.stderr
                    )
                    return 1
        number += 1
    print(f"{number} batches, {len(builds)} kernels, 3 builds: equal")
    return 0


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--cases", type=int, default=10**9, help="stop after this many cases")
    parser.add_argument("--seed", type=int, default=0, help="which random arrays")
    parser.add_argument("--call", choices=CALLS, help="one call only")
    parser.add_argument("--each", action="store_true", help="as many cases for every call, one process each")
    parser.add_argument("--checked", type=Path, help="compare with the build in this folder")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.checked is not None:
        return compare(options.checked, options.seed, options.seconds)
    names = [options.call] if options.call else list(CALLS)
    if options.here:
        return work(names, options.seed, 0, options.cases, options.seconds)
    shared = ["--seed", str(options.seed), "--cases", str(options.cases), "--seconds", str(options.seconds)]
    runs = [[*shared, "--call", name] for name in names] if options.each or options.call else [shared]
    worst = 0
    for run in runs:
        cases, code = watched(run)
        print(
            f"{cases:,} cases of {run[-1] if '--call' in run else f'{len(names)} calls'}: {'ok' if not code else 'FAILED'}",
            flush=True,
        )
        worst = max(worst, abs(code))
    return worst


if __name__ == "__main__":
    sys.exit(main())
