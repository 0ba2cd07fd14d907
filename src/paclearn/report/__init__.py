"""The report: a table and a target become facts, and facts become one page."""

from paclearn.report.html import to_html
from paclearn.report.summarise import ReportOptions, summarise

__all__ = ["ReportOptions", "summarise", "to_html"]
