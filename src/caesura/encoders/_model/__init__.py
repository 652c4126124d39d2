# SPDX-License-Identifier: Apache-2.0
"""Shared parts of encoders with weights: folders of models, the hub, tokens."""
