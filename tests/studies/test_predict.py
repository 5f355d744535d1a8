"""predict: features against slow twins, scores that follow from them, rankings, and what is known."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isogloss.cli.reading import amounts_of
from isogloss.corpora import load_wals
from isogloss.corpora.score_tables import KnownScore, read_amounts, read_scores
from isogloss.encoders import Encoder
from isogloss.errors import IsoglossError
from isogloss.geometry import retrieval_grid
from isogloss.languages.distances import same_family, typological_distance
from isogloss.probes.statistics import lead
from isogloss.runs import Inline, Store
from isogloss.studies.predict import STUDY, Config
from isogloss.studies.predict.cells import measure_tokens, mutual_hits
from isogloss.studies.predict.findings import next_steps
from isogloss.studies.predict.view import FEATURES, PredictView
from isogloss.studies.result import Result
from isogloss.studies.study import Results

CODES = ("qaa", "qab", "qac", "qad", "qae", "qaf")


def config(model: Path, known: Path | None = None) -> Config:
    return Config(model=str(model), limit=40, known=() if known is None else (str(known),), confidence=0.8)


def seen(config: Config, store: Store) -> PredictView:
    plan = STUDY.plan(config)
    Inline().run("predict", plan.cells, store)
    return STUDY.view(plan, Results(store))


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of all pairs, which follow from how far apart two languages' grammars are, and a little noise."""
    wals, random = load_wals("lab:families"), np.random.default_rng(0)
    rows = [
        (one, other, 90 - 60 * typological_distance(wals, one, other) + random.normal())
        for one in CODES
        for other in CODES
    ]
    path = tmp_path_factory.mktemp("known") / "scores.csv"
    pd.DataFrame(rows, columns=["source", "language", "score"]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def predicted(tiny_model: Path, known: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[PredictView, Result]:
    store = Store(tmp_path_factory.mktemp("store"))
    return seen(config(tiny_model, known), store), STUDY.run(config(tiny_model, known), engine=Inline(), store=store)


def test_scores_that_follow_from_a_feature_are_predicted(predicted: tuple[PredictView, Result], known: Path) -> None:
    view, result = predicted
    truth = {one.target: one.score for one in read_scores(known, "qaa") if one.source == "qaa"}
    for target, one in view.predictions().items():
        assert abs(one.value - truth[target]) < 6
        assert one.low <= one.value <= one.high
    assert view.judged["all features"].error.value < view.judged["mean of known languages"].error.value / 2
    assert view.judged["typology alone"].error.value < view.judged["mPLM-Sim's features"].error.value
    assert view.rests_on()[0][0] in ("typology", "family")
    assert "qaa to" in result.findings[0].text


def test_the_language_to_label_next_is_the_one_that_lifts_its_neighbours(predicted: tuple[PredictView, Result]) -> None:
    view, _ = predicted
    wals = load_wals("lab:families")

    def score(one: str, other: str) -> float:
        return 90 - 60 * typological_distance(wals, one, other)

    def gain(candidate: str) -> float:
        return float(np.mean([max(score(candidate, t) - score("qaa", t), 0) for t in view.targets]))

    found = view.gains()
    assert set(found) == set(CODES) - {"qaa"}
    best = max(found, key=lambda code: found[code].value)
    assert gain(best) >= max(map(gain, found)) - 2
    sources = view.sources()
    means = {code: np.mean([score(code, target) for target in view.targets]) for code in sources}
    assert means[max(sources, key=lambda code: sources[code].value)] >= max(means.values()) - 2


def test_candidates_that_cannot_be_told_apart_are_called_tied(predicted: tuple[PredictView, Result]) -> None:
    view, result = predicted
    alone = replace(view, known=tuple(one for one in view.known if one.source == "qaa"))
    assert alone.one_source and not view.one_source
    assert all(one.text.endswith("read this as a direction.") for one in next_steps(alone))
    for found, levels, start in (
        (lead(view.gains()), view.gains(), "Label "), (lead(view.sources()), view.sources(), "Of ")
    ):  # fmt: skip
        assert found.best == max(levels, key=lambda code: levels[code].value) and found.count == len(levels)
        (said,) = (one for one in result.findings if one.text.startswith(start))
        assert ("tied with" in said.text) == (not found.alone) and said.holds == found.alone
        assert "direction" not in said.text


def test_scores_without_meaning_are_not_said_to_be_predicted(tiny_model: Path, tmp_path: Path, store: Store) -> None:
    random = np.random.default_rng(1)
    rows = [(one, other, random.uniform(20, 90)) for one in CODES for other in CODES if one != other]
    path = tmp_path / "noise.csv"
    pd.DataFrame(rows, columns=["source", "language", "score"]).to_csv(path, index=False)
    result = STUDY.run(config(tiny_model, path), engine=Inline(), store=store)
    assert any("not measurably better than mean of known languages" in finding.text for finding in result.findings)


def test_without_known_scores_the_answer_is_a_ranking(tiny_model: Path, store: Store, tmp_path: Path) -> None:
    from isogloss.report import write_page

    result = STUDY.run(config(tiny_model), engine=Inline(), store=store)
    assert list(result.tables) == ["ranking", "layers", "features"]
    assert "predicted_score" not in set(result.frame()["measure"])
    ranks = result.tables["ranking"].frame
    assert ranks["rank"].is_monotonic_increasing and ranks["alignment"].is_monotonic_decreasing
    assert "are tied" in result.findings[0].text
    assert write_page(result, tmp_path / "run").is_file()


def test_languages_that_are_the_same_share_a_rank(predicted: tuple[PredictView, Result]) -> None:
    view, _ = predicted
    twice = view.hits[view.hits["target"] == "qab"]
    twice = twice.assign(value=(twice["sentence"] % 2).astype(float))
    both = pd.concat([twice, twice.assign(target="qac"), twice.assign(target="qad", value=0.0)])
    ranks = {code: rank for rank, code, _ in replace(view, hits=both).ranking()}
    assert ranks["qab"] == ranks["qac"] == 1 and ranks["qad"] == 3


def test_mutual_hits_are_mexa(predicted: tuple[PredictView, Result]) -> None:
    random = np.random.default_rng(0)
    first = random.normal(size=(2, 30, 8)).astype(np.float32)
    second = first + random.normal(size=first.shape).astype(np.float32)
    hits = mutual_hits(first, second)
    for layer in range(2):
        (found,) = retrieval_grid([{"a": first[layer], "b": second[layer]}], [("a", "b")], ("raw",))
        assert hits[:, layer].mean() == pytest.approx(found.mexa)


def test_tokeniser_features_are_counts_of_subwords(tiny_model: Path) -> None:
    encoder = Encoder(str(tiny_model))
    texts = {"qaa": ("a b c", "d"), "qab": ("a x", "zzzz")}
    (row,) = measure_tokens(encoder, texts, [("qaa", "qab")]).to_dict("records")
    ids = {code: [encoder.tokenizer.encode(t, add_special_tokens=False) for t in rows] for code, rows in texts.items()}
    mine, theirs = ([entry for row in ids[code] for entry in row] for code in texts)
    assert row["fertility"] == pytest.approx(math.log(len(theirs) / len(mine)))
    unknown = encoder.tokenizer.unk_token_id
    assert row["unknown"] == pytest.approx(theirs.count(unknown) / len(theirs))
    assert row["overlap"] == pytest.approx(sum(e in mine and e != unknown for e in theirs) / len(theirs))


def test_typology_is_the_share_of_features_that_differ() -> None:
    wals = load_wals("lab:families")
    one, other = wals.values("qaa"), wals.values("qac")
    shared = set(one) & set(other)
    assert typological_distance(wals, "qaa", "qac") == sum(one[f] != other[f] for f in shared) / len(shared)
    assert typological_distance(wals, "qaa", "qaa") == 0
    assert same_family(wals, "qaa", "qab") == 1 and same_family(wals, "qaa", "qac") == 0


def test_every_feature_is_there_or_missing_and_never_infinite(predicted: tuple[PredictView, Result]) -> None:
    view, _ = predicted
    table = view.features[list(FEATURES)].to_numpy(dtype=float)
    assert not np.isinf(table).any() and np.isfinite(table[:, :-1]).all() and np.isnan(table[:, -1]).all()


def test_seeds_are_averaged_and_codes_understood(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("language\tvalue\tseed\ndeu\t0.5\t0\ndeu\t0.7\t1\nfr\t0.1\t0\n", encoding="utf-8")
    assert read_scores(path, "en") == [KnownScore("en", "de", pytest.approx(0.6)), KnownScore("en", "fr", 0.1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("who,score\nde,1\n", "no column target or language"),
        ("language,score\nde,high\n", "is not a number"),
        ("language,score,task\nde,1,pos\nfr,1,ner\n", "several values of 'task'"),
        ("language,score,condition\nde,1,plain\nde,2,frozen\n", "scores of several kinds"),
        ("language,score,model\nde,1,a\nde,2,b\n", "'model': a, b"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(IsoglossError, match=words):
        read_scores(path, "en")
    with pytest.raises(IsoglossError, match="no scores here"):
        read_scores(tmp_path / "absent.csv", "en")


def test_an_unknown_language_is_named(tiny_model: Path) -> None:
    with pytest.raises(IsoglossError, match="unknown language 'qzz'"):
        STUDY.plan(replace(config(tiny_model), targets=("qzz",)))


def test_amounts_of_text_become_a_feature(tiny_model: Path, store: Store, tmp_path: Path) -> None:
    amounts = {code: float(place) for place, code in enumerate(CODES)}
    (tmp_path / "amounts.csv").write_text("language,amount\n" + "".join(f"{c},{a}\n" for c, a in amounts.items()))
    assert read_amounts(tmp_path / "amounts.csv") == amounts
    assert amounts_of(["qab=1", "qac=2.5"]) == {"qab": 1.0, "qac": 2.5}
    view = seen(replace(config(tiny_model), amounts=amounts), store)
    for _, row in view.features.iterrows():
        assert row["amount"] == pytest.approx(math.log(1 + amounts[row["target"]]))


def test_the_page_names_the_number_type(predicted: tuple[PredictView, Result]) -> None:
    assert predicted[1].provenance.facts["dtype"] == "float32"


def test_amounts_that_mean_nothing_are_refused(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="not a number"):
        amounts_of(["de=much"])
    (tmp_path / "twice.csv").write_text("language,amount\nde,1\ndeu,2\n")
    with pytest.raises(IsoglossError, match="two rows are about 'de'"):
        read_amounts(tmp_path / "twice.csv")
    with pytest.raises(IsoglossError, match="amount of text in 'qab' is -1"):
        STUDY.plan(replace(config(tiny_model), amounts={"qab": -1.0}))
