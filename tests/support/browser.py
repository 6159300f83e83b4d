"""Chromium without a window, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt install chromium)")


class Browser:
    """Opens pages, with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _open(self, page: Path, state: str, *options: str) -> subprocess.CompletedProcess[str]:
        assert CHROMIUM is not None
        command = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            f"--user-data-dir={self._folder / 'profile'}", "--enable-logging=stderr", "--virtual-time-budget=2000",
            "--window-size=900,2600", *options, f"file://{page}#{state}",
        ]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        told = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
        assert not told, told
        return run

    def document(self, page: Path, state: str = "") -> str:
        """The page's markup once its scripts have run; they must not have complained."""
        return self._open(page, state, "--dump-dom").stdout

    def picture(self, page: Path, state: str = "") -> Path:
        """A screenshot."""
        target = self._folder / "page.png"
        self._open(page, state, f"--screenshot={target}")
        return target
