"""The page a browser draws a single figure from, and how the picture is read back out of it."""

import base64
import json
import re
from urllib.parse import unquote_to_bytes

from isogloss.report.asset import asset
from isogloss.report.figures import Drawing, draw_panels
from isogloss.report.page import templates
from isogloss.report.palette import Colours, template
from isogloss.report.payload import digest, drawing_json, pack, packed_plotly, policy
from isogloss.studies.result import Figure

WIDTH = 720  # pixels a panel: a text's width at a readable font size


def figure_html(figure: Figure, kind: str) -> str:
    """A page with nothing but ``figure``; for pictures other than PDF it puts them into its own text."""
    colours = Colours()
    colours.learn(figure)
    drawing = draw_panels(figure, colours)
    width = min(WIDTH, drawing.widest or WIDTH)
    height = _height(drawing, width) + (56 if drawing.legends else 0) + (48 if drawing.scale else 0)
    settings = {
        "kind": kind.removeprefix("."),
        "width": width,
        "height": height,
        "template": template(dark=False),
        "content": json.loads(drawing_json(drawing, figure.frame.head(0), figure.name, whole=True)),
    }
    script, plotly = asset("colourbar.js") + asset("export.js"), packed_plotly()
    return (
        templates()
        .get_template("export.html")
        .render(
            policy=policy(digest(script), plotly.digest),
            title=figure.title,
            plotly=plotly.text,
            settings=pack(json.dumps(settings)),
            script=script,
            width=width * len(drawing.panels),
            height=height,
        )
    )


def _height(drawing: Drawing, width: int) -> int:
    """Of a panel; maps keep their proportions."""
    layout = drawing.panels[0].layout
    shape = layout.meta or {}
    if "aspect" not in shape:
        return int(layout.height)
    return min(int(layout.height), round(width * float(shape["aspect"])) + int(shape.get("around", 60)))


def pictures_in(dom: bytes) -> list[bytes]:
    """The pictures that ``export.js`` left in the page, one a panel: an SVG's text or a PNG's bytes."""
    return [_bytes_of(address) for address in re.findall(rb'class="picture"[^>]*>(data:image/[^<]+)<', dom)]


def _bytes_of(address: bytes) -> bytes:
    head, _, body = address.partition(b",")
    return base64.b64decode(body) if head.endswith(b";base64") else unquote_to_bytes(body)
