"""Pictures for docs/gallery.md: one of every kind of figure and table, cut out of the pages of real runs.

    isogloss demo --size tiny --out demo
    python tools/pages/gallery.py demo runs/transfer

Folders are looked into for runs of the studies below. Needs Chromium and its driver (`pip install 'isogloss[dev]'`).
"""

import shutil
import sys
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

PICTURES = Path(__file__).parents[2] / "docs" / "images" / "gallery"
FIGURES = {  # kind: the study and its figure
    "profile": ("inspect", "similarity"),
    "curve": ("locate", "subspaces"),
    "training": ("glance", "training"),
    "gates": ("fuse", "gates"),
    "heatmap": ("inspect", "matrix"),
    "bars": ("emerge", "differences"),
    "scatter": ("ablate", "gap"),
    "map": ("forget", "map-pos"),
    "arrows": ("forget", "moves"),
    "dendrogram": ("inspect", "tree"),
    "world": ("transfer", "world"),
    "tree": ("transfer", "tree"),
}
TABLES = {  # what it shows: the study and its table
    "best": ("inspect", "languages"),
    "differences": ("ablate", "losses"),
    "plain": ("locate", "dimensions"),
}
WIDTH = 1000  # pixels


def pages(folders: list[Path]) -> dict[str, Path]:
    """The page of each study in these folders: a run, or a folder of runs."""
    found: dict[str, Path] = {}
    for folder in folders:
        for run in (folder, *sorted(folder.iterdir())):
            if (run / "result.json").is_file():
                found[run.name] = run / "index.html"
    return found


def cut(driver: webdriver.Chrome, page: Path, section: str, target: Path) -> bool:
    """Save one section of a page as a picture; False where the page has no such section."""
    driver.get(page.resolve().as_uri())
    for name in (f"{section}-section", section):
        if found := driver.find_elements(By.ID, name):
            driver.execute_script("arguments[0].scrollIntoView()", found[0])
            time.sleep(1.5)  # figures are drawn when they come into sight
            target.parent.mkdir(parents=True, exist_ok=True)
            return bool(found[0].screenshot(str(target)))
    return False


def main(folders: list[Path]) -> None:
    options = webdriver.ChromeOptions()
    for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},1200"):
        options.add_argument(one)
    wanted = {kind: (*where, "figure") for kind, where in FIGURES.items()}
    wanted |= {f"table-{kind}": (*where, "table") for kind, where in TABLES.items()}
    here = pages(folders)
    with webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"))) as driver:  # no download
        for name, (study, item, sort) in wanted.items():
            done = study in here and cut(driver, here[study], f"{study}-{sort}-{item}", PICTURES / f"{name}.png")
            print(f"{name}: {'saved' if done else f'no {sort} {item} of {study}'}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
