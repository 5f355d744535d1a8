"""Fuse: its tables and figures, their arithmetic, and choices that are known by construction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store
from isogloss.studies import fuse
from isogloss.studies.columns import COLUMNS
from isogloss.studies.expectations import load_expectations
from isogloss.studies.fuse.findings import findings_of
from isogloss.studies.fuse.plan import plan, variants
from isogloss.studies.fuse.tables import measured, tables_of
from isogloss.studies.fuse.view import ALL, FAMILY, OTHERS, FuseView, view_of
from isogloss.studies.result import Result
from isogloss.studies.shared.study_presets import load_study_preset, study_presets
from isogloss.studies.study import Results
from isogloss.transfer.methods.modules.fusion import FusionPart

TARGETS = ("qab", "qac")
VARIANTS = ["baseline", "D_1", "D_2", "D_1 gate", "D_2 gate", "D_1_G", "D_1_L", "scalar mix", "concatenation 1+2"]


@pytest.fixture(scope="module")
def config(tiny_model: Path) -> fuse.Config:
    pos = fuse.Setup("pos", preset="lab", limit=40, test_limit=15, settings={"epochs": 1, "precision": "float32"})
    return fuse.Config(models=(str(tiny_model),), tasks=(pos,), targets=TARGETS, parallel_limit=25, seeds=(0, 1))


@pytest.fixture(scope="module")
def done(config: fuse.Config, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, FuseView]:
    store = Store(tmp_path_factory.mktemp("store"))
    result = fuse.run(config, engine=Inline(), store=store)
    return result, view_of(plan(config), Results(store))


def test_every_variant_language_and_seed_is_there(done: tuple[Result, FuseView]) -> None:
    frame = done[0].frame()
    scores = frame[frame["measure"] == "accuracy"]
    assert list(dict.fromkeys(scores["condition"])) == VARIANTS
    assert len(scores) == len(VARIANTS) * 2 * 3
    assert scores.groupby("target")["group"].first().to_dict() == {"qaa": FAMILY, "qab": FAMILY, "qac": OTHERS}
    assert len(frame[frame["measure"] == "validation"]) == len(VARIANTS) * 2
    cosines = frame[frame["measure"] == "cosine"]
    assert len(cosines) == len(VARIANTS) * 2 * 2 and (cosines["n"] == 25).all()
    assert cosines["value"].between(-1, 1).all()
    gates = frame[frame["measure"] == "gate"]
    assert set(gates["condition"]) == {name for name in VARIANTS if name.startswith("D_")}
    assert gates["value"].between(0, 1, inclusive="neither").all()
    assert list(frame.columns) == [*COLUMNS, "side", "group", "gate", "branches"]
    assert scores.groupby("condition")["layer"].first().dropna().to_dict() == {
        name: 2 if "D_2" in name else 1 for name in VARIANTS if name not in ("baseline", "scalar mix")
    }
    assert set(scores["source"]) == {"qaa"} and done[0].provenance.presets == {"pos": "lab"}


def test_every_table_and_figure_of_the_paper_is_there(done: tuple[Result, FuseView]) -> None:
    result, _ = done
    assert list(result.tables) == [
        "fusions",
        "choices",
        "families",
        "languages",
        "branches",
        "rivals",
        "cosines",
        "sizes",
        "language-sizes",
    ]
    assert list(result.figures) == ["layers", "families", "languages", "cosines", "gates"]
    assert list(result.tables["fusions"].frame["condition"]) == ["baseline", "D_2", "D_1"]
    assert list(result.tables["branches"].frame["condition"]) == ["baseline", "D_1_L", "D_1_G", "D_1"]
    assert list(result.tables["rivals"].frame["condition"][3:]) == ["D_1 gate", "D_2 gate", *VARIANTS[-2:]]
    lines = result.figures["layers"].frame
    assert set(lines["series"]) == {"fused, literal", "fused, gate", "last layer alone"}


def test_means_are_over_the_named_languages_and_differences_equal_their_parts(done: tuple[Result, FuseView]) -> None:
    result, _ = done
    languages = result.tables["languages"].frame.set_index("language")
    fusions = result.tables["fusions"].frame.set_index("condition")
    assert fusions.loc["D_1", "pos"] == pytest.approx(languages["D_1"].mean())
    assert fusions.loc["D_1", "pos_n"] == 2  # seeds
    families = result.tables["families"].frame.set_index("condition")
    assert families.loc["D_1", FAMILY] == pytest.approx(languages.loc[["qaa", "qab"], "D_1"].mean())
    assert families.loc["D_1", f"Δ {OTHERS}"] == pytest.approx(
        languages.loc["qac", "D_1"] - languages.loc["qac", "baseline"]
    )
    choices = result.tables["choices"].frame.iloc[0]
    assert choices["chosen layer"] == "D_1"  # the only one below the last of two
    assert choices["Δ chosen"] == pytest.approx(choices["chosen"] - choices["baseline"])
    cosines = result.tables["cosines"].frame
    assert (cosines["difference"] - (cosines["cosine"] - cosines["other sentences"])).abs().max() < 1e-12


def test_findings_rest_on_the_numbers_of_the_frame(done: tuple[Result, FuseView]) -> None:
    result, view = done
    model = next(iter(view.depths))
    texts = [finding.text for finding in result.findings]
    assert texts[0].startswith("pos: D_1 ") and "chosen" not in texts[0], "one layer leaves no choice"
    assert result.findings[0].effect == pytest.approx(view.gain(model, "pos", "D_1").value)
    for finding in result.findings[:3]:
        assert ("no measurable difference" in finding.text) == (finding.low <= 0 <= finding.high)
    control = next(one for one in result.findings if "the control D_2" in one.text)
    assert control.effect == pytest.approx(view.gain(model, "pos", "D_2").value)
    assert any("gate 'gate' instead of 'literal'" in text for text in texts)
    assert any("two global branches" in text and "two local branches" in text for text in texts)
    assert any("scalar mix" in text for text in texts)


def made_up_view() -> FuseView:
    """Four layers: D_2 is best on the validation part, D_1 on the test data, by exact amounts in every seed."""
    levels = {"baseline": 0.60, "D_1": 0.66, "D_2": 0.64, "D_3": 0.62, "D_4": 0.60}
    names = list(levels)
    rows, validation = [], []
    for seed in (0, 1, 2):
        for place, name in enumerate(names):
            about = {"model": "m", "task": "pos", "condition": name, "layer": place, "seed": seed}
            about |= {"gate": "literal" if place else "", "branches": "both" if place else ""}
            validation.append({**about, "value": {"D_2": 0.95, "D_1": 0.90}.get(name, 0.85)})
            for target, group, more in (("en", FAMILY, 0.3), ("de", FAMILY, 0.2), ("zh", OTHERS, 0.0)):
                value = levels[name] + more + 0.001 * seed
                rows.append({**about, "target": target, "group": group, "data": "d", "value": value, "measure": "f1"})
    return FuseView(
        scores=pd.DataFrame(rows), validation=pd.DataFrame(validation), cosines=pd.DataFrame(),
        depths={"m": 4}, gates=("literal",), source="en",
    )  # fmt: skip


def test_the_layer_is_chosen_on_validation_and_told_apart_from_the_best_in_hindsight() -> None:
    view = made_up_view()
    assert view.chosen("m", "pos") == 2 and view.hindsight("m", "pos") == 1
    first, second, control, relatives = list(findings_of(view))[:4]
    assert "D_2, chosen on the source's validation part, gains 4.0 points [4.0, 4.0]" in first.text
    assert first.n == 3 and "mean over 3 languages" in first.text
    assert "D_1 is best of 3, 2.0 points [2.0, 2.0] above the chosen D_2" in second.text
    assert "the control D_4" in control.text and "no measurable difference" in control.text
    assert "D_2 gains 4.0 points [4.0, 4.0] in other families" in relatives.text


def test_sizes_are_those_of_the_data_read(done: tuple[Result, FuseView]) -> None:
    result, _ = done
    sizes = result.tables["sizes"].frame.set_index("task").loc["pos"]
    assert (sizes["train"], sizes["dev"], sizes["languages"], sizes["metric"]) == (40, 15, 3, "accuracy")
    assert (sizes["smallest test"], sizes["largest test"]) == (15, 15)
    languages = result.tables["language-sizes"].frame.set_index("language")
    assert list(languages.index) == ["qaa", *TARGETS] and languages["test"].tolist() == [15, 15, 15]
    assert languages["train"].dropna().to_dict() == {"qaa": 40} and languages["dev"].dropna().to_dict() == {"qaa": 15}


def test_the_table_of_sizes_has_the_papers_shape() -> None:
    rows = [("en", 20, 10, 9), ("de", None, None, 7), ("zh", None, None, 4)]
    frame = pd.DataFrame(rows, columns=["language", "train", "dev", "test"]).assign(
        task="pos", data="a", metric="f1", **{"test data": "b"}
    )
    view = replace(made_up_view(), sizes=frame)
    table = next(table for table in tables_of(view) if table.name == "sizes")
    assert table.frame.to_dict("records") == [
        {"task": "pos", "data": "a", "test data": "b", "metric": "f1", "train": 20, "dev": 10, "smallest test": 4,
         "largest test": 9, "languages": 3}
    ]  # fmt: skip
    found = measured(view)
    found = found[found["condition"] == "data"].set_index(["language", "measure"])["value"].to_dict()
    assert found == {
        ("en", "train"): 20, ("en", "dev"): 10, (ALL, "smallest test"): 4, (ALL, "largest test"): 9,
        (ALL, "languages"): 3,
    }  # fmt: skip


def test_variants_follow_the_depth_and_the_layers_named() -> None:
    names = [variant.condition for variant in variants(fuse.Config(gates=("gate",), rivals=False, ablated=()), 12)]
    assert names == ["baseline", *(f"D_{layer}" for layer in range(1, 13))]
    some = {one.condition: one.method for one in variants(fuse.Config(layers="6,12", ablated=(6,)), 12)}
    assert some["D_6"] == "fusion:6" and some["D_6 gate"] == "fusion:6,gate=gate"
    assert some["D_6_G"] == "fusion:6,branches=global" and some["concatenation 6+12"] == "concat:6,12"
    assert "D_12_G" not in some and some["scalar mix"] == "scalar-mix"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": ()}, "seeds is empty"),
        ({"models": ()}, "models is empty"),
        ({"gates": ("gates",)}, "did you mean 'gate'"),
        ({"layers": "3"}, "no layers"),
        ({"ablated": (7,)}, "no layer 7"),
        ({"source": "qzz"}, "qzz"),
        ({"tasks": ()}, "no task"),
    ],
)
def test_a_users_mistake_is_named(config: fuse.Config, settings: dict, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        fuse.STUDY.prepare(replace(config, **settings))


def test_presets_have_the_papers_values() -> None:
    assert {"lab", "paper"} <= set(study_presets("fuse"))
    paper = load_study_preset("fuse", "paper", fuse.Config)
    assert [setup.task for setup in paper.tasks] == ["nli", "paraphrase", "ner", "pos"]
    settings = fuse.Setup("pos", preset="xtreme").fields("qaa")["settings"]
    assert (settings.epochs, settings.batch, settings.encoder_rate, settings.optimiser) == (5, 32, 2e-5, "adamw")
    assert paper.source == "en" and paper.layers == "all"


def test_published_numbers_agree_among_themselves_and_have_the_keys_of_measured_ones(
    done: tuple[Result, FuseView],
) -> None:
    table = load_expectations("chen22")
    keys = ["task", "condition", "language", "measure"]
    both = table[table["item"] == "Table II"].merge(table[table["item"] == "Table V"], on=keys)
    assert len(both) == 4 * 3  # the baseline and two fusions a task
    assert np.allclose(both["value_x"], both["value_y"], atol=0.01)
    frame = measured(done[1])
    assert list(frame.columns) == [*keys, "value"]
    languages = {"mean", ALL, FAMILY, OTHERS, "qaa", "qab", "qac"}
    assert {"mean", ALL, FAMILY, OTHERS, "qab"} <= set(frame["language"]) <= languages
    assert set(frame["measure"]) == set(table["measure"])


@pytest.mark.parametrize("gate", ["literal", "gate"])
def test_the_control_is_the_last_layer_itself_whatever_its_weights_say(gate: str) -> None:
    """L * a + L * (1 - a) = L: so D_last differs from the baseline by chance alone."""
    torch.manual_seed(0)
    part = FusionPart(8, 2, 2, gate, "both").train()  # type: ignore[arg-type]
    states = torch.randn(3, 5, 8)
    mask = torch.ones(3, 5, dtype=torch.bool)
    assert torch.allclose(part.states(states, {2: states}, mask), states, atol=1e-5)


def test_the_demo_plans_on_the_labs_own_encoder() -> None:
    cells = plan(fuse.demo(3)).cells
    assert len(cells) == 3 * (1 + 4 + 1) + 1  # seeds x (baseline, D_1 to D_4, scalar mix); the sizes of the data
    assert cells[0].model.world.seed == 3 and cells[0].train[0].name == "lab:twins:3"
