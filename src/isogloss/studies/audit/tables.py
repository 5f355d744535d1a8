"""The tables of an audit: treatments, languages, false friends, and the sentences that went wrong."""

from collections.abc import Iterator

import pandas as pd

from isogloss.corpora.false_friends import KINDS
from isogloss.languages import language_name
from isogloss.studies.audit.cells import TREATMENTS
from isogloss.studies.audit.view import AuditView
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread_of

FIRST, OWN = "translation first", "own language, beyond its share"
SHOWN = 200  # wrong sentences on the page; the cell's folder has more


def tables_of(view: AuditView) -> Iterator[Table]:
    """Treatments first."""
    yield treatments(view)
    yield languages(view)
    if any(len(one.friends) for one in view.models):
        yield friends(view)
    if any(len(one.wrong) for one in view.models):
        yield wrong(view)


def treatments(view: AuditView) -> Table:
    rows = [
        {"model": one.name, "treatment": name, **spread_of(FIRST, one.found(name)), **spread_of(OWN, one.bias(name))}
        for one in view.models
        for name in TREATMENTS
    ]
    return Table(
        "treatments", "What is found, and how much is in the query's own language",
        "Per cent of queries whose nearest sentence in any language is a translation; points of the nearest ten in the "
        "query's own language beyond its share of the pool. Means and maps were fitted on other sentences.",
        pd.DataFrame(rows), index=("model", "treatment"), signed=(OWN,),
    )  # fmt: skip


def languages(view: AuditView) -> Table:
    rows = [
        {
            "model": one.name, "language": f"{language_name(code)} ({code})",
            **spread_of(FIRST, one.of_language(code, "found")), **spread_of(OWN, one.of_language(code, "own")),
            **spread_of("neutralised", one.of_language(code, "own", TREATMENTS[2])),
        }
        for one in view.models
        for code in one.record.languages
    ]  # fmt: skip
    return Table(
        "languages", "Query languages",
        "As above, by language of the query; the last column is the bias after neutralising.",
        pd.DataFrame(rows), index=("model", "language"), signed=(OWN, "neutralised"),
    )  # fmt: skip


def friends(view: AuditView) -> Table:
    rows = []
    for one in view.models:
        for kind in KINDS:
            if (found := one.fooled(kind)) is not None:
                missing = ", ".join(one.without_friends(kind)) or "–"
                rows.append({"model": one.name, "change": kind, **spread_of("fooled", found), "none in": missing})
    return Table(
        "false-friends", "Sentences with one thing changed",
        "Per cent of queries in other languages that are at least as near to the changed sentence as to the true one. "
        "The last column names languages without such a change: their script has no capitals, no rule of negation is "
        "known, or no sentence has what the rule changes.",
        pd.DataFrame(rows), index=("model", "change"),
    )  # fmt: skip


def wrong(view: AuditView) -> Table:
    parts = [one.wrong.head(SHOWN).assign(model=one.name) for one in view.models]
    frame = pd.concat(parts, ignore_index=True)
    return Table(
        "wrong", "Queries that found a wrong sentence",
        "The largest mistakes first: what was found is nearer than any translation. Rows are numbered as in the data.",
        frame[["model", "language", "row", "text", "found in", "found row", "found", "likeness", "of translation"]],
        index=("model", "language", "row"), decimals=3,
    )  # fmt: skip
