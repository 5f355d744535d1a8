"""Answers of a view that figures, tables and findings ask for again and again: computed once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

View = TypeVar("View")
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def kept(method: Callable[Concatenate[View, Asked], Answer]) -> Callable[Concatenate[View, Asked], Answer]:
    """``method`` of an object that never changes, computed once for each of its arguments, which must be hashable.

    Answers live as long as the object. They are shared: callers must not change a frame that they are given.
    """

    @wraps(method)
    def once(view: View, /, *args: Asked.args, **named: Asked.kwargs) -> Answer:
        answers: dict[Any, Answer] = view.__dict__.setdefault(f"_kept_{method.__name__}", {})
        asked = (args, *sorted(named.items()))
        if asked not in answers:
            answers[asked] = method(view, *args, **named)
        return answers[asked]

    return once
