"""Where numbers come from is read off a plan: every piece of data keeps its own revision, every task its preset."""

from dataclasses import replace
from pathlib import Path

from isogloss.runs import Store
from isogloss.studies import fuse, preserve
from isogloss.studies.shared.provenance import provenance_of
from isogloss.studies.study import Results


def test_text_and_trees_of_one_name_keep_their_own_revisions(tmp_path: Path) -> None:
    """The text that L-DAR is fitted on and the test data of a task are both parts of lab:families:0."""
    plan = preserve.STUDY.plan(preserve.demo(0, "tiny"))
    found = provenance_of(plan, Results(Store(tmp_path)))
    cell = plan.conditions[-1].cell
    assert {data.revision for data in (*cell.train, *cell.tests, *cell.texts)} <= set(found.revisions.values())
    assert cell.space is not None and cell.space.data_revision in found.revisions.values()
    assert found.revisions[cell.tests[0].describe()] != found.revisions[f"{cell.texts[0].describe()}, text"]


def test_presets_of_models_that_need_different_ones_are_both_named(tiny_model: Path, tmp_path: Path) -> None:
    config = replace(fuse.demo(0, "tiny"), models=("lab:twins", str(tiny_model)), layers="1", rivals=False)
    found = provenance_of(fuse.STUDY.plan(config), Results(Store(tmp_path)))
    assert found.presets == {"pos": "lab, xtreme"}
    assert found.models == ("lab:twins", str(tiny_model))
