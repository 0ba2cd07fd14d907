"""Fitted models, frozen: they predict, explain themselves and can be written down."""
