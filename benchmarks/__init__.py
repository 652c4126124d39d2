# SPDX-License-Identifier: Apache-2.0
"""The benchmark: Caesura against other libraries and against what the work must cost at least.

Every goal is a ratio taken inside one run. What is compared runs in turn, round after round; each round gives one
ratio, and the median of them is reported with the least and the greatest. Scores are compared before anything is
timed, and a disagreement is printed instead of a ratio.

``corpora``
    seeded corpora of stated sizes.
``peers``
    one adapter per library, Caesura among them.
``floors``
    the least that any program must do with the same data.
``parts``
    one file per group of goals: each takes measurements and returns a `benchmarks.results.Part`.
``page``
    ``docs/benchmarks.md``, made from the numbers alone.

Run it with ``python -m benchmarks --out benchmarks/results.json --docs docs/benchmarks.md`` (``--quick`` for small
corpora, ``--only PART`` for one part).
"""
