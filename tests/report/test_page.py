"""The page is one file that carries everything, runs nothing but its own scripts, and shows text as text."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from sample_results import EVIL, make_evil, make_large, make_sample, make_small

from isogloss.report import draw_page, page_html, write_page, write_site
from isogloss.report.payload import digest, packed_plotly, page_script, policy
from isogloss.report.table_layout import lay_out
from isogloss.studies.result import Finding, Provenance, Result, Table, by_name


class Reader(HTMLParser):
    """Collects tags with their attributes and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def payload(page: str, key: str) -> dict[str, object]:
    found = re.search(rf'id="{key}">([^<]+)<', page)
    assert found, key
    content: dict[str, object] = json.loads(gzip.decompress(base64.b64decode(found[1])))
    return content


@pytest.fixture(scope="module")
def sample() -> str:
    return page_html(make_sample())


def test_the_first_screen_has_question_findings_figure_and_provenance(sample: str) -> None:
    front = sample[: sample.index('class="part"')]
    result = make_sample()
    for words in (
        result.question,
        result.findings[0].text,
        "bert-base-multilingual-cased",
        "ud-pud, tatoeba",
        "3f076fdb1ab6",
        "0 to 4",
        "6 min 12 s",
        "isogloss inspect mbert --data ud-pud",
        "inspect-figure-layers",
    ):
        assert words.replace("'", "&#39;") in without_tooltips(front)


def without_tooltips(page: str) -> str:
    """The page without the marks around terms that it explains."""
    return re.sub(r'<span class="term"[^>]*>([^<]*)</span>', r"\1", page)


@pytest.mark.parametrize(("count", "folded"), [(5, 0), (6, 2), (9, 5)])
def test_of_many_findings_four_are_shown_and_the_others_folded(count: int, folded: int) -> None:
    page = page_html(replace(make_small(), findings=tuple(Finding(f"Finding {n} of all.") for n in range(count))))
    shown, *rest = page.split('<details class="rest">')
    assert [shown.count("of all."), *(part.count("of all.") for part in rest)] == ([4, folded] if folded else [count])
    assert (f"{folded} more findings" in page) == bool(folded)


def test_there_is_a_section_for_every_other_figure_and_every_table(sample: str) -> None:
    reader = Reader(sample)
    ids = {attributes.get("id") for attributes in reader.all("section")}
    result = make_sample()
    assert {f"inspect-figure-{name}-section" for name in result.figures if name != "layers"} <= ids
    assert {f"inspect-table-{name}-section" for name in result.tables} <= ids
    for item in (*result.figures.values(), *result.tables.values()):
        assert item.reading in without_tooltips(sample)


def test_every_figure_has_alternative_text(sample: str) -> None:
    pictures = [a for a in Reader(sample).all("div") if a.get("role") == "img"]
    assert len(pictures) == len(make_sample().figures)
    assert all(a["aria-label"] for a in pictures)


def test_plotly_is_the_bundle_that_npm_has() -> None:
    script = gzip.decompress(base64.b64decode(packed_plotly().text))
    published = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"  # cartesian-dist-min 4.1.1
    assert hashlib.sha256(script).hexdigest() == published
    assert packed_plotly().digest == digest(script.decode())


