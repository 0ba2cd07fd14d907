"""Rows that are cut into blocks where somebody says, as they lie on the workers of a cluster."""

from functools import reduce
from itertools import pairwise

from paclearn.encoding.encoded_rows import EncodedBlock, EncodedRows


class InBlocks(EncodedRows):
    """Codes (columns x rows), targets and weights; blocks end at ``edges``, and some may be empty."""

    def __init__(self, codes, targets, weights, edges):
        self.n = len(targets)
        self.blocks = [
            EncodedBlock(
                codes[:, a:b].copy() if hasattr(codes, "shape") else [column[a:b] for column in codes],
                targets[a:b],
                None if weights is None else weights[a:b],
            )
            for a, b in pairwise(edges)
        ]

    def summed(self, work, add):
        return reduce(add, map(work, self.blocks))
