"""What conditions are called in tables and figures: only what tells them apart, and folders by their last part."""

from collections.abc import Sequence

from isogloss.studies.transfer.plan import Condition


def condition_names(conditions: Sequence[Condition]) -> list[str]:
    """A name a condition: its model where there are several, its method where there are several or one model."""
    models = dict.fromkeys(condition.model for condition in conditions)
    methods = dict.fromkeys(condition.method for condition in conditions)
    short = _short(list(models))
    names = []
    for condition in conditions:
        parts = [short[condition.model]] if len(models) > 1 else []
        parts += [condition.method] if len(methods) > 1 or len(models) == 1 else []
        names.append(", ".join(parts))
    return names


def _short(models: Sequence[str]) -> dict[str, str]:
    """The last part of each path; where two models would get one name, as many parts as tell all apart."""
    pieces = {model: model.rstrip("/").split("/") for model in models}
    longest = max(map(len, pieces.values()))
    for size in range(1, longest + 1):
        short = {model: "/".join(parts[-size:]) for model, parts in pieces.items()}
        short = {model: f"untrained:{name}" if _lost(model, name) else name for model, name in short.items()}
        if len(set(short.values())) == len(models):
            return short
    return {model: model for model in models}


def _lost(model: str, name: str) -> bool:
    return model.startswith("untrained:") and not name.startswith("untrained:")
