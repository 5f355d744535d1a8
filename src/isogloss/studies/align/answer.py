"""The answer of an alignment study: findings, the paper's figures as tables and figures, and the tidy records."""

import numpy as np
import pandas as pd

from isogloss.studies.align.config import Config
from isogloss.studies.align.couples import Couple
from isogloss.studies.align.figures import figures_of
from isogloss.studies.align.findings import findings
from isogloss.studies.align.plan import Plan, make_plan
from isogloss.studies.align.tables import encoders_of, tables_of
from isogloss.studies.align.view import View, view_of
from isogloss.studies.result import Provenance, Result, by_name
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.study import Results

QUESTION = "Can encoders that were trained apart be aligned?"
COLUMNS = ["level", "kind", "source", "target", "seed", "task", "what", "layer", "size", "measure"]
COLUMNS += ["value", "low", "high", "n"]


def summarise(config: Config, results: Results) -> Result:
    plan = make_plan(config)
    view = view_of(config, plan, results)
    figures = by_name(*figures_of(view))
    return Result(
        study="align",
        question=QUESTION,
        findings=tuple(findings(view)),
        tables=by_name(*tables_of(view, plan, results)),
        figures=figures,
        main_figure=next(iter(figures)),
        provenance=_provenance(config, plan, results),
        records=tidy(view),
    )


def tidy(view: View) -> pd.DataFrame:
    """One row a measurement; ``what`` says which vectors, or how a task's score came about."""
    parts = []
    if len(view.words):
        parts.append(view.words.assign(level="words", task="", what=view.words["vectors"], size=view.words["pairs"]))
    if len(view.sentences):
        parts.append(view.sentences.assign(level="sentences", task="", what=""))
    if len(view.scores):
        parts.append(view.scores.assign(level="tasks", what=view.scores["how"], size=0))
        chosen = view.validation.assign(level="tasks", what="validation", size=0, measure="validation")
        parts.append(chosen.assign(low=np.nan, high=np.nan, n=1))
    return pd.concat([part.assign(source=view.source)[COLUMNS] for part in parts], ignore_index=True)


def _provenance(config: Config, plan: Plan, results: Results) -> Provenance:
    named = [model for couple in plan.couples for model in _checkpoints(couple)]
    data = [config.text, config.dictionary, config.parallel, config.test_parallel]
    data += [config.alignments, *(setup.data for setup in config.tasks)] if config.tasks else []
    return Provenance.gather(
        models=tuple(dict.fromkeys(model.name for model in named)) or ("trained here",),
        data=tuple(dict.fromkeys(name for name in data if name)),
        revisions={**{model.name: model.revision for model in named}, **_revisions(plan)},
        seeds=config.seeds,
        seconds=results.seconds([*encoders_of(plan), *plan.cells]),
    )


def _checkpoints(couple: Couple) -> list[Checkpoint]:
    return [model for model in (couple.source_model, couple.target_model) if isinstance(model, Checkpoint)]


def _revisions(plan: Plan) -> dict[str, str]:
    found = {f"{cell.lexicon.name} {cell.lexicon.target}": cell.lexicon.revision for _, cell in plan.words}
    for _, cell in plan.sentences:
        found |= {f"{text.data} {text.part} {text.languages[-1]}": text.revision for text in (cell.learnt, cell.tested)}
    for one in plan.crossings:
        training = one.cell.training
        for data in (*training.train, *training.validation, *training.tests, *one.cell.abroad):
            found[data.describe()] = data.revision
    return found
