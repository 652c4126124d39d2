# SPDX-License-Identifier: Apache-2.0
"""What encoders with weights share: folders of models, hubs, tokens."""
