"""System 3."""
