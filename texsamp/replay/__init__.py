"""Captured cases executed to files: every output picture, and how it compares with an expected one."""

from texsamp.replay.differences import LAYOUTS, PlaneDifference, in_words
from texsamp.replay.job import ReplayedPicture, replay
from texsamp.replay.reporter import threads_in_words

__all__ = ["LAYOUTS", "PlaneDifference", "ReplayedPicture", "in_words", "replay", "threads_in_words"]
