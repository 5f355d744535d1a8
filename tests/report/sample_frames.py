"""Made-up but realistic data for every kind of figure."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage

from isogloss.studies.result import Provenance
from isogloss.studies.shared.trees import tree_of_merges

FAMILIES = {
    "Germanic": ["English", "German", "Dutch"],
    "Romance": ["French", "Italian", "Spanish"],
    "Slavic": ["Russian", "Polish", "Czech"],
    "Other": ["Finnish", "Turkish", "Arabic"],
}
LONGITUDES = [0, 10, 5, 2, 12, -4, 38, 20, 15, 25, 35, 38]
LATITUDES = [52, 52, 52, 48, 43, 40, 56, 52, 50, 62, 39, 25]
SENTENCE = "A sentence in which the word stands, at some length, so that it wraps on hover."


def languages() -> list[tuple[str, str]]:
    return [(language, family) for family, members in FAMILIES.items() for language in members]


def provenance(command: str = "isogloss inspect mbert --data ud-pud --langs en,de,fr --limit 1000") -> Provenance:
    return Provenance(
        models=("bert-base-multilingual-cased",),
        data=("ud-pud", "tatoeba"),
        revisions={"bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8", "ud-pud": "r2.14-8c1d"},
        seeds=(0, 1, 2, 3, 4),
        seconds=372.0,
        command=command,
        versions={"python": "3.11.7", "isogloss": "0.1.0", "torch": "2.9.0", "numpy": "2.4.0"},
        created="2026-11-15T21:40:03+00:00",
    )


def profile(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for place, name in enumerate(["trained", "untrained", "bag of tags"]):
        for layer in range(13):
            middle = [0.15 + 0.6 * np.exp(-(((layer - 7.5) / 3.4) ** 2)), 0.04, 0.11][place] + rng.normal(0, 0.008)
            rows.append((name, layer, middle, middle - 0.03, middle + 0.03, 2000))
    return pd.DataFrame(rows, columns=["series", "layer", "value", "low", "high", "n"])


def similarity(layers: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = []
    for layer in range(layers):
        for one, family in languages():
            for two, other in languages():
                near = 1.0 if one == two else (0.72 if family == other else 0.5) + 0.05 * layer + rng.normal(0, 0.03)
                rows.append((layer, one, two, min(near, 1.0), near - 0.02, near + 0.02, 1000))
    return pd.DataFrame(rows, columns=["layer", "language", "other", "value", "low", "high", "n"])


def transfer() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    rows = []
    for language, family in languages():
        base = {"Germanic": 84, "Romance": 78, "Slavic": 73, "Other": 61}[family] + rng.normal(0, 3)
        for method, gain in [("plain", 0.0), ("fusion", 1.4), ("reversal", -0.8)]:
            score = base + gain + rng.normal(0, 0.5)
            rows.append((language, family, method, score, score - 1.6, score + 1.6, 5, 0.01 if gain > 1 else 0.4))
    return pd.DataFrame(rows, columns=["language", "family", "method", "value", "low", "high", "n", "p"])


def losses() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for task, scale in [("parsing", 1.6), ("POS", 1.0), ("NER", 1.2)]:
        for pair in range(6):
            home, away = -0.3 - rng.random() * 0.8, -scale * [18, 12, 7, 3, 1, -0.4][pair] + rng.normal(0, 0.5)
            rows += [
                (task, f"{2 * pair + 1}-{2 * pair + 2}", "home", home),
                (task, f"{2 * pair + 1}-{2 * pair + 2}", "away", away),
            ]
    frame = pd.DataFrame(rows, columns=["task", "layers", "where", "value"])
    return frame.assign(
        target=frame["task"] + " " + frame["where"], low=frame["value"] - 1, high=frame["value"] + 1, n=5
    )


def points(count: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    labels, names = ["NOUN", "VERB", "ADJ", "ADP"], ["English", "German", "French", "Russian", "Finnish"]
    rows = []
    for condition, language_pull in [("initial", 2.4), ("fine-tuned", 0.7)]:
        for _ in range(count // 2):
            label, name = int(rng.integers(4)), int(rng.integers(5))
            x = np.cos(label * 1.6) * 4 + np.cos(name * 1.3) * language_pull + rng.normal(0, 0.7)
            y = np.sin(label * 1.6) * 4 + np.sin(name * 1.3) * language_pull + rng.normal(0, 0.7)
            rows.append(
                (
                    condition,
                    x,
                    y,
                    labels[label],
                    names[name],
                    "word",
                    SENTENCE,
                )
            )
    return pd.DataFrame(rows, columns=["condition", "x", "y", "label", "language", "token", "sentence"])


def subspace() -> pd.DataFrame:
    dims = np.array([1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120])
    parts = []
    for task, lift in [("language identity", 0.0), ("typology", -0.08)]:
        for name, reach in [("first x", 6), ("next x", 18), ("random x", 26)]:
            value = 1 - 0.5 * np.exp(-dims / reach) + lift
            columns = {"task": task, "series": name, "dimensions": dims, "value": value}
            parts.append(pd.DataFrame(columns).assign(low=value - 0.03, high=value + 0.03, n=2000))
    return pd.concat(parts, ignore_index=True)


def training() -> pd.DataFrame:
    rng, steps = np.random.default_rng(5), np.arange(0, 4001, 50)
    parts = []
    for place, (language, _) in enumerate(languages()[:6]):
        loss = 9 * np.exp(-steps / (700 + 90 * place)) + 2 + 0.15 * rng.random(len(steps))
        parts.append(pd.DataFrame({"language": language, "step": steps, "value": loss}))
    return pd.concat(parts, ignore_index=True)


def gates() -> pd.DataFrame:
    rows = [(f"D_{d}", layer, 0.5 + 0.3 * np.sin(layer / 3 + d), 40) for d in (3, 6, 9) for layer in range(1, 13)]
    return pd.DataFrame(rows, columns=["series", "layer", "value", "n"])


def centres() -> np.ndarray:
    rng = np.random.default_rng(6)
    return rng.normal(size=(12, 8)) * 0.4 + np.repeat(rng.normal(size=(4, 8)), 3, axis=0)


def moves() -> pd.DataFrame:
    before = centres()[:, :2]
    names = [language for language, _ in languages()]
    columns = {"language": names, "x": before[:, 0], "y": before[:, 1]}
    return pd.DataFrame(columns).assign(x_to=before[:, 0] * 0.4, y_to=before[:, 1] * 0.4)


def clusters() -> pd.DataFrame:
    names, families = zip(*languages(), strict=True)
    return tree_of_merges(linkage(centres(), "average"), names, families)


def family_tree() -> pd.DataFrame:
    inner = [("root", "", "lab", ""), *((family, "root", family, family) for family in FAMILIES)]
    leaves = [(language, family, language, family) for language, family in languages()]
    tree = pd.DataFrame([*inner, *leaves], columns=["node", "parent", "label", "family"])
    scores = [np.nan] * len(inner) + list(np.linspace(88, 60, len(leaves)))
    return tree.assign(value=scores, n=5)


def world() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    names, families = zip(*languages(), strict=True)
    columns = {"language": names, "family": families, "longitude": LONGITUDES, "latitude": LATITUDES}
    known = pd.DataFrame(columns).assign(value=np.linspace(88, 60, 12), n=5)
    others = {"longitude": rng.uniform(-10, 60, 200), "latitude": rng.uniform(30, 65, 200), "language": "other"}
    return pd.concat([known, pd.DataFrame(others)], ignore_index=True)


def correlation() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    names, families = zip(*languages(), strict=True)
    similar = np.sort(rng.random(12))
    return pd.DataFrame({"language": names, "family": families, "cka": similar, "gap": 30 * (1 - similar), "n": 1000})
