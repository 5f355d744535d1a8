import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.corpora import load_parallel
from isogloss.errors import IsoglossError
from isogloss.probes.statistics import Estimate, lead, over_pairs
from isogloss.report import write_page
from isogloss.report.signature import signature_of
from isogloss.runs import Inline, Store
from isogloss.studies import inspect
from isogloss.studies.columns import COLUMNS
from isogloss.studies.inspect.cells import Inspection
from isogloss.studies.inspect.findings import _aligns, describe, flat_languages, warnings
from isogloss.studies.inspect.plan import plan
from isogloss.studies.inspect.view import view_of
from isogloss.studies.result import Result
from isogloss.studies.study import Results


@pytest.fixture
def result(tiny_model: Path, store: Store) -> Result:
    config = inspect.Config(models=(str(tiny_model),), data="lab", limit=60, alignments="lab")
    return inspect.run(config, engine=Inline(), store=store)


def test_the_frame_is_tidy_and_whole(result: Result):
    frame = result.frame()
    assert list(frame.columns) == [*COLUMNS, "revision"]
    assert set(frame["layer"]) == {0, 1, 2}
    wanted = {"retrieval_raw", "csls_standardised", "mexa_raw", "cka_linear", "cka_unbiased", "cosine_raw", "aer"}
    wanted |= {"identification", "language_share", "language_dimensions", "isotropy", "rogue_share"}
    assert wanted <= set(frame["measure"])
    pairs = frame[(frame["measure"] == "cka_unbiased") & (frame["layer"] == 0)]
    assert len(pairs) == 6 * 5 / 2
    assert (frame.loc[frame["measure"] == "retrieval_raw", "n"] == 45).all()  # three quarters of the sentences


def test_tables_and_figures_have_every_layer_and_language(result: Result):
    assert list(result.tables["layers"].frame["layer"]) == ["0", "1", "2"]
    assert len(result.tables["languages"].frame) == 6
    assert {"layers", "similarity", "identity", "languages", "matrix"} <= set(result.figures)
    assert result.main_figure == "layers"


def test_a_tables_mean_is_over_the_named_pairs(result: Result):
    frame = result.frame()
    rows = frame[(frame["measure"] == "retrieval_centred") & (frame["layer"] == 1)]
    shown = result.tables["layers"].frame.set_index("layer").loc["1", "centred"]
    assert shown == pytest.approx(100 * rows["value"].mean())
    assert len(rows) == 6 * 5


def test_findings_rest_on_numbers_of_the_frame(result: Result):
    best = result.findings[0]
    layer = int(best.text.split()[1])
    frame = result.frame()
    rows = frame[(frame["measure"] == "retrieval_standardised") & (frame["layer"] == layer)]
    assert best.effect == pytest.approx(100 * rows["value"].mean())
    assert best.low <= best.effect <= best.high


def test_intervals_are_over_languages_and_over_sentences_both_named(result: Result, tiny_model: Path, store: Store):
    best = result.findings[0]
    layer = int(best.text.split()[1])
    frame = result.frame()
    rows = frame[(frame["measure"] == "retrieval_standardised") & (frame["layer"] == layer)]
    expected = over_pairs(rows.pivot(index="source", columns="target", values="value").to_numpy(), limits=(0, 1))
    assert (best.n, best.over) == (6, "languages")
    assert (best.low, best.high) == pytest.approx((100 * expected.low, 100 * expected.high))
    assert "over sentences (n = 45 sentences, these languages)" in best.text and "over languages (n = 6" in best.text
    config = inspect.Config(models=(str(tiny_model),), data="lab:twins", limit=60)
    two = next(one for one in inspect.run(config, engine=Inline(), store=store).findings if not one.warning)
    assert (two.n, two.over) == (45, "sentences") and "over languages" not in two.text


