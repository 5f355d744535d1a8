"""``isogloss demo``"""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Out, Seed
from isogloss.cli.running import Running, with_running


@with_running
def demo(
    out: Out = Path("demo"),
    size: Annotated[str, typer.Option("--size", help="Size: demo (minutes) or tiny (a smoke test).")] = "demo",
    seed: Seed = 0,
    *,
    running: Running,
) -> None:
    """Build the lab languages, pretrain small encoders, run every study on them and write a report.

    Example: [bold]isogloss demo --out demo[/], then open demo/index.html
    """
    from isogloss.cli.execute import complain, forget, say_if_long, show_estimate
    from isogloss.files import make_folder, write_whole
    from isogloss.report import show_site_in_terminal, write_site
    from isogloss.runs import make_engine
    from isogloss.studies.demo import INTRODUCTION, SECONDS, demo_parts, headline
    from isogloss.studies.shared.study_presets import annotated_dump
    from isogloss.studies.study import Results, default_store

    parts = demo_parts(size, seed)
    if running.print_config:
        sys.stdout.write("---\n".join(annotated_dump(part.study.name, part.config) for part in parts))
        return
    if running.dry_run:
        cells = [cell for part in parts for cell in part.study.plan(part.config).cells]
        show_estimate("demo", cells, make_engine(running.engine, running.workers, running.address))
        return
    make_folder(out)
    store = default_store()
    plans = [part.study.plan(part.config) for part in parts]
    if not running.resume:
        forget([cell for plan in plans for cell in plan.all_cells], store)
    cells = [cell for plan in plans for cell in plan.cells]
    engine = make_engine(running.engine, running.workers, running.address)
    say_if_long(cells, engine, store)
    outcome = engine.run("demo", cells, store, expected=SECONDS if size == "demo" else None)
    if outcome.failures:
        complain(outcome)
        raise typer.Exit(outcome.exit_code)
    answers = zip(parts, plans, strict=True)
    results = []
    for part, plan in answers:
        file = out / part.study.name / "study.yaml"
        make_folder(file.parent)
        write_whole(file, annotated_dump(part.study.name, part.config))
        result = part.study.summarise(plan, Results(store))
        again = shlex.join(["isogloss", "run", str(file), "--out", f"runs/{part.study.name}"])
        results.append((part.study.name, replace(result, provenance=replace(result.provenance, command=again))))
    warnings, claims = headline(results)
    command = f"isogloss demo --seed {seed}" + (f" --size {size}" if size != "demo" else "")
    write_site(results, out, "Isogloss: the demo", warnings, command=command, introduction=INTRODUCTION, claims=claims)
    found = [*warnings, *(finding for _, finding in claims)]
    show_site_in_terminal(results, out, findings=found, as_json=running.as_json)
