"""The C++ core and its numpy twins; the core may be missing, and only `dispatch` looks."""
