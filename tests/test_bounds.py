"""What a setting may be: declared once, refused everywhere in the same words, before any work."""

from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.bounds import BoundError, Count, Limit, Seeds, Share, SomeNames, check_plain, check_settings, hints_of
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.runs.config import build
from isogloss.runs.yaml_text import read_documents
from isogloss.studies.names import STUDIES
from isogloss.studies.study import get_study
from isogloss.transfer import Settings


@dataclass(frozen=True)
class Inner:
    limit: Limit | None = None


@dataclass(frozen=True)
class Config:
    limit: Limit = 5
    share: Share = 0.5
    seeds: Seeds = (0,)
    names: SomeNames = ("a",)
    inner: tuple[Inner, ...] = ()
    points: dict[str, Count] = field(default_factory=dict)
    free: dict[str, Any] = field(default_factory=dict)


WRONG = [
    ({"limit": 0}, "limit is 0"),
    ({"limit": -1}, "limit is -1"),
    ({"limit": 10**30}, "a number of 31 digits"),
    ({"limit": 10**5000}, "an enormous number"),
    ({"share": float("nan")}, "share is nan"),
    ({"share": 1.5}, "share is 1.5"),
    ({"seeds": (0, 0)}, "seeds has 0 twice"),
    ({"seeds": ()}, "seeds is empty"),
    ({"seeds": (2**31,)}, r"seeds\[0\] is 2147483648"),
    ({"names": ()}, "names is empty"),
    ({"names": ("a\0",)}, "not valid text"),
    ({"names": ("\ud800",)}, "not valid text"),
    ({"names": ("x" * 5000,)}, "5,000 characters"),
    ({"points": {"words": 0}}, "points.words is 0"),
    ({"free": {"rate": [float("inf")]}}, "is inf"),
]


@pytest.mark.parametrize(("given", "words"), WRONG, ids=[words for _, words in WRONG])
def test_a_setting_out_of_bounds_is_refused_from_python_and_from_a_file(given: dict[str, Any], words: str):
    with pytest.raises(IsoglossError, match=words):
        check_settings(Config(**given))
    with pytest.raises(IsoglossError, match=words) as caught:
        build(Config, given, dict.fromkeys(given, 7), "study.yaml")
    assert caught.value.where == "study.yaml:7"


def test_a_setting_inside_another_is_named_by_its_path():
    with pytest.raises(IsoglossError, match=r"inner\[1\]\.limit is 0"):
        check_settings(Config(inner=(Inner(), Inner(0))))


def test_a_value_of_another_type_is_refused_from_python_too():
    with pytest.raises(IsoglossError, match="limit is '5'"):
        check_settings(Config(limit="5"))  # type: ignore[arg-type]


def test_good_settings_pass():
    check_settings(Config(limit=10**9, share=1, seeds=(0, 1), inner=(Inner(3),), points={"words": 2}))


def unbounded(config: type, prefix: str = "") -> list[str]:
    """Numbers among the settings that declare no bounds."""
    return [name for setting, hint in hints_of(config).items() for name in _unbounded(hint, f"{prefix}{setting}")]


def _unbounded(hint: Any, name: str) -> list[str]:
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return [] if base in (int, float) and marks else _unbounded(base, name)
    if is_dataclass(hint) and isinstance(hint, type):
        return unbounded(hint, f"{name}.")
    if hint in (int, float):
        return [name]
    return [found for inner in get_args(hint) if inner is not Ellipsis for found in _unbounded(inner, name)]


@pytest.mark.parametrize("study", STUDIES)
def test_every_number_of_every_study_has_bounds(study: str):
    assert unbounded(get_study(study).config) == []


def test_every_number_of_a_recipe_and_of_a_fine_tuning_has_bounds():
    assert unbounded(Recipe) == unbounded(Settings) == []


def _is_required(one: Any) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_refuses_bad_settings_before_it_plans(study: str):
    found = get_study(study)
    names = {one.name for one in fields(found.config)}
    mistakes = {"seeds": (0, 0), "seed": -1, "sentences": 0, "limit": 0}
    setting = next(name for name in mistakes if name in names)
    examples: dict[str, Any] = {"models": ("lab:families",), "model": "lab:families"}
    base = {one.name: examples[one.name] for one in fields(found.config) if _is_required(one)}
    with pytest.raises(IsoglossError, match=setting):
        found.run(found.config(**base, **{setting: mistakes[setting]}))


@given(st.integers())
def test_a_limit_is_accepted_just_within_its_bounds(limit: int):
    if 1 <= limit <= 10**9:
        check_settings(Config(limit=limit))
    else:
        with pytest.raises(IsoglossError, match="limit is"):
            check_settings(Config(limit=limit))


@given(st.floats() | st.integers(), st.lists(st.integers(-2, 5), max_size=4))
def test_a_share_and_seeds_are_accepted_just_within_their_bounds(share: float, seeds: list[int]):
    good = 0 <= share <= 1 and bool(seeds) and min(seeds) >= 0 and len(set(seeds)) == len(seeds)
    try:
        check_settings(Config(share=share, seeds=tuple(seeds)))
        accepted = True
    except IsoglossError:
        accepted = False
    assert accepted == good


@given(st.text())
def test_any_text_is_yaml_or_refused(text: str):
    with suppress(IsoglossError):
        read_documents(text, "study.yaml")


def test_a_word_that_is_no_choice_is_refused_with_the_choices_before_it_becomes_a_setting():
    @dataclass(frozen=True)
    class Chosen:
        kernels: Literal["plain", "fast"] = "plain"
        size: Literal["all"] | int = "all"

    check_plain(Chosen, {"kernels": "fast", "size": "5"})  # text may still become a number
    with pytest.raises(BoundError) as refused:
        check_plain(Chosen, {"kernels": "fst"})
    assert "unknown kernels 'fst'; did you mean 'fast'?" in str(refused.value)
    assert refused.value.remedy == "known: fast, plain"
