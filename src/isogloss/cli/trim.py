"""``isogloss trim``"""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import Adapter, AllowPickle, Device, Json, TrustRemoteCode
from isogloss.cli.running import ModelOptions

LEAST_ROWS = 40
MARK = "trim.json"  # by which a folder written here is known, and may be written again
SHOWN_OTHERS = 12


def trim(
    model: Annotated[
        str, typer.Argument(help="A model folder or a Hugging Face model name. Its head and pipeline are kept.")
    ],
    langs: Annotated[str, typer.Option("--langs", autocompletion=languages, help="Languages to keep, as in en,de,sw.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the smaller model.")],
    text: Annotated[
        list[str] | None,
        typer.Option(
            "--text",
            autocompletion=data_sets,
            help="Text to count subwords on, a file or folder. May be repeated. Default: half of --data.",
        ),
    ] = None,
    data: Annotated[
        str,
        typer.Option(
            "--data", autocompletion=data_sets, help="Parallel text to measure on: a catalog name, a folder or a table."
        ),
    ] = "ntrex",
    limit: Annotated[
        int, typer.Option("--limit", min=LEAST_ROWS, help="At most this many sentences per language of --data.")
    ] = 2000,
    at_least: Annotated[
        int, typer.Option("--at-least", min=1, help="Keep subwords that occur at least this often.")
    ] = 1,
    device: Device = "auto",
    adapter: Adapter = None,
    allow_pickle: AllowPickle = False,
    trust_remote_code: TrustRemoteCode = False,
    as_json: Json = False,
) -> None:
    """Cut a model's vocabulary to your languages: embeddings, output layer and tokeniser together.

    Special tokens, bytes, digits and the single characters of the scripts used always stay. Text whose subwords were
    kept gets the same states as before. What it cost and saved is measured on sentences that were not counted.

    Example: [bold]isogloss trim xlm-roberta-base --langs en,de,sw --out small --text corpus/[/]
    """
    import shutil
    import tempfile

    from isogloss.cli.reading import listed
    from isogloss.cli.trim_measure import measure_trim
    from isogloss.corpora import load_parallel, load_text
    from isogloss.encoders import Encoder
    from isogloss.encoders.names import ModelName
    from isogloss.encoders.trimming import choose_entries, trim_model
    from isogloss.errors import IsoglossError
    from isogloss.files import make_folder, write_whole

    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARK).exists())):
        raise IsoglossError("this folder or file exists already", where=out, remedy="name another folder with --out")
    opening = ModelOptions(adapter=adapter, allow_pickle=allow_pickle, trust_remote_code=trust_remote_code)
    model = opening.name(model)
    whole = load_parallel(data, None, limit)
    kept = load_parallel(data, listed(langs), limit).languages
    if len(kept) < 2 or len(whole) < LEAST_ROWS:
        raise IsoglossError(
            f"{len(whole)} sentences in {len(kept)} of the languages are too few to measure on", where=data,
            remedy=f"give parallel text with {LEAST_ROWS} sentences in two of them, with --data",
        )  # fmt: skip
    before = Encoder(model, device=device, dtype="float32")
    half = 0 if text else len(whole) // 2
    counted = (
        (sentence.text for name in text for sentence in load_text(name, [*kept]).stream())
        if text
        else (row for code in kept for row in whole.texts[code][:half])
    )
    cut = choose_entries(before.tokenizer, counted, at_least)
    make_folder(out.parent)
    scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        trim_model(model, cut, scratch)
        after = Encoder(str(scratch), device=device, dtype="float32", prompt=before.prompt or None)
        measured = {code: whole.texts[code][half:] for code in kept}
        rest = {code: whole.texts[code][half:] for code in whole.languages if code not in kept}
        place = Path(ModelName.parse(model).path).expanduser()
        folders = (place if place.is_dir() else None, scratch)
        found = measure_trim(before, after, folders, measured, dict(list(rest.items())[:SHOWN_OTHERS]), cut.numbers)
        content = {"model": model, "data": data, "languages": list(kept), **found.as_dict()}
        lines = [f"{line}." for line in found.findings()]
        write_whole(scratch / MARK, json.dumps(content, indent=1))
        write_whole(scratch / "README.md", _card(model, kept, lines))
        scratch.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        scratch.replace(out)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    _show(lines, content, out, as_json=as_json)


def _show(lines: list[str], content: dict[str, object], out: Path, *, as_json: bool) -> None:
    if as_json:
        files = sorted(str(path) for path in out.iterdir())
        shown = {"findings": lines, **content, "folder": str(out), "files": files}
        sys.stdout.write(json.dumps(shown, ensure_ascii=False) + "\n")
        return
    for line in lines:
        typer.echo(line)
    typer.echo(f"wrote {out}: open it with AutoModel or SentenceTransformer")


def _card(model: str, languages: tuple[str, ...], lines: list[str]) -> str:
    """A model card: what this is, and what it cost."""
    listed = "\n".join(f"- {line}" for line in lines)
    return (
        f"# {Path(model).name}, only {', '.join(languages)}\n\n"
        f"The vocabulary of {model}, cut to what these languages use (`isogloss trim`). "
        f"Other languages are not supported.\n\n{listed}\n"
    )
