"""The answer of a study of forgetting: findings, the paper's tables and figures, and where the numbers come from."""

from dataclasses import replace

from isogloss.runs import key_of
from isogloss.studies.forget.config import Config
from isogloss.studies.forget.figures import figures_of
from isogloss.studies.forget.findings import findings
from isogloss.studies.forget.plan import conditions, maps
from isogloss.studies.forget.tables import tables_of
from isogloss.studies.forget.view import view_of
from isogloss.studies.old_origins import origins
from isogloss.studies.result import Result, by_name
from isogloss.studies.study import Results
from isogloss.transfer import Tuned

QUESTION = "What does fine-tuning do to the identity of languages, and does forgetting it help?"


def summarise(config: Config, results: Results) -> Result:
    """Everything that a run shows."""
    found = conditions(config)
    view = view_of(config, found, results)
    tuned = [one.cell for one in found]
    tried = [candidate for cell in tuned if isinstance(cell, Tuned) for candidate in cell.candidates]
    measured = [cell for one in found for cell in (one.identify, one.clusters)]
    origin = origins(
        (config.model,), tuned, results,
        seeds=config.seeds, seed=config.seed, revision=config.revision, texts=(config.texts,),
    )  # fmt: skip
    cells = {key_of(cell): cell for cell in (*tuned, *tried, *measured, *maps(config, found).values())}
    return Result(
        study="forget",
        question=QUESTION,
        findings=tuple(findings(view)),
        tables=by_name(*tables_of(view, config.model)),
        figures=by_name(*figures_of(view)),
        main_figure="scores",
        provenance=replace(origin, seconds=results.seconds(list(cells.values()))),
        records=view.frame,
    )
