"""``isogloss neutralise``"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import Adapter, AllowPickle, Device, Dim, Json, Prompt, Seed, TrustRemoteCode
from isogloss.cli.running import ModelOptions

if TYPE_CHECKING:
    from isogloss.probes.neutral_effect import Measured

LEAST_ROWS = 20


def neutralise(
    model: Annotated[
        str,
        typer.Argument(
            help="A model folder, a sentence-transformers folder, a Hugging Face model name or lab:families."
        ),
    ],
    data: Annotated[
        str,
        typer.Option(
            "--data",
            autocompletion=data_sets,
            help="Parallel text: a catalog name, a folder of code.txt files, or lab.",
        ),
    ] = "ntrex",
    langs: Annotated[
        str,
        typer.Option(
            "--langs", autocompletion=languages, help="Languages, as in en,de,ru. Default: all languages of the data."
        ),
    ] = "",
    method: Annotated[
        str, typer.Option("--method", help="Method: leace, densray, lda, lsar, lir or centre.")
    ] = "leace",
    dims: Annotated[int, typer.Option("--dims", min=0, help="Number of directions to remove. 0 means all.")] = 0,
    layer: Annotated[
        int, typer.Option("--layer", min=0, help="Layer to read, numbered as in inspect. 0 means the last one.")
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="At most this many sentences per language. Half are held out.")
    ] = 2000,
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[Path, typer.Option("--out", help="Folder for the model.")] = Path("neutral"),
    prompt: Prompt = None,
    dim: Dim = None,
    adapter: Adapter = None,
    allow_pickle: AllowPickle = False,
    trust_remote_code: TrustRemoteCode = False,
    as_json: Json = False,
) -> None:
    """Remove language identity from a sentence encoder, and save it for sentence-transformers.

    The map is fitted on half of the sentences; retrieval of translations before and after is measured on the
    other half. 'centre' and 'lir' must be told each text's language later on, which no fixed layer can: they
    write what they fitted only. Prompts, Dense layers and adapters of a pipeline stay.

    Example: [bold]isogloss neutralise xlm-roberta-base --data ntrex --langs en,de,ru,sw --out neutral[/]
    """
    from isogloss.cli.neutral_folder import MARK, SentencePipeline, check_target, write_folder
    from isogloss.corpora import load_parallel
    from isogloss.encoders.quiet import quietly
    from isogloss.errors import IsoglossError, unknown_name
    from isogloss.files import make_folder, write_whole
    from isogloss.geometry.neutral import METHODS, NEED_LANGUAGES, Method
    from isogloss.probes.neutral_effect import fit_and_measure
    from isogloss.progress import track

    if method not in METHODS:
        raise unknown_name("method", method, METHODS, where="--method")
    check_target(out)
    opening = ModelOptions(
        prompt=prompt, dim=dim, adapter=adapter, allow_pickle=allow_pickle, trust_remote_code=trust_remote_code
    )
    model = opening.name(model)
    text = load_parallel(data, [code.strip() for code in langs.split(",") if code.strip()] or None, limit)
    if len(text.languages) < 2 or len(text) < LEAST_ROWS:
        raise IsoglossError(
            f"{len(text)} rows in {len(text.languages)} languages are not enough",
            where=data,
            remedy=f"give at least two languages and {LEAST_ROWS} rows",
        )
    with quietly():
        pipeline = SentencePipeline(_place(model, seed), layer or None, device)
    vectors = {language: pipeline.encode(text.texts[language]) for language in track(text.languages, "encoding")}
    fitted, measured = fit_and_measure(vectors, cast(Method, method), dims or None, seed, pipeline.normalises)
    if method in NEED_LANGUAGES:
        make_folder(out)
    else:
        with quietly():
            write_folder(pipeline.with_map(fitted.matrix_, fitted.offset_), out)
    fitted.save(out / MARK)
    write_whole(out / "README.md", _card(model, text.languages, measured))
    write_whole(out / "neutralise.json", json.dumps({"model": model, "data": data} | measured.as_dict(), indent=1))
    if as_json:
        files = sorted(str(path) for path in out.iterdir())
        content = {"findings": measured.findings(), **measured.as_dict(), "folder": str(out), "files": files}
        sys.stdout.write(json.dumps(content, ensure_ascii=False) + "\n")
    else:
        _say(measured, out / MARK)


def _card(model: str, languages: tuple[str, ...], measured: "Measured") -> str:
    """A model card: what was done, and what was gained and lost."""
    lines = "\n".join(f"- {line}" for line in measured.findings())
    return (
        f"# {Path(model).name}, neutralised\n\nThe identity of the language was taken out of the vectors of {model} "
        f"(`isogloss neutralise --method {measured.method}`), fitted on {', '.join(languages)}.\n\n{lines}\n"
    )


def _place(model: str, seed: int) -> str:
    """Where the model is found; one of the lab's is pretrained first, unless that was done before."""
    from isogloss.errors import IsoglossError
    from isogloss.runs import Local
    from isogloss.studies.shared.models import LAB, UNTRAINED, Checkpoint, name_model
    from isogloss.studies.study import default_store, describe_failures

    if not model.startswith((LAB, UNTRAINED)):
        return model
    chosen = name_model(model, seed=seed)
    if isinstance(chosen, Checkpoint):
        return chosen.name
    store = default_store()
    outcome = Local().run("neutralise", [chosen], store)
    if outcome.failures:
        raise IsoglossError(describe_failures(outcome), where=model)
    return str(store.sound_folder(chosen))


def _say(measured: "Measured", saved: Path) -> None:
    for line in measured.findings():
        typer.echo(line)
    if measured.method in ("centre", "lir"):
        what = "the mean" if measured.method == "centre" else "the main directions"
        typer.echo(f"wrote {saved}: {what} of each language, to be subtracted from its vectors with")
        typer.echo(f"  isogloss.geometry.Neutraliser.load('{saved}').transform(vectors, languages)")
        typer.echo("for a model that needs no languages, use --method leace")
    else:
        typer.echo(f"wrote {saved.parent}: open it with SentenceTransformer('{saved.parent}')")
