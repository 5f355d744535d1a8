"""What the site's hooks change on a page: widths of cells, pictures, layouts of figures."""

import hooks
import notebooks
import pytest


@pytest.mark.parametrize(("text", "cell"), [
    ("3.7 [2.4, 5.2]", "<td>"),
    ("x" * 60, '<td class="long">'),
    ("x" * 100, '<td class="longest">'),
    (f'<code>{"x" * 30}</code><a href="{"y" * 100}">z</a>', "<td>"),  # tags are not read
])  # fmt: skip
def test_a_cell_gets_room_by_the_text_it_holds(text: str, cell: str):
    assert hooks.on_page_content(f"<tr><td>{text}</td></tr>") == f"<tr>{cell}{text}</td></tr>"


def test_a_cell_keeps_its_alignment():
    assert 'style="text-align: left;" class="long"' in hooks.on_page_content(
        f'<td style="text-align: left;">{"x" * 60}</td>'
    )


def test_a_picture_opens_at_its_full_size_and_other_images_do_not():
    picture = '<img alt="Layers" src="../images/gallery/profile.png" />'
    assert hooks.on_page_content(picture) == f'<a href="../images/gallery/profile.png">{picture}</a>'
    logo = '<img alt="" src="https://example.org/images/logo.png">'
    assert hooks.on_page_content(logo) == logo


def test_a_figure_has_no_width_of_its_own_and_its_legend_is_clear_of_the_axis():
    layout = notebooks.page_layout({"width": 900, "height": 220, "xaxis": {"title": {"text": "layer"}}})
    assert "width" not in layout and layout["autosize"] and layout["height"] == 220
    assert layout["xaxis"] == {"title": {"text": "layer"}, "automargin": True}
    assert layout["legend"]["y"] > 1 and layout["legend"]["yanchor"] == "bottom"
