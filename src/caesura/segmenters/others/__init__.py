# SPDX-License-Identifier: Apache-2.0
"""Segmenters that are not ours, one file per kind: a function, a command, a server, the classes of a library.

`base`
    what they share: arguments, errors, the text they read.
`outputs`
    from whatever a program returns to boundaries.
`spec`
    from the text of a method to its segmenter.
"""
