"""A headless Chromium for tests: Debian's own packages, nothing downloaded, everything it asks for on record."""

import base64
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip

UNDRAWN = """
return [...document.querySelectorAll('[data-plot]')].filter((figure) =>
  !figure.dataset.drawn || figure.querySelectorAll('.panel').length === 0 ||
  [...figure.querySelectorAll('.panel')].some((panel) =>
    panel.querySelectorAll('.main-svg path, .main-svg image').length === 0)
).map((figure) => figure.id)
"""
PAPER = {"A4": (688, 1031), "Letter": (710, 965)}  # pixels between the margins of page.css
LOWEST = """
document.documentElement.style.scrollBehavior = 'auto';
const [width, height] = arguments;
Object.assign(document.body.style, {
  width: `${width}px`, height: `${height}px`, columnWidth: `${width}px`, columnGap: 0, columnFill: 'auto',
});
const lowest = [];
for (const element of document.body.querySelectorAll('*:not(script)')) {
  if (element.closest('.panels') && !element.matches('.panels')) continue;
  if (element.childElementCount && !element.matches('.panels, p, td, th, li')) continue;
  for (const box of element.getClientRects()) {
    if (!box.width || !box.height) continue;
    const page = Math.floor((box.left + 1) / width);
    lowest[page] = Math.max(lowest[page] ?? 0, box.bottom / height);
  }
}
return lowest;
"""
KEYS = {"Tab": 9, "Enter": 13, "ArrowLeft": 37}


class Browser:
    """One browser window with the few things tests need."""

    def __init__(self, scratch: Path, width: int = 1400, height: int = 900) -> None:
        options = Options()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, f"--user-data-dir={scratch / 'profile'}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.downloads = scratch / "downloads"
        self.downloads.mkdir(parents=True, exist_ok=True)
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.resize(width, height)

    def command(self, name: str, **parameters: object) -> dict[str, Any]:
        answer: dict[str, Any] = self.driver.execute_cdp_cmd(name, parameters)
        return answer

    def resize(self, width: int, height: int = 900) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def prefer(self, scheme: str) -> None:
        """Say what the system prefers: light or dark."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, page: Path) -> None:
        """Load a page and wait until its figures are drawn; what went before is forgotten."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(page.as_uri())
        self.wait_for("return document.documentElement.dataset.ready === 'true'")

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait_for(self, script: str, *arguments: object, seconds: float = 20.0) -> Any:
        return wait(lambda: self.run(script, *arguments), script, seconds)

    def complaints(self) -> list[str]:
        """What the console said since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses asked for since the page was opened, other than the page's own data and blobs."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return [address for address in found if not address.startswith(("data:", "blob:"))]

    def downloaded(self, name: str) -> bytes:
        """Wait for a download to be complete."""
        path = self.downloads / name
        wait(lambda: path.exists() and path.stat().st_size > 0, f"download of {name}", 20.0)
        return path.read_bytes()

    def picture(self, path: Path) -> Path:
        """The whole page as a picture."""
        size = self.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))
        return path

    def filled_pages(self, paper: str) -> list[float]:
        """How far down each printed page something stands, as a share of its height.

        Pages break like columns, and columns can be measured: the page is laid out for print in columns of the paper's
        size. The page has to be opened again afterwards.
        """
        self.command("Emulation.setEmulatedMedia", media="print")
        self.run("dispatchEvent(new Event('beforeprint'))")
        found: list[float] = self.run(LOWEST, *PAPER[paper])
        self.command("Emulation.setEmulatedMedia", media="")
        return found

    def move_to(self, x: float, y: float) -> None:
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        """Press and release a key, as a keyboard does."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.command(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key], **text
            )

    def close(self) -> None:
        self.driver.quit()


def wait(check: Callable[[], Any], what: str, seconds: float) -> Any:
    """Ask again and again; the answer when it is true, an error when time is up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := check():
            return answer
        time.sleep(0.05)
    raise TimeoutError(f"waited {seconds} s for: {what}")
