"""``python -m paclearn``."""

from paclearn.cli import main

main()
