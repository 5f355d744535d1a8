"""Audit: a planted offset per language shows exactly as bias, and taking language away removes it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from isogloss.corpora.false_friends import NEGATIONS, false_friend
from isogloss.geometry.mixed_pool import search_pool
from isogloss.runs import Inline, Store
from isogloss.studies import audit
from isogloss.studies.audit.cells import search_all

K, N, D = 3, 60, 16


def planted(offset: float, noise: float = 0.05, n: int = N) -> list[Any]:
    """The same meanings in every language, moved by an offset of its own."""
    draw = np.random.default_rng(0)
    meanings = draw.normal(size=(n, D))
    return [
        (meanings + offset * np.eye(D)[place] + noise * draw.normal(size=(n, D))).astype(np.float32)
        for place in range(K)
    ]


@pytest.mark.parametrize("csls", [False, True])
def test_a_pool_against_a_loop(csls: bool) -> None:
    vectors = planted(1.0, 0.8, n=12)
    rows = np.concatenate(vectors).astype(np.float64)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    pool = search_pool(vectors, top=5, csls=csls, k=4)
    near = np.sort(cosines, axis=1)[:, ::-1][:, :4].mean(axis=1)
    counts = np.zeros(len(rows), dtype=int)
    for query in range(len(rows)):
        scores = 2 * cosines[query] - (near if csls else 0)
        order = np.argsort(-scores)[:5]
        counts[order] += 1
        language, sentence = divmod(query, 12)
        assert pool.nearest[language, sentence] == order[0]
        assert pool.found[language, sentence] == (order[0] % 12 == sentence)
        assert pool.own[language, sentence] == pytest.approx(np.mean(order // 12 == language))
        others = [cosines[query, other * 12 + sentence] for other in range(K) if other != language]
        assert pool.translation[language, sentence] == pytest.approx(max(others), abs=1e-6)
    np.testing.assert_array_equal(pool.counts.ravel(), counts)
    assert pool.chance == pytest.approx(11 / 35)


def test_a_planted_offset_shows_as_bias_and_taking_language_away_removes_it() -> None:
    vectors = dict(zip(("de", "fi", "sw"), planted(40.0, n=120), strict=True))
    pools = search_all(vectors, 40)
    assert pools["as it is"].own.mean() == 1  # nothing but the own language is near
    assert pools["as it is"].found.mean() == 0
    # without an offset, two of the nearest ten are translations and the others fall by chance
    free = search_all(dict(zip(vectors, planted(0.0, n=120), strict=True)), 40)["as it is"].own.mean()
    for name in ("centred", "neutralised"):
        assert pools[name].found.mean() == 1
        assert pools[name].own.mean() == pytest.approx(free, abs=0.02)


def test_false_friends_by_rule() -> None:
    assert false_friend("There were 12 dogs.", "en", []) == ("There were 15 dogs.", "number")
    assert false_friend("The dog is red.", "en", []) == ("The dog is not red.", "negation")
    assert false_friend("Der Hund ist nicht rot.", "de", []) == ("Der Hund ist rot.", "negation")
    changed = false_friend("We met Anna there.", "fi", ["Then Boris came."])
    assert changed == ("We met Boris there.", "name")
    assert false_friend("dogs bark", "en", ["Then Boris came."]) is None


def test_false_friends_in_other_scripts() -> None:
    assert false_friend("यहाँ ९ घर हैं", "hi", []) == ("यहाँ १२ घर हैं", "number")
    changed = false_friend("мы видели Анну там", "xx", ["dann kam Boris", "тогда пришёл Борис"])
    assert changed == ("мы видели Boris там", "name")
    assert false_friend("wir sahen Anna", "de", ["dann kam Boris"]) is None  # nouns have capitals too
    assert false_friend("これは家です。", "ja", []) == ("これは家ではありません。", "negation")
    assert false_friend("nyumba", "sw", ["tukamwona Anna"]) is None


@pytest.mark.parametrize("language", NEGATIONS)
def test_a_negation_comes_and_goes(language: str) -> None:
    for said, denied in NEGATIONS[language]:
        plain, negated = f"aa{said}bb", f"aa{denied}bb"
        assert false_friend(plain, language, []) == (negated, "negation")
        assert false_friend(negated, language, []) == (plain, "negation")


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(60)), "7", "10"]


@pytest.fixture
def encoder(tmp_path: Path) -> str:
    backend = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special).save_pretrained(tmp_path / "m")
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(tmp_path / "m")
    return str(tmp_path / "m")


def test_an_audit_from_end_to_end(encoder: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    rows = []
    for number in range(80):
        words = [f"w{place}" for place in draw.choice(60, size=5, replace=False)]
        mark = " 7" if number % 4 == 0 else ""
        rows.append(
            {"de": " ".join(words) + mark, "fi": " ".join(words[::-1]) + mark, "sw": " ".join(words[:3]) + mark}
        )
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    config = audit.Config(models=(encoder,), data=str(tmp_path / "mine.jsonl"), device="cpu")
    result = audit.run(config, engine=Inline(), store=Store(tmp_path / "store"))
    texts = [finding.text for finding in result.findings]
    assert any("of the pool" in text for text in texts)
    assert any(text.startswith("False friends:") for text in texts)
    assert any(text.startswith("Control:") for text in texts)
    assert list(result.tables["treatments"].frame["treatment"]) == ["as it is", "centred", "neutralised", "CSLS"]
    assert {"text", "found", "found in"} <= set(result.tables["wrong"].frame.columns)
    frame = result.frame()
    assert set(frame["measure"]) == {"found", "own language"}
    assert result.main_figure == "who-finds-whom"
