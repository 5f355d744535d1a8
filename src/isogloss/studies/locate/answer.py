"""From the cells of a run to its answer: one frame of all probes, then findings, tables and figures."""

import pandas as pd

from isogloss.studies.locate.cells import FILE, Probed, pick_layer
from isogloss.studies.locate.config import Config
from isogloss.studies.locate.figures import figures_of
from isogloss.studies.locate.findings import findings
from isogloss.studies.locate.plan import Plan, make_plan
from isogloss.studies.locate.tables import tables_of
from isogloss.studies.locate.tagging import tag_frame
from isogloss.studies.locate.view import KEY, View
from isogloss.studies.result import Provenance, Result, by_name
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.study import Results

QUESTION = "In which dimensions and layers is the identity of a language stored?"


def summarise(config: Config, results: Results) -> Result:
    """The answer, and the figures of the paper."""
    plan = make_plan(config)
    view = look(config, plan, results)
    model = plan.gather[0].model
    tagged = tag_frame(plan.tagging, [results[one.cell] for one in plan.tagging])
    return Result(
        study="locate",
        question=QUESTION,
        findings=tuple(findings(config, plan, view, tagged, results)),
        tables=by_name(*tables_of(config, view, tagged)),
        figures=by_name(*figures_of(config, view, tagged)),
        main_figure="dimensions",
        provenance=Provenance.gather(
            models=(model.label(),),
            data=tuple(dict.fromkeys(config.name_data(name) for name in ("", *(one.data for one in config.tagging)))),
            revisions={config.name_data(): plan.gather[0].data_revision, model.label(): revision_of(model)},
            seeds=config.seeds,
            seconds=results.seconds([*plan.gather, *plan.cells()]),
        ),
        records=tidy(view, tagged, model.label(), revision_of(model)),
    )


def look(config: Config, plan: Plan, results: Results) -> View:
    """Every probe of the run in one frame."""
    cells = [*plan.curves, *plan.layers, *plan.subsets]
    frames = [pd.read_parquet(results.folder(cell) / FILE) for cell in cells]
    head: Probed = results[plan.layers[0]]
    # The layer that curves look at is in the comparison of layers too: the same probes, counted once.
    frame = pd.concat(frames, ignore_index=True).drop_duplicates([*KEY, "draw", "item", "seed"], ignore_index=True)
    return View(frame, pick_layer(config.layer, head.layers), head.layers, plan.gather[0].languages, head.width)


def revision_of(model: object) -> str:
    return model.revision if isinstance(model, Checkpoint) else "trained here"


def tidy(view: View, tagged: pd.DataFrame, model: str, revision: str) -> pd.DataFrame:
    """A row a probe or score: model, revision, layer, method, subset, task, kind, x, draw, item, seed, value, n."""
    columns = ["layer", "method", "subset", "task", "kind", "x", "draw", "item", "seed", "value", "chance", "n"]
    frame = pd.concat([view.frame, tagged.assign(layer=view.layer)]) if len(tagged) else view.frame
    frame = frame[columns].reset_index(drop=True)
    frame.insert(0, "model", model)
    frame.insert(1, "revision", revision)
    return frame
