"""Reports for the browser: pages that are one file each, need no network and can be used with the keyboard."""

from texsamp.report.comparison import ComparisonReport
from texsamp.report.measured import Measured, MeasuredReport
from texsamp.report.processed import ProcessReport
from texsamp.report.replayed import ReplayReport
from texsamp.report.shown import ReportPage

__all__ = ["ComparisonReport", "Measured", "MeasuredReport", "ProcessReport", "ReplayReport", "ReportPage"]
