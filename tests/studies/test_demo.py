import pytest

from isogloss.errors import IsoglossError
from isogloss.runs import Plan, key_of
from isogloss.studies.demo import demo_parts, headline
from isogloss.studies.names import STUDIES
from isogloss.studies.result import Finding, Provenance, Result

# Tools that other studies of the demo run; studies of decoders; and those that compare models or runs of a user.
NEEDS_A_USERS_DATA = {"transfer", "pretrain", "think", "choose", "audit", "predict"}


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


def test_the_last_screen_has_five_lines_and_every_study_comes_first_once():
    def result(name: str, count: int) -> tuple[str, Result]:
        import pandas as pd

        findings = tuple(Finding(f"{name} {number}") for number in range(count))
        return name, Result(name, "?", findings, {}, {}, "", Provenance(), pd.DataFrame())

    lines = [finding.text for finding in headline([result("a", 4), result("b", 1), result("c", 3)])]
    assert lines == ["a 0", "b 0", "c 0", "a 1", "c 1"]