def test_sentences_are_counted_for_all_pairs_and_old_results_fall_back_on_a_wide_interval(
    result: Result, tiny_model: Path, store: Store
):
    config = inspect.Config(models=(str(tiny_model),), data="lab", limit=60, alignments="lab")
    (view,) = view_of(plan(config), Results(store)).models
    rows = view.by_sentence("retrieval_standardised")
    assert rows is not None and rows.shape == (1, 45)
    for measure in ("raw", "centred", "standardised", "neutralised"):
        name = f"retrieval_{measure}"
        found = view.by_sentence(name, 1)
        assert found is not None and found.to_numpy().mean() == pytest.approx(np.nanmean(view.table(name, 1)))
    exact, old = view.over_sentences("retrieval_raw"), replace(view, sentences=None).over_sentences("retrieval_raw")
    assert exact.value == pytest.approx(old.value) and exact.high - exact.low < old.high - old.low
    assert (old.n, old.over) == (45, "sentences")


def test_a_language_that_is_mostly_unknown_or_cut_is_warned_of_above_all_else(result: Result, store: Store, tiny_model):
    config = inspect.Config(models=(str(tiny_model),), data="lab", limit=60, alignments="lab")
    (view,) = view_of(plan(config), Results(store)).models
    assert warnings(view) == []
    counts = [replace(one, unknown=one.tokens, cut_sentences=one.sentences) for one in view.record.tokens[:1]]
    bad = replace(view, record=replace(view.record, tokens=(*counts, *view.record.tokens[1:])))
    unknown, cut = warnings(bad)
    assert unknown.warning and "unknown to the tokeniser in qaa" in unknown.text and "truncated" in cut.text
    assert describe(bad, "", several=False)[0].warning


@pytest.mark.parametrize(
    ("levels", "chosen", "words"),
    [
        ((0.2, 0.6, 0.3), 1, "aligns best"),
        ((0.2, 0.6, 0.6), 1, "aligns best, tied with layer 2"),
        ((0.6, 0.6, 0.6), 0, "aligns no better than the others (all tie)"),
        ((0.2, 0.6, 0.9), 1, "was chosen on other sentences, but layer 2 is ahead"),
    ],
)
def test_the_words_for_a_layer_follow_the_other_layers(levels, chosen, words):
    spreads = {layer: Estimate(100 * value, 100 * value - 5, 100 * value + 5, 99) for layer, value in enumerate(levels)}
    assert _aligns(lead(spreads, best=chosen)) == words


def test_probes_that_did_not_converge_are_warned_of_above_all_else(result: Result, store: Store, tiny_model: Path):
    config = inspect.Config(models=(str(tiny_model),), data="lab", limit=60, alignments="lab")
    (model,) = view_of(plan(config), Results(store)).models
    assert model.record.unconverged == 0 < model.record.probes == 3 * (1 + 6 * 5 // 2)
    assert not result.findings[0].warning
    broken = replace(model, record=replace(model.record, unconverged=2))
    first, *_ = describe(broken, "", several=False)
    assert first.warning and first.text.startswith("2 of 48 probes did not converge")


def test_the_signature_names_the_reading_the_number_type_and_the_version_of_the_measures(result: Result):
    signature = signature_of(result, result.tables["layers"])
    for part in ("pooling:mean", "limit:60", "dtype:float32", f"inspection.{Inspection.version}", "seed:0", "n:45"):
        assert part in signature, signature


def test_a_saved_run_loads_and_says_the_same(result: Result, tmp_path: Path):
    result.save(tmp_path / "run")
    loaded = Result.load(tmp_path / "run")
    assert loaded.findings == result.findings
    pd.testing.assert_frame_equal(loaded.frame(), result.frame(), check_dtype=False)
    assert json.loads((tmp_path / "run" / "findings.json").read_text())["study"] == "inspect"


def test_the_same_seed_gives_the_same_numbers(result: Result, tiny_model: Path, tmp_path: Path):
    config = inspect.Config(models=(str(tiny_model),), data="lab", limit=60, alignments="lab")
    again = inspect.run(config, engine=Inline(), store=Store(tmp_path / "other"))
    pd.testing.assert_frame_equal(again.frame(), result.frame())


def test_models_are_compared_on_the_same_pairs(tiny_model: Path, store: Store):
    config = inspect.Config(models=(str(tiny_model), f"untrained:{tiny_model}"), data="lab:twins", limit=40)
    result = inspect.run(config, engine=Inline(), store=store)
    assert result.frame()["model"].nunique() == 2
    assert result.findings[0].warning and "unknown to the tokeniser" in result.findings[0].text
    first = next(one for one in result.findings if not one.warning)
    assert "are tied" in first.text and first.n == 30  # neither has learnt anything
    assert len(result.tables["layers"].frame) == 6
    first, second = (
        part.set_index(["layer", "source", "target", "measure"]).index for _, part in result.frame().groupby("model")
    )
    assert set(first) == set(second)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"data": "lab", "languages": ("qaa",)}, "one language only"),
        ({"data": "lab", "limit": 5}, "too few"),
        ({"data": "lab", "pivot": "qzz"}, "pivot"),
        ({"data": "lab:twin"}, "did you mean 'twins'"),
        ({"data": "lab", "pooling": "maen"}, "pooling"),
        ({"data": "lab", "device": "cuda:7"}, "cuda"),
    ],
)
def test_a_users_mistake_is_named(tiny_model: Path, store: Store, settings: dict, message: str):
    with pytest.raises(IsoglossError, match=message):
        inspect.run(
            inspect.Config(models=(str(tiny_model),), **{"limit": 40, **settings}), engine=Inline(), store=store
        )


