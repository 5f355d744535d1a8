"""How an encoder reads sentences: the prompt before them, the pooling of its layers, and the output of its pipeline."""

import hashlib
from dataclasses import dataclass

import torch

from isogloss.encoders.names import OWN, ModelName
from isogloss.encoders.pipeline import Pipeline
from isogloss.encoders.pooling import Pooler
from isogloss.encoders.reading import Output
from isogloss.encoders.subwords import Tokeniser
from isogloss.errors import IsoglossError


@dataclass(frozen=True, eq=False)
class Reading:
    """What is done to sentences before and after the layers. The default is a bare encoder's."""

    prompt: str = ""
    pooling: str = "mean"  # of sentences, unless a caller asks for another
    pooler: Pooler | None = None  # of OWN
    output: Output | None = None
    fingerprint: str = ""  # of the pipeline

    def pooling_of(self, level: str, asked: str | None) -> str:
        """The pooling of a level: what is asked for, or this model's own."""
        return asked or (self.pooling if level == "sentence" else "mean")

    def key(self, pooling: str, *, output: bool) -> list[str]:
        """What names the states beside model, text and pooling; nothing for a bare encoder."""
        key = [f"prompt {hashlib.sha256(self.prompt.encode()).hexdigest()}"] if self.prompt else []
        return [*key, f"pipeline {self.fingerprint}"] if output or pooling == OWN else key


def plan_reading(
    named: ModelName, pipeline: Pipeline | None, tokeniser: Tokeniser, width: int, device: torch.device
) -> Reading:
    """How the model called ``named`` reads sentences, with its pipeline or without one."""
    if pipeline is None:
        if named.dim is not None:
            raise IsoglossError(
                "only the output of a sentence encoder can be cut to fewer dimensions, and this model has none",
                where=named.path,
                remedy="drop --dim",
            )
        return Reading(Pipeline().choose_prompt(named.prompt, named.path), named.pooling or "mean")
    prompt = pipeline.choose_prompt(named.prompt, named.path)
    if not pipeline.modes:
        if named.pooling is None:
            raise IsoglossError(
                "this pipeline has no Pooling module, and so no sentence vectors",
                where=f"{named.path}: modules.json",
                remedy="read its layers with --pooling mean",
            )
        return Reading(prompt, named.pooling)
    skip = tokeniser.prompt_length(prompt) if prompt and not pipeline.include_prompt else 0
    pooler = Pooler(pipeline.modes, skip, pipeline.token_weights)
    output = make_output(pipeline, pooler, named, width, device)
    marks = f"{pipeline.fingerprint()} {skip} {output.width if output else 0}"
    return Reading(prompt, named.pooling or OWN, pooler, output, marks)


def make_output(
    pipeline: Pipeline, pooler: Pooler, named: ModelName, width: int, device: torch.device
) -> Output | None:
    """The pipeline's last step; None where it has a part that is not read."""
    if pipeline.tail is None:
        return None
    tail = pipeline.tail.to(device).eval()
    try:
        with torch.inference_mode():
            full = int(tail(torch.zeros(1, width * len(pooler.modes), device=device)).shape[-1])
    except RuntimeError as error:
        raise IsoglossError(
            f"the layers after the pooling do not fit states of width {width} ({str(error).splitlines()[0]})",
            where=f"{named.path}: modules.json",
            remedy="save the model again",
        ) from error
    dim = named.dim or pipeline.dim or full
    if dim > full:
        raise IsoglossError(
            f"the output has only {full} dimensions, not {dim}", where=named.path, remedy=f"give --dim {full} or less"
        )
    return Output(pooler, tail, dim)
