"""The C++ core; it may be missing, and only `counting/native.py` looks."""
