"""Every kind of figure is drawn from its data, with n and intervals on hover and nothing read as HTML."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import sample_frames as frames
from sample_results import EVIL, figures, make_evil

from isogloss.report import draw
from isogloss.report.contexts import Payloads, figure_section
from isogloss.report.figures import draw_panels
from isogloss.report.palette import GREY, Colours, light_to_dark, template
from isogloss.studies.result import KINDS, Figure

SAMPLE = figures()


def texts_of(panel: go.Figure) -> list[str]:
    """All hover texts of a panel."""
    found: list[str] = []
    for trace in panel.data:
        for row in trace.hovertext if trace.hovertext is not None else (trace.text if trace.text is not None else []):
            found += list(row) if isinstance(row, list | tuple | np.ndarray) else [row]
    return [text for text in found if text]


def test_the_sample_has_every_kind() -> None:
    assert {figure.kind for figure in SAMPLE.values()} == set(KINDS)


@pytest.mark.parametrize("name", SAMPLE)
def test_every_kind_becomes_valid_plotly_json(name: str) -> None:
    figure = draw(SAMPLE[name])
    content = json.loads(figure.to_json())
    assert content["data"]
    assert content["layout"]["height"] > 100


@pytest.mark.parametrize("name", [name for name, figure in SAMPLE.items() if figure.column("n")])
def test_n_is_on_hover(name: str) -> None:
    assert any("n = " in text for text in texts_of(draw(SAMPLE[name])))


@pytest.mark.parametrize("name", [name for name, figure in SAMPLE.items() if figure.column("low")])
def test_intervals_are_on_hover(name: str) -> None:
    assert any("interval [" in text for text in texts_of(draw(SAMPLE[name])))


def test_a_band_runs_along_the_high_and_back_along_the_low_ends() -> None:
    frame = pd.DataFrame({"layer": [0, 1], "value": [0.5, 0.6], "low": [0.4, 0.5], "high": [0.6, 0.8]})
    band, line = draw(Figure("f", "F", "profile", frame, reading="r", alt="a")).data
    assert list(band.x) == [0, 1, 1, 0]
    assert list(band.y) == [0.6, 0.8, 0.5, 0.4]
    assert list(line.y) == [0.5, 0.6]


def test_baselines_are_grey_and_dashed() -> None:
    lines = {t.meta["series"]: t for t in draw(SAMPLE["layers"]).data if t.fill != "toself"}
    assert lines["untrained"].line.dash == "dash"
    assert lines["untrained"].line.color == GREY[0]
    assert lines["trained"].line.dash == "solid"


def test_missing_values_leave_gaps_and_break_nothing() -> None:
    frame = pd.DataFrame({"layer": [0, 1, 2], "value": [0.5, np.nan, np.inf], "low": np.nan, "high": np.nan})
    figure = draw(Figure("f", "F", "profile", frame, reading="r", alt="a"))
    assert list(figure.data[0].y) == [0.5, None, None]


def test_a_heat_map_puts_every_value_into_its_cell_and_leaves_others_empty() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": ["p", "p", "q"], "value": [1.0, 2.0, 3.0]})
    grid = draw(Figure("f", "F", "heatmap", frame, reading="r", alt="a", x="a", y="b")).data[0]
    np.testing.assert_array_equal(np.asarray(grid.z, dtype=float), [[1.0, 2.0], [3.0, np.nan]])
    assert list(grid.x) == ["x", "y"]
    assert list(grid.y) == ["p", "q"]


def test_facets_share_one_colour_scale() -> None:
    drawing = draw_panels(SAMPLE["similarity"])
    assert drawing.facets == ("0", "1", "2", "3")
    assert drawing.start == "2"
    assert len({(trace.zmin, trace.zmax) for trace in drawing.panels[0].data}) == 1
    assert draw(SAMPLE["similarity"]).data[0].meta["facet"] == "2"


def test_a_diverging_scale_is_even_around_its_centre() -> None:
    grid = draw(SAMPLE["loss"]).data[0]
    assert grid.zmin == -grid.zmax
    assert "−30" in str(grid.text) or "−2" in str(grid.text)


def test_bars_stand_under_their_family() -> None:
    axis = draw(SAMPLE["transfer"]).layout.yaxis
    assert list(axis.ticktext)[:5] == ["<b>Germanic</b>", "English", "German", "Dutch", "<b>Romance</b>"]


def test_a_map_has_a_panel_for_every_colouring_and_codes_that_link_them() -> None:
    drawing = draw_panels(SAMPLE["tokens"])
    assert drawing.linked
    assert [legend.column for legend in drawing.legends] == ["label", "language"]
    for panel, own in zip(drawing.panels, (0, 1), strict=True):
        for trace in panel.data:
            names = {drawing.legends[own].items[codes[own]].name for codes in trace.customdata}
            assert names == {trace.meta["series"]}
    assert sum(len(t.x) for t in drawing.panels[0].data) == sum(len(t.x) for t in drawing.panels[1].data) == 600


def test_a_crowded_map_is_thinned_and_says_so() -> None:
    points = frames.points(20_000)
    drawing = draw_panels(Figure("f", "F", "map", points, reading="r", alt="a", facet="condition"))
    assert sum(len(t.x) for t in drawing.panels[0].data) == 8000
    assert "4,000 of 10,000" in drawing.note


def test_a_dendrogram_has_its_leaves_in_rows_and_parents_between_children() -> None:
    frame = pd.DataFrame(
        {"node": ["r", "a", "b", "c", "ab"], "parent": ["", "ab", "ab", "r", "r"], "label": ["", "a", "b", "c", ""]}
    )
    frame["height"] = [2.0, 0, 0, 0, 1.0]
    figure = draw(Figure("f", "F", "dendrogram", frame, reading="r", alt="a"))
    elbows, leaves = figure.data
    assert list(figure.layout.yaxis.ticktext) == ["c", "a", "b"]
    assert list(leaves.y) == [0, 1, 2]
    assert 1.5 in elbows.y


def test_a_tree_with_a_circle_is_refused() -> None:
    frame = pd.DataFrame({"node": ["a", "b"], "parent": ["b", "a"], "label": ["a", "b"]})
    with pytest.raises(ValueError, match="circles"):
        draw(Figure("f", "F", "tree", frame, reading="r", alt="a"))


def test_arrows_run_from_before_to_after() -> None:
    frame = pd.DataFrame({"x": [0.0], "y": [1.0], "x_to": [2.0], "y_to": [3.0], "language": ["de"]})
    arrow = draw(Figure("f", "F", "arrows", frame, reading="r", alt="a")).data[0]
    assert list(arrow.x[:2]) == [0.0, 2.0]
    assert list(arrow.y[:2]) == [1.0, 3.0]


def test_languages_without_a_value_are_faint_dots_on_the_world() -> None:
    land, behind, known = draw(SAMPLE["world"]).data
    assert land.fill == "toself"
    assert (len(behind.x), len(known.x)) == (200, 12)


def test_no_text_reaches_plotly_unescaped() -> None:
    for figure in make_evil().figures.values():
        drawing = draw_panels(figure)
        for panel in drawing.panels:
            content = json.loads(panel.to_json())
            for trace in content["data"]:
                trace.pop("meta", None)  # raw names, which the page shows as text only
            shown = json.dumps(content)
            assert "<script" not in shown
            assert "<img" not in shown


def test_raw_names_stay_raw_for_the_page_and_for_downloads() -> None:
    drawing = draw_panels(make_evil().figures["lines"])
    assert drawing.legends[0].items[0].name == EVIL


def test_a_language_keeps_its_colour_on_every_figure() -> None:
    colours = Colours()
    for figure in SAMPLE.values():
        colours.learn(figure)
    line = next(t for t in draw(SAMPLE["training"], colours).data if t.meta["series"] == "German")
    arrow = next(t for t in draw(SAMPLE["moves"], colours).data if t.meta["series"] == "German")
    assert line.line.color == arrow.line.color


def test_names_that_meet_on_one_figure_never_share_a_style() -> None:
    colours = Colours()
    for names in (["a", "b"], ["c", "d"], ["b", "d", "e"]):
        colours.stand_together(names)
    assert colours.style("a") == colours.style("c")  # each starts at the palette's head
    assert len({colours.style(name) for name in "bde"}) == 3


def test_more_series_than_colours_differ_by_dash() -> None:
    colours = Colours()
    names = [f"language {place}" for place in range(24)]
    colours.stand_together(names)
    styles = {colours.style(name) for name in names}
    assert len(styles) == 24


def test_every_colour_that_is_drawn_has_a_dark_form() -> None:
    known = light_to_dark()
    drawn = {c for figure in SAMPLE.values() for c in _colours_in(json.loads(draw(figure).to_json())["data"])}
    assert drawn - {"rgba(0,0,0,0)"} <= set(known)


def _colours_in(content: object) -> set[str]:
    if isinstance(content, dict):
        return {c for part in content.values() for c in _colours_in(part)}
    if isinstance(content, list):
        return {c for part in content for c in _colours_in(part)}
    return {content} if isinstance(content, str) and content.startswith(("#", "rgb")) else set()


@pytest.mark.parametrize("dark", [False, True])
def test_series_stand_out_from_the_page(dark: bool) -> None:
    from isogloss.report.palette import BASELINES, PAPER, SERIES

    ground = PAPER[int(dark)]
    assert all(_contrast(pair[int(dark)], ground) >= 3 for pair in (*SERIES, *BASELINES))
    assert template(dark)["layout"]


def _contrast(one: str, two: str) -> float:
    """WCAG's contrast ratio."""
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def profile(values: list[float], low: list[float], high: list[float], **given: object) -> Figure:
    frame = pd.DataFrame({"layer": range(len(values)), "value": values, "low": low, "high": high})
    return Figure(
        "f", "F", "profile", frame, "How to read it.", "A figure.", intervals="Bands are over seeds.", **given
    )


