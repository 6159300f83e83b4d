"""Many videos, on the processes of this machine or of many: jobs that travel, and a journal of what is done."""

from texsamp.batch.job import Job, JobOutcome
from texsamp.batch.run import BatchResult, batch

__all__ = ["BatchResult", "Job", "JobOutcome", "batch"]
