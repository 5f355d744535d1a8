"""``isogloss vary``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Out, Seeds
from isogloss.cli.running import Running, with_running


@with_running
def vary(
    lab: Annotated[str, typer.Argument(help="Lab to start from, such as lab:twins or lab:families?noise=0.1.")],
    knobs: Annotated[
        list[str], typer.Argument(help="Knobs with their values, as in anchors=0,0.1,0.3 word_order=same,mixed.")
    ],
    pair: Annotated[str, typer.Option("--pair", help="Two languages to pretrain on and compare, as in qaa-qab.")] = "",
    steps: Annotated[int | None, typer.Option("--steps", help="Pretraining steps. Default: 700.")] = None,
    sentences: Annotated[
        int | None, typer.Option("--sentences", help="Sentences of training text per language.")
    ] = None,
    parallel_limit: Annotated[
        int | None, typer.Option("--parallel-limit", help="Parallel sentences to retrieve. Default: 400.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting of pretraining, as in model.width=64. May be repeated."),
    ] = None,
    seeds: Seeds = "",
    device: Device = "auto",
    out: Out = Path("runs/vary"),
    *,
    running: Running,
) -> None:
    """What does a knob of the lab do? Pretrains at every value of every knob, measures, and draws the effect.

    Example: [bold]isogloss vary lab:twins anchors=0,0.1,0.3 word_order=same,mixed --seeds 0,1,2[/]
    """
    from isogloss.cli import reading
    from isogloss.studies.vary import STUDY, configure

    config = configure(
        lab,
        knobs,
        pair=reading.listed(pair, "-"),
        steps=steps,
        sentences=sentences,
        parallel_limit=parallel_limit,
        settings=reading.settings(settings),
        seeds=reading.numbers(seeds),
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
