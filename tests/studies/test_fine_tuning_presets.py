"""Which preset of fine-tunings a model gets is decided in one place: the lab's never reaches a model of others."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.pretrain import Recipe
from isogloss.runs import Cell
from isogloss.studies import ablate, fuse, preserve, transfer
from isogloss.studies.shared.fine_tuning import is_lab_model, preset_for
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.pretraining import Pretraining
from isogloss.studies.study import get_study
from isogloss.transfer import Data, FineTune
from isogloss.transfer.presets_by_name import load_preset

XTREME, LAB = load_preset("xtreme").settings, load_preset("lab").settings


def fine_tunings(study: str, config: object) -> list[FineTune]:
    cells: tuple[Cell, ...] = get_study(study).plan(config).all_cells
    return [cell for cell in cells if isinstance(cell, FineTune)]


@pytest.mark.parametrize("name", ["ablate", "preserve"])
def test_python_settings_of_a_real_model_are_xtremes(name: str, tiny_model: Path) -> None:
    module = {"ablate": ablate, "preserve": preserve}[name]
    config = module.Config(model=str(tiny_model), tasks=(module.Setup("pos"),), targets=("qab",))
    found = fine_tunings(name, config)
    assert found and all(cell.settings.encoder_rate == XTREME.encoder_rate for cell in found)
    assert all(cell.train[0].limit is None for cell in found)


def test_fuse_decides_for_each_of_its_models(tiny_model: Path) -> None:
    config = fuse.Config(models=("lab:families", str(tiny_model)), tasks=(fuse.Setup("pos"),), layers="1", rivals=False)
    rates = {type(cell.model).__name__: cell.settings.encoder_rate for cell in fine_tunings("fuse", config)}
    assert rates == {"LabEncoder": LAB.encoder_rate, "FolderCheckpoint": XTREME.encoder_rate}


def test_transfer_decides_for_each_of_its_models(tiny_model: Path) -> None:
    config = transfer.Config(models=("lab:families", str(tiny_model)))
    rates = {type(cell.model).__name__: cell.settings.encoder_rate for cell in fine_tunings("transfer", config)}
    assert rates == {"LabEncoder": LAB.encoder_rate, "FolderCheckpoint": XTREME.encoder_rate}


def test_options_on_another_model_drop_the_labs_sizes(tiny_model: Path) -> None:
    config = ablate.configure(str(tiny_model), data="lab:families", tasks=("pos",), sets=("pairs",))
    (setup,) = config.tasks
    assert (setup.limit, setup.test_limit, setup.settings, setup.preset) == (None, None, {}, "")
    kept = ablate.configure(str(tiny_model), data="lab:families", tasks=("pos",), limit=50)
    assert kept.tasks[0].limit == 50
    assert ablate.configure("lab:families", tasks=("pos",)).tasks[0].limit == 600


def test_a_named_preset_is_kept(tiny_model: Path) -> None:
    assert preset_for(name_model(str(tiny_model)), "muller21-pos") == "muller21-pos"
    assert preset_for(name_model(str(tiny_model))) == "xtreme"
    assert preset_for(name_model("untrained:lab:families")) == "lab"


def test_a_folder_of_the_labs_architecture_is_the_labs(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((tiny_model / "config.json").read_bytes())
    recipe = Recipe.preset("lab")
    (tmp_path / "recipe.yaml").write_text(replace(recipe, seed=3).to_yaml())
    assert is_lab_model(name_model(str(tmp_path)))
    (tmp_path / "recipe.yaml").write_text(Recipe.preset("mini").to_yaml())
    assert not is_lab_model(name_model(str(tmp_path)))


def test_an_encoder_as_small_as_the_labs_gets_its_rates_whatever_it_read() -> None:
    text = (Data("texts", "text", "en"),)
    assert preset_for(Pretraining(Recipe.preset("lab"), text)) == "lab"
    assert preset_for(Pretraining(Recipe.preset("mini"), text)) == "xtreme"
    assert preset_for(Pretraining(Recipe.preset("mini"), (Data("lab:families", "text", "qaa"),))) == "lab"
