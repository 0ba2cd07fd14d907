"""Learning where the rows are: tables of Dask, and the client whose workers learn from them."""

from paclearn.tables.remote import using

__all__ = ["using"]
