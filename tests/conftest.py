"""Set before scipy is imported, so that scikit-learn's array API checks run instead of being skipped."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")
