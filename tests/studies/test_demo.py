import math

import pandas as pd
import pytest

from isogloss.errors import IsoglossError
from isogloss.probes.statistics import Estimate
from isogloss.runs import Plan, key_of
from isogloss.studies.demo import demo_parts, headline
from isogloss.studies.names import STUDIES
from isogloss.studies.result import Finding, Provenance, Result
from isogloss.studies.shared.comparison import supported

# Tools that other studies of the demo run; studies of decoders; and those that compare models or runs of a user.
NEEDS_A_USERS_DATA = {"transfer", "pretrain", "think", "choose", "audit", "predict", "vary"}


@pytest.mark.parametrize("size", ["demo", "tiny"])
def test_the_demo_has_every_study_and_pretrains_two_encoders_only(size: str):
    parts = demo_parts(size, seed=3)
    assert {part.study.name for part in parts} == set(STUDIES) - NEEDS_A_USERS_DATA
    cells = Plan([cell for part in parts for cell in part.study.plan(part.config).cells]).cells.values()
    encoders = [cell for cell in cells if cell.name == "lab-encoder"]
    assert {cell.world.preset for cell in encoders} == {"twins", "families"}
    assert len(encoders) == 2
    assert all(cell.world.seed == 3 and cell.recipe.seed == 3 for cell in encoders)


def test_another_seed_makes_every_cell_another():
    def keys(seed: int) -> set[str]:
        parts = demo_parts("tiny", seed)
        return {key_of(cell) for part in parts for cell in part.study.plan(part.config).cells}

    assert not keys(0) & keys(1)


def test_an_unknown_size_names_the_nearest():
    with pytest.raises(IsoglossError, match="did you mean 'demo'"):
        demo_parts("demos", 0)


def test_the_first_screen_leads_with_contrasts_that_hold():
    held = Finding("b gains 5.0 points", 5.0, 2.0, 8.0, 3, "points", holds=True)
    findings = {
        "a": (Finding("a finds 5.0%", 5.0, 4.0, 6.0), Finding("a again", 9.0, 8.0, 10.0, holds=True)),
        "b": (Finding("b is broken", warning=True), held),
        "c": (Finding("c and d are tied", 1.0, -0.5, 1.5, holds=False),),
        "d": (Finding("d costs 3.0 points", -3.0, -5.0, -1.0, holds=True),),
    }
    results = [
        (name, Result(name, "?", ones, {}, {}, "", Provenance(), pd.DataFrame())) for name, ones in findings.items()
    ]
    warnings, claims = headline(results)
    assert [one.text for one in warnings] == ["b is broken"]
    assert [name for name, _ in claims] == ["b", "d", "a", "c"]
    assert claims[0][1] == held and claims[2][1].text == "a finds 5.0%"


@pytest.mark.parametrize(
    ("low", "high", "held"), [(1.0, 3.0, True), (-1.0, 5.0, False), (math.nan, math.nan, False), (0.01, 0.03, False)]
)
def test_a_contrast_holds_where_its_interval_excludes_zero_and_it_is_large_enough_to_be_shown(low, high, held):
    assert supported(Estimate((low + high) / 2, low, high, 5)) is held
    assert supported(Estimate(-(low + high) / 2, -high, -low, 5)) is held