def reading(figure: Figure) -> str:
    return figure_section(figure, 1, Colours(), Payloads("study")).reading


def test_bands_are_described_only_where_they_are_drawn():
    gap = float("nan")
    assert reading(profile([0.5, 0.6], [0.4, 0.5], [0.6, 0.7])).endswith("Bands are over seeds.")
    assert reading(profile([0.5, 0.6], [gap, gap], [gap, gap])) == "How to read it."
    bars = Figure("f", "F", "bars", pd.DataFrame({"language": ["a"], "value": [1.0], "low": [gap], "high": [gap]}),
                  "How to read it.", "A figure.", intervals="Lines are over seeds.")  # fmt: skip
    assert reading(bars) == "How to read it."
    assert reading(replace(bars, frame=bars.frame.assign(low=0.5, high=1.5))).endswith("Lines are over seeds.")


def test_shares_start_at_zero_unless_said():
    def axis(figure: Figure) -> tuple[float, ...]:
        return tuple(draw_panels(figure).panels[0].layout.yaxis.range)

    figure = profile([0.5, 0.6], [0.4, 0.5], [0.6, 0.7])
    assert axis(figure)[0] == 0 and axis(figure)[1] > 0.7
    assert axis(replace(figure, y_range=(0.3, 0.8))) == (0.3, 0.8)
    assert axis(profile([-0.5, 0.6], [-0.6, 0.5], [-0.4, 0.7]))[0] < -0.6


def test_a_small_change_is_not_in_full_colour():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["p", "q"], "value": [-0.07, 0.02]})
    figure = Figure("f", "F", "heatmap", frame, "r", "a", x="a", y="b", diverging=True, decimals=1)
    grid = draw_panels(figure).panels[0].data[0]
    assert (grid.zmin, grid.zmax) == (-2.0, 2.0)
    large = draw_panels(replace(figure, frame=frame.assign(value=[-7.0, 2.0]))).panels[0].data[0]
    assert (large.zmin, large.zmax) == (-7.0, 7.0)


def test_three_baselines_are_told_apart():
    names = ["ours", "untrained", "tags", "chance"]
    frame = pd.DataFrame({"layer": [0, 1] * 4, "value": 0.5, "series": [name for name in names for _ in range(2)]})
    for kind, x in (("profile", "layer"), ("bars", "layer")):
        figure = Figure("f", "F", kind, frame, "r", "a", x=x, series="series", baselines=tuple(names[1:]))
        styles = [item.style for item in draw_panels(figure).legends[0].items][1:]
        assert len({style.colour for style in styles}) == len({style.dash for style in styles}) == 3
        assert len({style.symbol for style in styles}) == 3
