"""Choose: ranks have intervals, what cannot be told apart is a tie, and unsupported languages come first."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from isogloss.encoders.token_counts import TokenCounts, poorly_covered
from isogloss.errors import IsoglossError
from isogloss.geometry.finding_again import languages_told, shares_found
from isogloss.probes.topics import carried_over
from isogloss.runs import Inline, Store
from isogloss.studies import choose
from isogloss.studies.choose.cells import Suited
from isogloss.studies.choose.findings import findings_of
from isogloss.studies.choose.tables import tables_of
from isogloss.studies.choose.view import ChooseView, SuitedView

LANGUAGES = ("de", "fi", "sw")


def test_shares_found_against_a_loop() -> None:
    draw = np.random.default_rng(0)
    vectors = [draw.normal(size=(12, 5)) for _ in LANGUAGES]
    vectors[1] = vectors[0] + 0.3 * draw.normal(size=(12, 5))
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in vectors]
    expected = np.zeros((3, 12))
    for one in range(3):
        for other in range(3):
            for row in range(12):
                if one != other:
                    hit = np.argmax(unit[other] @ unit[one][row]) == row
                    expected[one, row] += hit / 4
                    expected[other, row] += hit / 4
    np.testing.assert_allclose(shares_found(vectors), expected)


def test_languages_are_told_apart_by_their_means() -> None:
    draw = np.random.default_rng(0)
    apart = [draw.normal(size=(40, 6)) + 8 * np.eye(6)[place] for place in range(3)]
    assert languages_told(apart, 20).shape == (3, 20)
    assert languages_told(apart, 20).mean() == 1
    mixed = [draw.normal(size=(400, 6)) for _ in range(3)]
    assert abs(languages_told(mixed, 200).mean() - 1 / 3) < 0.08


def test_topics_carry_over_where_vectors_are_the_same_and_not_where_they_are_noise() -> None:
    draw = np.random.default_rng(0)
    kinds = ["the dog runs in the park", "stocks fell on the market today", "he cooked rice with fish"]
    texts = [f"{kinds[number % 3]} {number}" for number in range(120)]
    vectors = np.eye(3)[np.arange(120) % 3].astype(np.float32) + 0.01 * draw.normal(size=(120, 3)).astype(np.float32)
    noise = draw.normal(size=(120, 3)).astype(np.float32)
    right = carried_over([vectors, vectors.copy(), noise], 0, texts, 60)
    assert right[0].mean() == right[1].mean()
    assert right[1].mean() > right[2].mean() + 0.2


def suited(name: str, shares: list[list[float]], n: int = 800, seed: int = 0, **more: Any) -> SuitedView:
    """A model whose columns find these shares in each language; harder sentences are hard for all models."""
    hardness = np.random.default_rng(9).random(n)[None, None] * 0.8
    luck = np.random.default_rng(seed).random((len(shares), len(LANGUAGES), n)) * 0.2
    found = (hardness + luck < np.array(shares)[:, :, None]).astype(float)
    columns = ("embedding", *(f"layer {place}" for place in range(1, len(shares) - 1)), "output")
    tokens = tuple(TokenCounts(code, n, 9 * n, 50 * n, 14 * n, 0, 0, 0) for code in LANGUAGES)
    head = Suited(
        columns, LANGUAGES, "de", True, tokens, 0, n // 4, n - n // 4, "float32", 100.0, 10**8, 4 * 10**8, 768, 384,
        "own", "", "mit",
    )  # fmt: skip
    return SuitedView(name, replace(head, **more), found)


def texts_of(view: ChooseView) -> list[str]:
    return [finding.text for finding in findings_of(view)]


def test_the_answer_names_the_best_its_ties_and_how_much_worse_the_rest_is() -> None:
    good, same, bad = (
        suited("A", [[0.2] * 3, [0.5] * 3, [0.8] * 3, [0.8] * 3], seed=1),
        suited("B", [[0.2] * 3, [0.4] * 3, [0.8] * 3, [0.3] * 3], seed=2),
        suited("C", [[0.2] * 3, [0.3] * 3, [0.6] * 3, [0.6] * 3], seed=3),
    )
    view = ChooseView((bad, same, good), "retrieval", "mine.csv")
    text = texts_of(view)[0]
    best, tied = ("A", "B") if view.best.name == "A" else ("B", "A")
    assert text.startswith(f"Choose {best}, ")
    assert f"{tied} ties with it" in text
    assert "C is worse by" in text
    gap = view.gap(view.best, bad)
    assert gap.low < 25 < gap.high  # as planted: P(0.8 u + 0.2 v < s) is (s - 0.1) / 0.8
    assert gap.over == "sentences"
    frame = {table.name: table for table in tables_of(view)}["models"].frame.set_index("model")
    assert frame.loc[tied, "verdict"] == "tied"
    assert frame.loc["C", "verdict"] == "worse"


def test_layers_that_tie_are_named_as_a_range_and_the_output_with_them() -> None:
    one = suited("A", [[0.1] * 3, [0.8] * 3, [0.8] * 3, [0.8] * 3, [0.3] * 3, [0.8] * 3])
    (_, layers, *_) = texts_of(ChooseView((one,), "retrieval", "mine.csv"))
    assert layers == "In A layers 1-3 and the output tie."


def test_a_weak_language_is_named_and_unsupported_ones_come_first() -> None:
    shares = [[0.7, 0.7, 0.3]] * 3
    strange = TokenCounts("sw", 800, 7200, 40_000, 11_200, 1_200, 0, 0)
    one = suited("A", shares)
    one = SuitedView("A", replace(one.record, tokens=(*one.record.tokens[:2], strange)), one.found)
    texts = texts_of(ChooseView((one, suited("B", shares, seed=2)), "retrieval", "mine.csv"))
    assert texts[0] == "Swahili in A: 10.7% of its subwords are unknown."
    assert any(text.startswith("Swahili is weak in all (2") for text in texts)
    assert not any("German is weak" in text for text in texts)


def test_tokenisers_that_hardly_cover_a_language() -> None:
    usual = TokenCounts("de", 100, 900, 5000, 1400, 0, 0, 0)
    costly, cut = replace(usual, language="th", tokens=9000), replace(usual, language="ar", cut_sentences=9)
    found = dict(poorly_covered([usual, replace(usual, language="en"), costly, cut], parallel=True))
    assert set(found) == {"th", "ar"}
    assert "6.4 times" in found["th"]
    assert dict(poorly_covered([usual, costly], parallel=False)) == {}


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(40))]


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two small encoders that read words; in both, translations share their words."""
    made = []
    for seed, width in ((0, 16), (1, 8)):
        path = tmp_path_factory.mktemp("model") / f"m{seed}"
        backend = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
        backend.pre_tokenizer = pre_tokenizers.Whitespace()
        special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special).save_pretrained(path)
        sizes = {"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "hidden_size": width}
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(path)
        (path / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
        made.append(str(path))
    return made


def write_rows(path: Path, *, parallel: bool = True) -> str:
    draw = np.random.default_rng(0)
    rows = []
    for number in range(80):
        words = [f"w{place}" for place in draw.choice(40, size=5, replace=False)]
        texts = {"de": words, "fi": words[::-1], "sw": ["zzz", *words[:2]]}
        if parallel:
            rows.append({code: " ".join(text) for code, text in texts.items()})
        else:
            rows += [{"language": code, "text": f"{' '.join(text)} {number}"} for code, text in texts.items()]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_a_choice_from_end_to_end(encoders: list[str], tmp_path: Path) -> None:
    data = write_rows(tmp_path / "mine.jsonl")
    result = choose.run(
        choose.Config(models=tuple(encoders), data=data, device="cpu"), engine=Inline(), store=Store(tmp_path / "s")
    )
    assert result.findings[0].text.startswith("Swahili in m0: ")
    assert any("Choose m" in finding.text for finding in result.findings)
    assert set(result.tables["models"].frame["licence"]) == {"apache-2.0"}
    assert result.main_figure == "trade-off"
    frame = result.frame()
    assert set(frame["target"]) == {"", *LANGUAGES}
    assert (frame["low"] <= frame["value"]).all()


def test_classification_and_texts_that_are_no_translations(encoders: list[str], tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    data = write_rows(tmp_path / "mine.jsonl")
    config = choose.Config(models=(encoders[0],), data=data, device="cpu", purpose="classification")
    result = choose.run(config, engine=Inline(), store=store)
    assert any("get the right topic" in finding.text for finding in result.findings)
    apart = write_rows(tmp_path / "apart.jsonl", parallel=False)
    result = choose.run(choose.Config(models=(encoders[0],), data=apart, device="cpu"), engine=Inline(), store=store)
    assert any("assigned to their language" in finding.text for finding in result.findings)
    assert "not translations" in result.findings[-1].text
    with pytest.raises(IsoglossError, match="cannot be measured"):
        choose.STUDY.plan(replace(config, data=apart))
    with pytest.raises(IsoglossError, match="too few"):
        choose.STUDY.plan(replace(config, limit=5))
