"""The report: a table and a target become facts, and facts become one page."""

from paclearn.report.page import to_html
from paclearn.report.report import Report
from paclearn.report.report_options import ReportOptions, command_line
from paclearn.report.summarise import summarise

__all__ = ["Report", "ReportOptions", "command_line", "summarise", "to_html"]
