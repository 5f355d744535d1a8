"""Vocabularies: what is shared, that text survives, and that learning is repeatable."""

import pytest
from tokenizers import Tokenizer

from isogloss.errors import IsoglossError
from isogloss.pretrain.recipe import Vocabulary
from isogloss.pretrain.tokenisers import SPECIALS, Tokenisers, as_fast, word_starts
from isogloss.pretrain.vocabulary import LostLettersWarning, learn

Texts = dict[str, list[str]]


def learned(texts: Texts, **settings: object) -> Tokenisers:
    defaults = {"size": 120, "accept_fewer": True}
    return learn(
        Vocabulary(**{**defaults, **settings}),  # type: ignore[arg-type]
        {language: lambda rows=rows: iter(rows) for language, rows in texts.items()},  # type: ignore[misc]
    )


def used(tokeniser: Tokenizer, rows: list[str]) -> set[str]:
    return {token for row in rows for token in tokeniser.encode(row, add_special_tokens=False).tokens}


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_text_survives_a_joint_vocabulary(two_languages: Texts, kind: str) -> None:
    tokeniser = learned(two_languages, kind=kind).any_text
    assert tokeniser is not None
    for rows in two_languages.values():
        encoded = tokeniser.encode(rows[0])
        assert (encoded.tokens[0], encoded.tokens[-1]) == ("[CLS]", "[SEP]")
        assert tokeniser.decode(encoded.ids) == rows[0]


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
@pytest.mark.parametrize("scope", ["united", "marked", "own"])
def test_text_survives_a_language_s_tokeniser(two_languages: Texts, scope: str, kind: str) -> None:
    tokenisers = learned(two_languages, scope=scope, kind=kind)
    for language, rows in two_languages.items():
        tokeniser = tokenisers.by_language[language]
        assert tokeniser.decode(tokeniser.encode(rows[0]).ids) == rows[0]


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_marked_languages_share_no_entry(two_languages: Texts, kind: str) -> None:
    tokenisers = learned(two_languages, scope="marked", kind=kind)
    first, second = (used(tokenisers.by_language[language], rows) for language, rows in two_languages.items())
    assert first and second and not first & second
    plain = learned(two_languages, scope="united", kind=kind)
    first, second = (used(plain.by_language[language], rows) for language, rows in two_languages.items())
    assert {".", "7"} <= first & second


def test_marking_changes_no_segmentation(two_languages: Texts) -> None:
    marked, united = (learned(two_languages, scope=scope) for scope in ("marked", "united"))
    for language, rows in two_languages.items():
        for row in rows[:50]:
            spans = [tokenisers.by_language[language].encode(row).offsets for tokenisers in (marked, united)]
            assert spans[0] == spans[1]


def test_all_languages_of_a_united_vocabulary_have_one_id_space(two_languages: Texts) -> None:
    tokenisers = learned(two_languages, scope="united")
    spaces = [tokeniser.get_vocab() for tokeniser in (*tokenisers.by_language.values(), tokenisers.any_text)]
    assert spaces[0] == spaces[1] == spaces[2]
    assert sorted(spaces[0].values()) == list(range(len(spaces[0])))
    assert [spaces[0][token] for token in SPECIALS] == [0, 1, 2, 3, 4]


def test_a_language_s_text_splits_the_same_alone_and_united(two_languages: Texts) -> None:
    united = learned(two_languages, scope="united", size=120)
    alone = learned({"qaa": two_languages["qaa"]}, size=(120 - 5) // 2 + 5)
    for row in two_languages["qaa"][:50]:
        assert united.by_language["qaa"].encode(row).tokens == alone.by_language["qaa"].encode(row).tokens


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_the_same_text_gives_the_same_vocabulary(two_languages: Texts, kind: str) -> None:
    assert len({learned(two_languages, kind=kind).by_language["qaa"].to_str() for _ in range(4)}) == 1


def test_frequent_words_are_whole_and_rare_ones_are_split(two_languages: Texts) -> None:
    tokeniser = learned(two_languages, size=90).any_text
    assert tokeniser is not None
    words = sorted({word for row in two_languages["qaa"] for word in row.split()}, key=len)
    counts = {word: sum(row.split().count(word) for row in two_languages["qaa"]) for word in words}
    longest = [word for word in words if len(word) == 6]
    frequent = max(longest, key=counts.__getitem__)
    assert len(tokeniser.encode(frequent, add_special_tokens=False)) == 1
    assert any(len(tokeniser.encode(word, add_special_tokens=False)) > 1 for word in longest)


def test_word_starts_are_found_whatever_the_kind(two_languages: Texts) -> None:
    row = two_languages["qaa"][0]
    for kind, scope in (("bpe", "joint"), ("bpe", "marked"), ("wordpiece", "joint"), ("unigram", "joint")):
        tokeniser = learned(two_languages, kind=kind, scope=scope, size=80).by_language["qaa"]
        ids = tokeniser.encode(row, add_special_tokens=False).ids
        assert word_starts(tokeniser)[ids].sum() == len(row.split())


def test_a_vocabulary_too_large_for_the_text_says_how_large_it_may_be(two_languages: Texts) -> None:
    with pytest.raises(IsoglossError, match=r"supports .* entries, fewer than the requested 5,000"):
        learned(two_languages, size=5_000, accept_fewer=False)


def test_the_transformers_tokeniser_has_its_special_tokens(two_languages: Texts) -> None:
    fast = as_fast(learned(two_languages).any_text, 24)
    assert (fast.pad_token_id, fast.cls_token_id, fast.sep_token_id, fast.mask_token_id) == (0, 2, 3, 4)
    assert set(fast("baba", "bebe")) == {"input_ids", "attention_mask"}


def test_a_size_a_language_grows_with_the_languages(two_languages: Texts) -> None:
    assert learned(two_languages, size_a_language=45).size("qaa") == 90
    assert learned({"qaa": two_languages["qaa"]}, size_a_language=45).size("qaa") == 45


@pytest.mark.filterwarnings("error")
def test_a_vocabulary_too_small_for_its_letters_warns_with_a_size_that_serves() -> None:
    rows = ["".join(chr(0x4E00 + (7 * row + place) % 300) for place in range(40)) for row in range(300)]
    with pytest.warns(LostLettersWarning, match="have room for 100 of its 300 characters") as caught:
        small = learned({"yue": rows}, size=400)
    (warning,) = caught
    size = int(str(warning.message).partition("at least ")[2].split()[0].replace(",", ""))
    enough = learned({"yue": rows}, size=size)  # any warning is an error here

    def unknown(tokenisers: Tokenisers) -> float:
        tokens = [token for row in rows for token in tokenisers.by_language["yue"].encode(row).tokens]
        return tokens.count("[UNK]") / len(tokens)

    assert unknown(small) > 0.1 and unknown(enough) < 0.05


def test_a_unigram_vocabulary_too_small_for_its_characters_is_a_named_mistake() -> None:
    rows = ["".join(map(chr, range(0x4E00, 0x4E00 + 300)))]
    with pytest.raises(IsoglossError, match="20 entries have no room for the characters"):
        learn(Vocabulary(size=20, kind="unigram"), {"zh": lambda: iter(rows)})
