# SPDX-License-Identifier: Apache-2.0
"""Reproductions of papers: every printed number with ours, table by table.

To add an item, put one file into the package of its paper, such as ``paper_004/t1.py``::

    @item("T1", "Agreement of the annotators")
    def agreement(printed: Printed, data: Data) -> Iterator[Value | Finding]:
        yield Value("kappa", "Mean", 0.281, note="8 of the 20 chapters", holds=True)

``printed`` has the printed numbers of the item (``printed.csv``, one line per number) and ``data`` the folder of the user,
for items that declare in ``needs`` what they read from it. The status of each number, the table, the results file, the
page and the exit code follow. `Value` documents the other fields.
"""
