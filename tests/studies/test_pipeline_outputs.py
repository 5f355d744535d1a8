"""Every study that reads sentences shows a pipeline's output beside its layers, and pools these as the pipeline does.

The first token of a text is the same in all texts before any layer: such a column has no variance to be measured.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModel

from isogloss import Encoder
from isogloss.geometry import AlignmentTask, aligned_retrieval, cka, nearest
from isogloss.report import write_page
from isogloss.runs import Inline, Store, key_of
from isogloss.studies import align, inspect, predict
from isogloss.studies.align.plan import AlignCondition
from isogloss.studies.predict.cells import PairFeatures, mutual_hits
from isogloss.studies.result import Result
from isogloss.studies.study import get_study

NARROW = 6  # of the output


@pytest.fixture(scope="module")
def pipeline(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model as it might be deployed: the first token, a Dense layer that narrows, length one, a prompt."""
    folder = tmp_path_factory.mktemp("pipeline") / "model"
    shutil.copytree(tiny_model, folder)
    model = AutoModel.from_pretrained(tiny_model)
    with torch.no_grad():  # fresh weights are so small that the first token hardly knows the others
        for parameter in model.encoder.parameters():
            parameter.mul_(20 if parameter.dim() == 2 else 1)
    model.save_pretrained(folder)
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense"), ("3_Normalize", "Normalize")]
    modules = [{"idx": i, "path": p, "type": f"sentence_transformers.models.{k}"} for i, (p, k) in enumerate(kinds)]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "mi ka "}}))
    settings = {
        "1_Pooling": {"pooling_mode": "cls"},
        "2_Dense": {"in_features": 16, "out_features": NARROW, "bias": False},
        "3_Normalize": {},
    }
    for name, config in settings.items():
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(config))
    with torch.random.fork_rng():
        torch.manual_seed(3)
        save_file({"linear.weight": torch.randn(NARROW, 16)}, folder / "2_Dense" / "model.safetensors")
    return folder


def aligned(model: str, other: str, **settings: object) -> align.Config:
    return align.Config(
        models={"qaa": model, "qab": other}, bilingual={"qab": model}, text="", dictionary="", alignments="",
        tasks=(), parallel="lab:families", test_parallel="lab:families", sizes=(40,), test_limit=30, **settings,
    )  # fmt: skip


def run(study: str, config: object, folder: Path) -> Result:
    result = get_study(study).run(config, engine=Inline(), store=Store(folder / "store"))
    assert write_page(result, folder / "run").is_file()
    return result


def test_align_compares_outputs_and_pools_layers_as_the_pipeline_does(pipeline: Path, tmp_path: Path) -> None:
    config = aligned(f"{pipeline}?prompt=query", f"{pipeline}?prompt=query")
    result = run("align", config, tmp_path)
    frame = result.frame()
    ends = frame[(frame["what"] == "output") & (frame["condition"] == "trained apart")].set_index("measure")["value"]
    (cell,) = (
        one.sentences
        for one in get_study("align").plan(config).conditions
        if isinstance(one, AlignCondition) and one.couple.kind == "trained apart"
    )
    encoder = Encoder(str(pipeline), device="cpu", dtype="float32", prompt="query")
    learnt, tested = (text.read().texts for text in (cell.learnt, cell.tested))
    read = {name: [encoder.encode(list(text[code]), layers="output")[:, 0] for code in ("qaa", "qab")]
            for name, text in (("learnt", learnt), ("tested", tested))}  # fmt: skip
    task = AlignmentTask(*reversed(read["learnt"]), *reversed(read["tested"]))
    (found,) = aligned_retrieval([task], config.rounds)
    assert ends["retrieval"] == pytest.approx((found.forward + found.backward) / 2)
    assert ends["cka_unbiased"] == pytest.approx(float(cka(*read["tested"], kind="unbiased")), abs=1e-6)
    ways = [nearest(*pair, top=1)[1][:, 0] for pair in (read["tested"], read["tested"][::-1])]
    assert ends["retrieval, no map"] == pytest.approx(np.mean([rows == np.arange(len(rows)) for rows in ways]))
    layers = [encoder.encode(list(tested[code]), pooling="cls")[:, 2] for code in ("qaa", "qab")]
    row = frame[(frame["layer"] == 2) & (frame["measure"] == "cka_unbiased") & (frame["condition"] == "trained apart")]
    assert row["value"].iloc[0] == pytest.approx(float(cka(*layers, kind="unbiased")), abs=1e-6)
    for name in ("retrieval", "similarity"):
        assert "output" in result.tables[name].frame.columns
    assert any("outputs of both pipelines find" in finding.text for finding in result.findings)
    assert not any("layer 3" in finding.text for finding in result.findings)  # the output is no layer
    assert not any("highest at layer 0" in finding.text for finding in result.findings)  # where CKA has no value
    assert "3: the pipelines' output" in result.figures["retrieval"].reading


def test_predict_shows_the_output_beside_the_layers(pipeline: Path, tmp_path: Path) -> None:
    config = predict.Config(model=str(pipeline), data="lab:families", limit=40, dtype="float32")
    result = run("predict", config, tmp_path)
    table = result.tables["layers"].frame.set_index("target")
    assert list(table.columns) == ["layer 0", "layer 1", "layer 2", "output"]
    encoder = Encoder(str(pipeline), device="cpu", dtype="float32")
    condition = get_study("predict").plan(config).conditions[0]
    text = condition.features.sentences.read().texts
    columns = {code: encoder.encode_columns(list(text[code])) for code in ("qaa", "qab")}
    hits = mutual_hits(columns["qaa"], columns["qab"])
    np.testing.assert_allclose(table.loc["qab"].to_numpy(dtype=float), hits.mean(axis=0))
    ranks = result.tables["ranking"].frame.set_index("target")
    assert ranks.loc["qab", "alignment"] == pytest.approx(hits[:, :3].mean())  # of the layers alone
    assert any("output of the pipeline has MEXA" in finding.text for finding in result.findings)


def test_a_column_in_which_all_sentences_are_the_same_is_measured_as_chance(pipeline: Path, tmp_path: Path) -> None:
    config = inspect.Config((str(pipeline),), data="lab:families", languages=("qaa", "qab", "qac"), limit=40)
    frame = run("inspect", config, tmp_path).frame()
    first = frame[(frame["layer"] == 0) & ~frame["measure"].str.startswith("cosine")]
    assert first[first["measure"].isin(["language_share", "isotropy", "rogue_share"])]["value"].isna().all()
    assert first[first["measure"] == "identification"]["value"].iloc[0] == pytest.approx(1 / 3)
    assert first[first["measure"] == "retrieval_raw"]["value"].max() < 0.05
    assert frame[(frame["layer"] == 1) & (frame["measure"] == "isotropy")]["value"].notna().all()
    assert frame["layer"].max() == 3


def test_cells_of_bare_encoders_keep_their_names(tiny_model: Path, pipeline: Path) -> None:
    def features(model: str) -> PairFeatures:
        config = predict.Config(model=model, data="lab:families", limit=20)
        return get_study("predict").plan(config).conditions[0].features

    bare = features(str(tiny_model))
    assert not bare.deployed
    assert features(str(pipeline)).deployed
    assert features(f"{tiny_model}?pooling=cls").deployed
    assert len({key_of(bare), key_of(features(str(pipeline))), key_of(features(f"{tiny_model}?pooling=cls"))}) == 3
