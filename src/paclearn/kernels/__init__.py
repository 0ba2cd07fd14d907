"""The C++ core; it may be missing, and only the `native.py` of each system looks."""
