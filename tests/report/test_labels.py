"""Names beside points, and the land they stand on."""

from itertools import pairwise

from isogloss.report.figures.labels import place_labels
from isogloss.report.figures.world import land

SQUARE = ((0.0, 100.0), (0.0, 100.0))


def test_a_name_alone_stands_above_its_point() -> None:
    assert place_labels([(50, 50)], ["English"], SQUARE, (400, 400)) == ["top center"]


def test_names_step_aside_for_points_and_names() -> None:
    assert place_labels([(50, 50), (50, 54)], ["English", "Dutch"], SQUARE, (400, 400)) == [
        "bottom center",
        "top center",
    ]


def test_a_name_without_room_is_left_out() -> None:
    crowd = [(50 + dx, 50 + dy) for dx in (-4, 0, 4) for dy in (-4, 0, 4)]
    found = place_labels(crowd, ["a long name"] * len(crowd), SQUARE, (400, 400))
    assert found[4] == ""
    assert any(found)


def test_a_name_does_not_leave_the_plot() -> None:
    assert place_labels([(0, 50), (100, 50)], ["English", "Dutch"], SQUARE, (400, 400)) == [
        "middle right",
        "middle left",
    ]


def test_the_land_is_closed_rings_within_the_world() -> None:
    across, up = land()
    rings: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(across, up, strict=True):
        if x is None or y is None:
            rings.append([])
        else:
            rings[-1].append((x, y))
    rings = [ring for ring in rings if ring]
    assert len(rings) > 100
    assert all(ring[0] == ring[-1] for ring in rings)
    assert all(-180 <= x <= 180 and -60 <= y <= 84 for ring in rings for x, y in ring)
    # No line runs across the whole map, as it does where an outline passes the date line uncut.
    assert all(abs(one[0] - two[0]) < 60 for ring in rings for one, two in pairwise(ring))
