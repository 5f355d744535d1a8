from dataclasses import dataclass, field
from typing import ClassVar

import msgspec
import pytest
from toy_cells import After, Draw, Total

from isogloss.errors import IsoglossError
from isogloss.runs import Plan, key_of
from isogloss.runs.cells import ADDED_LATER


def test_equal_content_gives_equal_keys_and_any_change_another():
    assert key_of(Draw(seed=1)) == key_of(Draw(seed=1))
    assert len({key_of(Draw()), key_of(Draw(seed=1)), key_of(Draw(steps=5)), key_of(Total())}) == 4


def test_a_bumped_version_changes_the_key(monkeypatch: pytest.MonkeyPatch):
    before = key_of(Draw())
    monkeypatch.setattr(Draw, "version", 2)
    assert key_of(Draw()) != before


def test_a_change_in_a_needed_cell_changes_the_keys_of_its_dependents():
    assert key_of(Total((Draw(seed=1),))) != key_of(Total((Draw(seed=2),)))


def test_keys_are_the_same_in_every_process_and_release():
    """A literal: if it changes, every user's stored results are lost, so bump ``version`` instead."""
    assert key_of(Draw(seed=7)) == "3aba3b50ab55e1272be399d407cc96f86b763bbf"


def test_a_setting_added_later_changes_keys_only_where_it_is_set():
    @dataclass(frozen=True)
    class Before:
        share: float = 0.5

    @dataclass(frozen=True)
    class Later(Before):
        pairs: float = field(default=0.0, metadata=ADDED_LATER)

    @dataclass(frozen=True)
    class Section:
        part: Before

    @dataclass(frozen=True)
    class Trained(Draw):
        section: Section = Section(Before())

    assert key_of(Trained(section=Section(Later()))) == key_of(Trained(section=Section(Before())))
    assert key_of(Trained(section=Section(Later(pairs=0.1)))) != key_of(Trained(section=Section(Before())))


def test_a_record_read_from_a_file_that_leaves_settings_out_has_a_key():
    @dataclass(frozen=True)
    class Settings:
        share: float = 0.5
        pairs: float = field(default=0.0, metadata=ADDED_LATER)

    @dataclass(frozen=True)
    class Trained(Draw):
        settings: Settings = Settings()

    read = msgspec.convert({}, Settings)
    assert key_of(Trained(settings=read)) == key_of(Trained(settings=msgspec.convert({}, Settings)))
    assert key_of(Trained(settings=read)) != key_of(Trained(settings=Settings(share=0.1)))


def test_an_input_that_is_not_plain_data_is_refused_with_the_cell_named():
    @dataclass(frozen=True)
    class Odd(Draw):
        name: ClassVar[str] = "odd"
        thing: object = None

    with pytest.raises(IsoglossError, match=r"cell 'odd'.*not object"):
        key_of(Odd(thing=object()))


def test_a_plan_holds_every_needed_cell_once_and_before_its_dependents():
    draws = tuple(Draw(seed=seed) for seed in range(3))
    plan = Plan([Total(draws), Total(draws[:2]), draws[0]])
    assert len(plan) == 5
    first = [plan.next() for _ in range(3)]
    assert first == [key_of(draw) for draw in draws]
    assert plan.next() is None
    for key in first:
        assert key is not None
        plan.finish(key)
    assert plan.next() == key_of(Total(draws))


def test_dependents_of_a_failed_cell_are_dropped_however_far():
    near = After(Draw())
    far = After(near)
    plan = Plan([far, Draw(seed=9)])
    key = plan.next()
    assert key == key_of(Draw())
    assert plan.drop_dependents(key) == [key_of(near), key_of(far)]
    assert plan.next() == key_of(Draw(seed=9))
