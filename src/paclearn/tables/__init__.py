"""One door in: frames, arrays and files become tables; targets and weights."""
