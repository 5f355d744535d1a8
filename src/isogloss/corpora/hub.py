"""Data sets on the Hugging Face hub, by id and revision: ``hub:facebook/xnli@main:de``. Never unless asked for."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from isogloss import places
from isogloss.corpora.catalog import CATALOG, PAIRS, TAGGED, TEXT, TREES, Entry
from isogloss.corpora.conllu import parse_tree
from isogloss.corpora.corpus import Source, Tally, part_name
from isogloss.corpora.download_sources import HUB, HUB_SETS, HubName
from isogloss.corpora.labels import refuse_hidden
from isogloss.corpora.pairs import NLI as NLI_LABELS
from isogloss.corpora.pairs import NO_CONSENSUS, NO_GOLD
from isogloss.corpora.records import Pair, Sentence, TaggedSentence, Tree
from isogloss.errors import IsoglossError, missing_extra
from isogloss.languages import language, try_language

NAME = re.compile(r"hub:(?P<id>[^@:]+)(?:@(?P<revision>[^:]+))?(?::(?P<config>.+))?")
ENTITIES = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")  # WikiANN's order
Row = Mapping[str, Any]


class NoAnswerError(IsoglossError):
    """The hub cannot be reached, or does not have what was asked for."""


def is_hub(name: object) -> bool:
    """Whether a name asks for the hub."""
    return isinstance(name, str) and name.startswith(HUB)


def parse_hub(name: str) -> HubName:
    """``hub:id[@revision][:configuration]``"""
    match = NAME.fullmatch(name)
    if match is None:
        raise IsoglossError(f"'{name}' is not the name of a data set", remedy="as in hub:facebook/xnli@main:de")
    return HubName(match["id"], match["revision"], match["config"])


def hub_sources(
    name: HubName, languages: Sequence[str] | None, wanted: str | None = None
) -> tuple[str, list[Source[Any]]]:
    """The kind of records and a stream for every configuration and split."""
    streams: list[Source[Any]] = []
    kind = wanted or ""
    for config, code in _configs(name, languages):
        for split, rows in _splits(name, config).items():
            kind, convert = _converter(rows, name)
            if wanted not in {None, kind}:
                raise IsoglossError(
                    f"holds {kind}, not {wanted}", where=str(name), remedy="name a data set of the kind that is needed"
                )
            read = partial(_read, rows, convert, code, f"{name} {split}")
            streams.append(Source(code, part_name(split.partition("_")[0]), read, identity=f"{name}/{config}/{split}"))
    return kind, streams


def _configs(name: HubName, languages: Sequence[str] | None) -> list[tuple[str | None, str]]:
    """The configurations asked for, each with its language."""
    if name.config is None and languages and len(languages) == 1:
        return [(None, language(languages[0]).code)]
    if name.config and "{code}" not in name.config:
        known = language(languages[0]) if languages else try_language(name.config.rpartition(".")[2])
        if known is None:
            raise IsoglossError(
                f"'{name.config}' does not contain a language", where=str(name), remedy="name one language"
            )
        return [(name.config, known.code)]
    pattern = re.escape(name.config or "{code}").replace(re.escape("{code}"), r"(?P<code>.+)")
    there = {}
    for config in _ask(name, "get_dataset_config_names", name.id, revision=name.revision):
        match = re.fullmatch(pattern, config)
        if match and (known := try_language(match["code"], "wikipedia")):
            there[known.code] = config
    wanted = [language(code).code for code in languages] if languages else list(there)
    if missing := [code for code in wanted if code not in there]:
        raise IsoglossError(f"no language '{missing[0]}'", where=str(name), remedy=f"available: {', '.join(there)}")
    return [(there[code], code) for code in wanted]


def _splits(name: HubName, config: str | None) -> dict[str, Any]:
    found = _ask(name, "load_dataset", name.id, config, revision=name.revision, streaming=True)
    return {str(split): rows for split, rows in found.items()}


def _ask(name: HubName, call: str, *arguments: Any, **options: Any) -> Any:
    """Call ``datasets``; whatever goes wrong there, say which folder would serve instead."""
    try:
        import datasets
    except ImportError:
        missing = missing_extra("hub", "datasets")
        raise IsoglossError(missing.what, where=str(name), remedy=f"{missing.remedy}; or {_instead(name)}") from None
    try:
        return getattr(datasets, call)(*arguments, **options)
    except Exception as error:
        reason = str(error).strip().split("\n")[0][:200]
        raise NoAnswerError(
            f"the Hugging Face hub did not answer ({type(error).__name__}: {reason})",
            where=str(name),
            remedy=_instead(name),
        ) from error


def _instead(name: HubName) -> str:
    known = next((CATALOG[key] for key, hub in HUB_SETS.items() if hub.id == name.id), None)
    if known is None:
        return "give the path of a folder instead, with train-de.tsv, de/train.tsv, de.txt or UD_*/*.conllu in it"
    return folder_instead(known)


def folder_instead(entry: Entry) -> str:
    """Which folder would be used instead of the Hugging Face hub."""
    root = places.data_folder() or "$ISOGLOSS_DATA"
    return f"put the files in {root}/{entry.folders[0]} ({entry.layout}); they come from {entry.home}"


def _converter(rows: Any, name: HubName) -> tuple[str, Callable[[Row, str, int], Any]]:
    """How rows of these columns become records."""
    features = rows.features or {}
    columns = set(features) or set(next(iter(rows), {}))
    if {"tokens", "head", "deprel", "upos"} <= columns:
        return TREES, partial(_tree, _names(features.get("upos")))
    if {"tokens", "ner_tags"} <= columns:
        return TAGGED, partial(_tagged, _names(features.get("ner_tags")) or ENTITIES)
    if "label" in columns and {"premise", "hypothesis"} <= columns:
        return PAIRS, partial(_pair, "premise", "hypothesis", _names(features.get("label")) or NLI_LABELS)
    if "label" in columns and {"sentence1", "sentence2"} <= columns:
        return PAIRS, partial(_pair, "sentence1", "sentence2", ("0", "1"))
    for column in ("text", "sentence"):
        if column in columns:
            return TEXT, partial(_sentence, column)
    raise IsoglossError(
        f"columns {', '.join(sorted(columns))} do not match any known kind of data",
        where=str(name),
        remedy="save the columns you need as CSV or JSON lines and name that file",
    )


def _names(feature: Any) -> tuple[str, ...]:
    """Names of a class label, or of a sequence of them."""
    inner = getattr(feature, "feature", feature)
    return tuple(getattr(inner, "names", None) or ())


def _read(rows: Any, convert: Callable[[Row, str, int], Any], code: str, where: str, tally: Tally) -> Iterator[Any]:
    records = (convert(row, code, number) for number, row in enumerate(_rows(rows, where)))
    kept = (record for record in records if not _without_gold(record, tally))
    return refuse_hidden(kept, _labels, where)


def _rows(rows: Any, where: str) -> Iterator[Row]:
    try:
        yield from rows
    except Exception as error:
        raise IsoglossError(
            f"the Hugging Face hub stopped answering ({error})", where=where, remedy="try again"
        ) from error


def _without_gold(record: Any, tally: Tally) -> bool:
    missing = isinstance(record, Pair) and record.label in NO_GOLD
    tally[NO_CONSENSUS] += missing
    return missing


def _labels(record: Any) -> tuple[str, ...]:
    if isinstance(record, Pair):
        return (record.label,)
    if isinstance(record, Tree):
        return record.upos
    return record.tags if isinstance(record, TaggedSentence) else (record.text,)


def _tree(names: Sequence[str], row: Row, code: str, number: int) -> Tree:
    upos = [names[tag] if isinstance(tag, int) else str(tag) for tag in row["upos"]]
    size = len(upos)
    columns = (row["tokens"], row.get("lemmas") or ["_"] * size, upos, row.get("feats") or ["_"] * size)
    cells = zip(*columns, row["head"], row["deprel"], strict=True)
    # Multiword tokens and empty nodes come as rows without a head.
    words = [cell for cell in cells if str(cell[4]).isdigit()]
    lines = [
        f"{place}\t{form}\t{lemma}\t{tag}\t_\t{feats}\t{head}\t{relation}\t_\t_"
        for place, (form, lemma, tag, feats, head, relation) in enumerate(words, 1)
    ]
    name = str(row.get("idx") or number)
    comments = f"# sent_id = {name}\n" + (f"# text = {row['text']}\n" if row.get("text") else "")
    return parse_tree(comments + "\n".join(lines), code, f"row {number}")


def _tagged(names: Sequence[str], row: Row, code: str, number: int) -> TaggedSentence:
    tags = tuple(names[tag] if isinstance(tag, int) else str(tag) for tag in row["ner_tags"])
    return TaggedSentence(tuple(row["tokens"]), tags, code, str(number))


def _pair(first: str, second: str, names: Sequence[str], row: Row, code: str, number: int) -> Pair:
    label = row["label"]
    named = names[label] if isinstance(label, int) and 0 <= label < len(names) else str(label)
    return Pair(str(row[first]).strip(), str(row[second]).strip(), named, code, str(row.get("id", number)))


def _sentence(column: str, row: Row, code: str, number: int) -> Sentence:
    return Sentence(str(row[column]).strip(), code, str(row.get("id", number)))