def test_nothing_is_loaded_from_anywhere(sample: str) -> None:
    reader = Reader(sample)
    for tag, attributes in reader.tags:
        for name in ("src", "href", "action", "data"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:,")) or not value, (tag, value)
    found = next(a for a in reader.all("meta") if a.get("http-equiv") == "Content-Security-Policy")["content"]
    assert found and "default-src 'none'" in found
    assert "unsafe-eval" not in found
    assert "http" not in found
    assert "'unsafe-inline'" not in found.split("style-src")[0]


def test_the_policy_names_the_digest_of_the_script_that_is_in_the_page(sample: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", sample, flags=re.DOTALL)
    assert page_script() in scripts
    for script in scripts:
        assert digest(script) in sample


def test_a_policy_without_scripts_allows_none() -> None:
    assert "script-src 'none'" in policy()


def test_scripts_and_quotes_in_data_stay_text() -> None:
    page = page_html(make_evil())
    reader = Reader(page)
    assert len(re.findall(r"<script[\s>]", page)) == len([t for t, _ in reader.tags if t == "script"])
    assert not reader.all("img")
    assert EVIL in "".join(reader.words)
    data = payload(page, "data-evil-figure-lines")
    assert data["legends"][0]["items"][0]["name"] == EVIL  # type: ignore[index]


def test_the_page_bears_forty_languages_and_thirteen_layers() -> None:
    assert len(page_html(make_large())) < 8_000_000


def test_the_same_result_gives_the_same_page() -> None:
    assert page_html(make_evil()) == page_html(make_evil())


def test_figures_carry_their_frame_for_downloads(sample: str) -> None:
    columns = dict(payload(sample, "data-inspect-figure-layers")["columns"])  # type: ignore[call-overload]
    frame = make_sample().figures["layers"].frame
    series = columns["series"]
    assert [series["levels"][place] for place in series["places"]] == frame["series"].tolist()
    assert columns["value"] == pytest.approx(frame["value"].tolist())
    table = payload(sample, "data-inspect-table-scores")
    assert "\\toprule" in str(table["latex"])


def test_tables_bold_the_best_and_sign_differences(sample: str) -> None:
    assert re.search(r"<strong>\d+\.\d</strong>", sample)
    assert re.search(r'<span class="difference">\+\d', sample)
    assert "bold: largest of its column, signed: difference to plain, *: p &lt; 0.05" in sample


def test_a_result_without_figures_or_findings_still_makes_a_page(tmp_path: Path) -> None:
    table = Table("t", "T", "Read.", pd.DataFrame({"a": [1]}))
    result = Result("bare", "Why?", (), by_name(table), {}, "", Provenance(), table.frame)
    page = write_page(result, tmp_path).read_text()
    assert "Why?" in page
    assert "data-bare-table-t" in page


def test_a_saved_run_is_drawn_again_without_its_study(tmp_path: Path) -> None:
    first = write_page(make_small(), tmp_path).read_text()
    again = draw_page(Result.load(tmp_path), tmp_path).read_text()
    assert first == again


def test_the_page_says_which_preset_of_fine_tunings_was_used(tmp_path: Path) -> None:
    result = make_small()
    one = replace(result, provenance=replace(result.provenance, presets={"pos": "xtreme", "ner": "xtreme"}))
    assert "preset xtreme" in write_page(one, tmp_path).read_text()
    two = replace(result, provenance=replace(result.provenance, presets={"pos": "lab", "ner": "xtreme"}))
    assert "pos: lab, ner: xtreme" in write_page(two, tmp_path).read_text()
    assert (tmp_path / "tables" / f"{next(iter(result.tables))}.tex").read_text().count("\\begin{table") == 1


def test_a_site_has_an_index_and_a_page_a_study(tmp_path: Path) -> None:
    results = [("inspect", make_small()), ("evil", make_evil())]
    index = write_site(results, tmp_path, "The demo", ["First thing.", Finding("Second thing.", 1.0, 0.5, 1.5, 10)])
    page = index.read_text()
    assert "First thing." in page
    assert "interval [0.5, 1.5], n = 10" in page
    links = {a.get("href") for a in Reader(page).all("a")}
    assert {"inspect/index.html", "evil/index.html"} <= links
    for name, _ in results:
        assert (tmp_path / name / "results.parquet").exists()
        assert "../index.html" in (tmp_path / name / "index.html").read_text()
    assert EVIL not in page


def test_the_notebook_shows_the_main_figure_in_a_sandbox() -> None:
    shown = make_small()._repr_html_()
    assert shown.startswith("<iframe")
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    frame = Reader(shown).all("iframe")[0]["srcdoc"] or ""
    assert "data-inspect-figure-layers" in frame
    assert "data-inspect-figure-similarity" not in frame


def test_a_table_named_like_a_figure_is_told_apart_in_the_links() -> None:
    result = make_sample()
    named = next(title for name, title in ((f.name, f.title) for f in result.figures.values()) if name != "layers")
    table = replace(next(iter(result.tables.values())), title=named)
    page = page_html(replace(result, tables=by_name(table)))
    links = page[page.index("<nav") : page.index("</nav>")]
    assert f">{named}<" in links and f">{named} (table)<" in links


def test_models_with_commas_in_their_names_are_kept_apart() -> None:
    result = make_small()
    provenance = replace(result.provenance, models=("qaa, 20 steps", "qaa and qab, 20 steps"))
    assert "qaa, 20 steps; qaa and qab, 20 steps" in page_html(replace(result, provenance=provenance))


def test_a_column_that_is_empty_in_every_row_is_left_out() -> None:
    frame = pd.DataFrame(
        {"language": ["qaa", "qab"], "script": ["", ""], "warnings": ["", "loss"], "score": [1.0, 2.0]}
    )
    table = Table("t", "T", "r", frame, index=("language",), values=("script", "warnings", "score"))
    assert lay_out(table).columns == ("warnings", "score")


def test_a_small_difference_in_points_is_not_in_full_colour_whatever_the_decimals() -> None:
    frame = pd.DataFrame({"task": ["pos"], "reference": [75.77], "loss": [-0.42]})
    table = Table("t", "T", "r", frame, index=("task",), values=("reference", "loss"), decimals=2, signed=("loss",))
    (row,) = lay_out(replace(table, shade=True, best="max")).rows
    assert row.cells[1].shade == pytest.approx(-0.21)
    shares = replace(table, shade=True, best="max", frame=frame.assign(reference=0.75))
    assert lay_out(shares).rows[0].cells[1].shade == -1.0
