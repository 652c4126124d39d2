# SPDX-License-Identifier: Apache-2.0
"""Whether metrics without a reference order systems as metrics with one do.

Nothing is imported here: `caesura.validate` takes its coefficients from this package.
"""
