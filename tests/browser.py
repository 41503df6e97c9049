"""Headless Chromium, driven over its debugging pipe: no driver and no socket."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import util
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 60
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]


def axe_source() -> str:
    """axe's program, which a page runs on itself; skips where its package is not installed."""
    package = util.find_spec("axe_core_python")
    if package is None or package.origin is None:
        pytest.skip("axe-core-python is not installed")
    return Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8")


class Tab:
    """One page; `events` is everything that it said by itself."""

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write = read, write
        self.number = 0
        self.session = ""
        self.waiting = b""
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            said = self.hear()
            if said.get("id") == self.number:
                assert "error" not in said, said
                return said["result"]
            self.events.append(said)

    def hear(self) -> dict[str, Any]:
        while b"\0" not in self.waiting:
            more = os.read(self.read, 1 << 20)
            assert more, "Chromium ended"
            self.waiting += more
        said, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(said)

    def evaluate(self, script: str) -> Any:
        found = self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def open(self, path: Path, width: int, height: int, scheme: str) -> None:
        """Shows a file in a window of that size, light or dark."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        until = time.monotonic() + SECONDS
        while self.evaluate("document.readyState") != "complete":
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.05)


@contextmanager
def tab() -> Iterator[Tab]:
    """A fresh Chromium with one empty page."""
    to_read, to_write = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory() as profile:

        def lay() -> None:
            # Its pipe is descriptors 3 and 4; whatever they are now is moved out of the way first.
            reader, writer = os.dup(to_write[0]), os.dup(to_read[1])
            reader, writer = (os.dup2(reader, 60), os.dup2(writer, 61))
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        process = subprocess.Popen(
            [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lay,
            close_fds=False,
        )
        try:
            os.close(to_write[0])
            os.close(to_read[1])
            page = Tab(to_read[0], to_write[1])
            target = page.ask("Target.createTarget", url="about:blank")["targetId"]
            session = page.ask("Target.attachToTarget", targetId=target, flatten=True)
            page.session = session["sessionId"]
            for part in ("Page", "Runtime", "Network", "Log"):
                page.ask(f"{part}.enable")
            yield page
        finally:
            process.kill()
            process.wait()
            for descriptor in (to_read[0], to_write[1]):
                with suppress(OSError):
                    os.close(descriptor)
