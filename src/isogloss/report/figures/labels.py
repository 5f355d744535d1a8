"""Names beside points: each where it covers nothing, or not at all (hover has it)."""

from collections.abc import Iterable, Sequence

LETTER, LINE = 6.4, 13.0  # pixels a character and a line take at the size of labels
MARK = 7.0  # pixels from a point's middle to its label
Box = tuple[float, float, float, float]  # left, right, bottom, top
Range = tuple[float, float]


def place_labels(
    points: Sequence[tuple[float, float]], names: Sequence[str], ranges: tuple[Range, Range], size: tuple[int, int]
) -> list[str]:
    """For every point Plotly's ``textposition`` of its name, or nothing where it would cover others.

    ``ranges`` are those of both axes, ``size`` is the plot's in pixels, about.
    """
    spots = [_pixels(point, ranges, size) for point in points]
    taken: list[Box] = [(x - MARK, x + MARK, y - MARK, y + MARK) for x, y in spots]
    found = []
    for own, (spot, name) in enumerate(zip(spots, names, strict=True)):
        others = [box for place, box in enumerate(taken) if place != own]
        places = _boxes(spot, len(name) * LETTER)
        free = [(where, box) for where, box in places if _is_free(box, others, size[0])]
        found.append(free[0][0] if free else "")
        taken += [box for _, box in free[:1]]
    return found


def _pixels(point: tuple[float, float], ranges: tuple[Range, Range], size: tuple[int, int]) -> tuple[float, float]:
    (x, y), ((west, east), (south, north)), (width, height) = point, ranges, size
    return (x - west) / ((east - west) or 1) * width, (y - south) / ((north - south) or 1) * height


def _boxes(spot: tuple[float, float], width: float) -> list[tuple[str, Box]]:
    x, y = spot
    return [
        ("top center", (x - width / 2, x + width / 2, y + MARK, y + MARK + LINE)),
        ("bottom center", (x - width / 2, x + width / 2, y - MARK - LINE, y - MARK)),
        ("middle right", (x + MARK, x + MARK + width, y - LINE / 2, y + LINE / 2)),
        ("middle left", (x - MARK - width, x - MARK, y - LINE / 2, y + LINE / 2)),
    ]


def _is_free(box: Box, others: Iterable[Box], width: int) -> bool:
    left, right, bottom, top = box
    inside = left >= 0 and right <= width
    return inside and not any(left < o[1] and o[0] < right and bottom < o[3] and o[2] < top for o in others)