def test_files_of_different_lengths_are_refused_by_name(tiny_model: Path, store: Store, tmp_path: Path):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "de.txt").write_text("eins\n" * 30)
    (tmp_path / "text" / "en.txt").write_text("one\n" * 29)
    with pytest.raises(IsoglossError, match=r"de.*30|30.*de"):
        inspect.run(
            inspect.Config(models=(str(tiny_model),), data=str(tmp_path / "text")), engine=Inline(), store=store
        )


def test_a_sound_language_is_not_blamed_for_the_only_other_one():
    nan = float("nan")
    assert not flat_languages({"qaa": {"qab": 0.5}, "qab": {"qaa": 0.5}})
    three = {"qaa": {"qab": 0.5, "qac": nan}, "qab": {"qaa": 0.5, "qac": nan}, "qac": {"qaa": nan, "qab": nan}}
    assert flat_languages(three) == "qac"
    assert flat_languages({"qaa": {"qab": nan}, "qab": {"qaa": nan}}) == "all languages, or all but one of qaa, qab"


def test_a_language_whose_sentences_are_all_the_same_is_named_and_the_rest_is_measured(
    tiny_model: Path, store: Store, tmp_path: Path
):
    rows = load_parallel("lab", ["qaa", "qab", "qac"], 60).texts
    for code, texts in rows.items():
        lines = texts if code != "qac" else [texts[0]] * len(texts)
        (tmp_path / f"{code}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = inspect.run(
        inspect.Config(models=(str(tiny_model),), data=str(tmp_path), limit=60), engine=Inline(), store=store
    )
    assert any(one.warning and "the same vector" in one.text and "qac" in one.text for one in result.findings)
    frame = result.frame()
    similar = frame[frame["measure"] == "cka_unbiased"]
    assert similar[similar["target"] == "qac"]["value"].isna().all()
    assert similar[similar["target"] == "qab"]["value"].notna().all()


def test_no_secret_of_the_environment_reaches_the_store_or_the_report(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    secret = "hf_do-not-write-this-down"
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_PASSWORD"):
        monkeypatch.setenv(name, secret)
    config = inspect.Config(models=(str(tiny_model),), data="lab", limit=40)
    write_page(inspect.run(config, engine=Inline(), store=Store(tmp_path / "store")), tmp_path / "run")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 5
    assert [path for path in written if secret.encode() in path.read_bytes()] == []
