"""How soon a large page is drawn, and how large it is, beside Plotly's own page with the same figures.

python benchmarks/pages.py            a heat map of 100 languages x 100 languages x 25 layers, lines and bars
python benchmarks/pages.py --quick    20 languages x 3 layers, once

Seconds are CPU time of the page's main thread in headless Chromium, from opening the file until all is drawn.
Both pages have a value, an interval and n on hover for every cell. Needs chromium, chromedriver and selenium.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import plotly.graph_objects as go

from isogloss.report import draw, write_page
from isogloss.report.figures.drawing import hover_texts, parts
from isogloss.studies.result import Figure, Result
from measure import report_row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "report"))
from sample_results import make_large

from browser import Browser

LARGEST = 5.0  # MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    languages, layers, repeats = (20, 3, 1) if quick else (100, 25, 5)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        result = make_large(languages, layers)
        ours, peer = write_page(result, folder / "run"), plotly_page(result, folder / "plotly.html")
        browser = Browser(folder)
        browser.command("Performance.enable", timeDomain="threadTicks")
        spent: dict[Path, list[float]] = {ours: [], peer: []}
        for _ in range(repeats):
            for page, times in spent.items():
                times.append(open_page(browser, page))
        browser.driver.quit()
        work = f"page with {languages} languages x {languages} languages x {layers} layers"
        told = "Plotly's own page of its three figures"
        seconds = [statistics.median(spent[page]) for page in (ours, peer)]
        report_row(f"{work}: s of the main thread until drawn", told, *seconds, None, repeats)
        sizes = [page.stat().st_size / 1e6 for page in (ours, peer)]
        report_row(f"{work}: MB, not s", told, *sizes, None, 1)
        report_row(f"{work}: MB, not s", f"{LARGEST:.0f} MB", sizes[0], LARGEST, 1.0, 1)


def plotly_page(result: Result, path: Path) -> Path:
    """The same figures as ``to_html`` writes them."""
    grid = plotly_grid(result.figures["grid"]).to_html(full_html=False, include_plotlyjs=True)
    others = [
        draw(result.figures[name]).to_html(full_html=False, include_plotlyjs=False) for name in ("profile", "bars")
    ]
    path.write_text(f"<!doctype html><meta charset=utf-8>{grid}{''.join(others)}", "utf-8")
    return path


def plotly_grid(figure: Figure) -> go.Figure:
    """The heat map: a trace per layer, and a slider that shows one of them."""
    traces, steps = [], []
    for place, (layer, part) in enumerate(parts(figure.frame, "layer")):
        shape = (part["language"].nunique(), part["other"].nunique())
        texts = hover_texts(figure, part, ["language", "other"], "value")
        rows = [texts[start : start + shape[1]] for start in range(0, len(texts), shape[1])]
        z = part["value"].to_numpy().reshape(shape)
        names = {"x": part["other"].unique().tolist(), "y": part["language"].unique().tolist()}
        traces.append(go.Heatmap(z=z, **names, hovertext=rows, hoverinfo="text", visible=place == 0))
        steps.append({"label": layer, "method": "update", "args": [{"visible": [place]}]})
    for place, step in enumerate(steps):
        step["args"] = [{"visible": [other == place for other in range(len(steps))]}]
    return go.Figure(traces, {"sliders": [{"steps": steps}]})


def open_page(browser: Browser, page: Path) -> float:
    """Seconds of the main thread until the page's last figure is drawn."""
    browser.driver.get("about:blank")
    before = _spent(browser)
    browser.driver.get(page.as_uri())
    browser.wait_for(
        "return document.documentElement.dataset.ready === 'true' || "
        "(!document.getElementById('theme') && document.querySelectorAll('.hm image').length > 0 &&"
        " document.querySelectorAll('.barlayer .point').length > 0)",
        seconds=120,
    )
    return _spent(browser) - before


def _spent(browser: Browser) -> float:
    metrics = browser.command("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


if __name__ == "__main__":
    main()
