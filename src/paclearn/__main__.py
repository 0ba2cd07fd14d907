"""``python -m paclearn``."""

from paclearn.cli import main

if __name__ == "__main__":  # processes of a local cluster import it too
    main()
