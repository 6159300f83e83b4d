"""A page in Chromium that tests can use as people do, over the pipe of its developer tools."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from support.browser import CHROMIUM

_LIMIT_S = 60.0


class Page:
    """One page. ``told``: what its console, its log and its scripts complained of; ``requests``: what it asked for."""

    def __init__(self, folder: Path, url: str, *options: str) -> None:
        assert CHROMIUM is not None
        self.told: list[str] = []
        self.requests: list[str] = []
        self._count = 0
        self._left = b""
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        places = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'  # which the browser reads from and writes to
        command = [
            "bash", "-c", places, "bash",
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            f"--user-data-dir={folder / 'profile'}", "--window-size=1000,1400", "--remote-debugging-pipe", *options,
            "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_browser)
        os.close(from_browser)
        self._session: str | None = None
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=url)
        self.until(f"location.href.startsWith({json.dumps(url)})")

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        """A command of the developer tools; what happens meanwhile is noted."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": values}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._count:
                assert "error" not in found, found["error"]
                result: dict[str, Any] = found["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            piece = os.read(self._read, 1 << 20)
            assert piece, "the browser ended"
            self._left += piece
        text, _, self._left = self._left.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        self._note(found.get("method", ""), found.get("params", {}))
        return found

    def _note(self, method: str, values: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.told.append(str(values["args"]))
        elif method == "Runtime.exceptionThrown":
            self.told.append(str(values["exceptionDetails"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.told.append(str(values["entry"]))

    def value(self, script: str) -> Any:
        """What an expression gives."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script: str) -> None:
        """Wait for an expression to be true."""
        end = time.monotonic() + _LIMIT_S
        while not self.value(f"Boolean(document.body && ({script}))"):
            assert time.monotonic() < end, f"never: {script}; {self.told}"
            time.sleep(0.02)

    def press(self, key: str, code: int) -> None:
        """A key, down and up."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self) -> bytes:
        """A screenshot as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)
