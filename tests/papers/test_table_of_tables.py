"""The table of tables: complete, in step with its page, and its commands are ones that exist."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from isogloss.cli import main
from isogloss.report.papers_page import papers_page, study_deviations
from isogloss.studies.expectations import load_expectations
from isogloss.studies.expectations.items import load_papers
from isogloss.studies.shared.study_presets import study_presets

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
STUDIES = ("ablate", "align", "emerge", "forget", "fuse", "locate", "preserve")
ITEMS = {"liang21": 11, "tanti21": 11, "wu20": 9, "muller21": 16, "chen22": 11}


@pytest.fixture
def isogloss(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["isogloss", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return int(stopped.value.code or 0), captured.out + captured.err

    return run


def test_the_page_is_what_the_command_prints() -> None:
    assert PAGE.read_text(encoding="utf-8") == papers_page(), "make it: isogloss papers --markdown > docs/papers.md"


@pytest.mark.parametrize("study", [*STUDIES, "transfer"])
def test_the_page_of_a_study_has_its_table_of_deviations(study: str) -> None:
    page = PAGE.parent / ("transfer.md" if study == "transfer" else f"studies/{study}.md")
    table = study_deviations(study)
    assert table.count("\n") > 2 and table in page.read_text(encoding="utf-8"), f"isogloss papers --deviations {study}"


def test_every_deviation_is_of_a_study_that_has_items() -> None:
    for paper in load_papers().values():
        made = {item.study for item in paper.items if item.study}
        assert all(one.studies and set(one.studies) <= made for one in paper.deviations), paper.name


def test_deviations_are_printed_and_a_misspelt_study_is_named(isogloss: Callable[..., tuple[int, str]]) -> None:
    code, text = isogloss("papers", "--deviations", "preserve")
    assert code == 0 and "`over=labelled`" in text and "AIF" not in text
    code, text = isogloss("papers", "--deviations", "preserv")
    assert code == 2 and "did you mean 'preserve'" in text


def test_every_table_and_figure_is_there_once() -> None:
    for name, paper in load_papers().items():
        assert len({item.id for item in paper.items}) == len(paper.items) == ITEMS[name]
        printed = {item for item in load_expectations(name)["item"] if item.startswith(("Table", "Figure"))}
        assert printed <= {item.title for item in paper.items}


def test_what_is_not_complete_says_why_and_what_is_computed_has_a_preset() -> None:
    for paper in load_papers().values():
        for item in paper.items:
            assert bool(item.why) == (item.state == "partly"), item
            assert bool(item.study) == (item.state != "drawing"), item
            assert not item.study or "paper" in study_presets(item.study), item


def test_an_item_with_printed_numbers_gives_the_table_that_has_them() -> None:
    for paper in load_papers().values():
        for item in paper.items:
            assert ("table published" in item.names_given) == bool(paper.published(item)), (paper.name, item.id)


def test_every_command_is_understood(isogloss: Callable[..., tuple[int, str]]) -> None:
    commands = {item.command for paper in load_papers().values() for item in paper.items if item.command}
    for command in sorted(commands):
        code, text = isogloss(*command.split()[1:], "--print-config")
        assert code == 0, f"{command}: {text}"


def test_the_settings_of_an_item_are_those_of_its_command(isogloss: Callable[..., tuple[int, str]]) -> None:
    for item in (item for paper in load_papers().values() for item in paper.items if item.given):
        _, text = isogloss(*item.command.split()[1:], "--print-config")
        printed = yaml.safe_load(text)
        assert {name: printed[name] for name in item.given} == item.given, item.command


def test_an_item_is_printed_with_its_command_and_what_it_needs(
    isogloss: Callable[..., tuple[int, str]], data: Path, mbert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(mbert).parent)  # the preset's model, found as a folder of that name
    code, text = isogloss("papers", "muller21", "Table 1", "--plan")
    assert code == 0 and "command: isogloss ablate --preset paper" in text and "126 printed numbers" in text
    assert "not on this machine: nothing" in text
    assert "1,020 ablation" in text and "planned on this machine" in text
    assert "fine-tuning: about 742 on one Nvidia Tesla T4" in text  # 340 x (32 + 24 + 75) minutes
    assert "estimate: about" in text and "TFLOP/s" in text


@pytest.mark.parametrize(
    ("item", "named", "cells"),
    [
        (("muller21", "table-3"), "ud-ewt", "cells: 2,248 (1,224 ablation, 1,020 tuned, 4 similarity)"),
        (("wu20", "figure-7"), "back-translated.tsv", "11 pretraining"),
        (("wu20", "figure-4"), "wiki.en.vec", "10 pretraining"),
    ],
)
def test_options_of_an_item_are_planned_too(
    isogloss: Callable[..., tuple[int, str]], desk: Path, item: tuple[str, str], named: str, cells: str
) -> None:
    code, text = isogloss("papers", *item, "--plan")
    assert code == 0 and cells in text and "planned on this machine" in text
    assert named in text and "not on this machine: nothing" in text


def test_without_its_data_an_item_says_what_is_missing(
    isogloss: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path))
    code, text = isogloss("papers", "chen22", "table-ii", "--plan")
    assert code == 0 and "not on this machine: xnli, mnli, pawsx, panx, ud-ewt, ud" in text
    assert "cells: 1,524 (1,520 fusing, 4 data-sizes), once all data is there; not planned yet" in text
    assert "estimate: about" in text


@pytest.mark.parametrize(
    ("arguments", "said"), [(("wu21",), "did you mean 'wu20'"), (("wu20", "table-9"), "unknown table or figure")]
)
def test_a_misspelt_paper_or_item_is_named(
    arguments: tuple[str, ...], said: str, isogloss: Callable[..., tuple[int, str]]
) -> None:
    code, text = isogloss("papers", *arguments)
    assert code == 2 and said in text


def test_all_papers_are_listed(isogloss: Callable[..., tuple[int, str]]) -> None:
    code, text = isogloss("papers")
    assert code == 0 and all(paper.name in text for paper in load_papers().values())
    assert text.count("nothing to run") == 5
