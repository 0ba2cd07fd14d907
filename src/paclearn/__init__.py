"""Models a person can read, learned from tables of categories, with a bound on their error attached."""

from paclearn._files import open_table
from paclearn.certificates import Certificate
from paclearn.encoding import BooleanEncoder, Domain
from paclearn.juntas import JuntaClassifier, JuntaRegressor
from paclearn.selection import Discovery, FourierSelector, RedundancyFilter, discover

__version__ = "0.1.0"

__all__ = [
    "BooleanEncoder",
    "Certificate",
    "Discovery",
    "Domain",
    "FourierSelector",
    "JuntaClassifier",
    "JuntaRegressor",
    "RedundancyFilter",
    "__version__",
    "discover",
    "open_table",
]
