"""The papers' rooms; each learner ends with a model."""
