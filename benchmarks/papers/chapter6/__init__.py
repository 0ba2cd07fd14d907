"""Chapter 6 of the thesis: laws, learners, and what every figure says."""
