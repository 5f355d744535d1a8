"""The names a user types for data sets, what each holds, and where it is looked for on this machine."""

from dataclasses import dataclass
from pathlib import Path

from isogloss import places
from isogloss.corpora.download_sources import HUB, command_to_get
from isogloss.errors import IsoglossError, unknown_name

LAB = "lab"


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set that Isogloss knows by name. ``folders`` are tried in turn under the data folder."""

    name: str
    kinds: tuple[str, ...]
    about: str
    languages: str
    licence: str
    home: str
    layout: str
    folders: tuple[str, ...] = ()


TREES, TAGGED, PAIRS, PARALLEL, TEXT = "trees", "tagged", "pairs", "parallel", "text"
DICTIONARY, ALIGNMENTS, VECTORS, TYPOLOGY = "dictionary", "alignments", "vectors", "typology"
NLI, PARAPHRASE = "nli", "paraphrase"  # pairs of one task or the other

_ENTRIES = (
    Entry(
        "ntrex", (PARALLEL,), "news, row-parallel, 1,997 sentences", "128", "CC BY-SA 4.0",
        "https://github.com/MicrosoftTranslator/NTREX", "code.txt, or newstest2019-ref.code.txt",
        ("ntrex", "NTREX", "NTREX-128"),
    ),
    Entry(
        "flores", (PARALLEL,), "encyclopaedic, row-parallel, dev 997 and devtest 1,012 sentences", "about 200",
        "CC BY-SA 4.0", "https://github.com/openlanguagedata/flores", "dev/code.dev, devtest/code.devtest",
        ("flores", "flores200_dataset", "flores101_dataset", "flores_plus"),
    ),
    Entry(
        "tatoeba", (PARALLEL,), "everyday sentences against English, up to 1,000 per pair (LASER's test)", "112",
        "CC BY 2.0 FR", "https://github.com/facebookresearch/LASER", "tatoeba.xxx-eng.xxx and .eng", ("tatoeba",),
    ),
    Entry(
        "tatoeba-text", (TEXT,), "everyday sentences for pretraining, not parallel", "16 and more", "CC BY 2.0 FR",
        "https://tatoeba.org", "code.txt, a line per sentence", ("text/tatoeba", "tatoeba-text"),
    ),
    Entry(
        "bible", (PARALLEL, TEXT), "verses, row-parallel, blank where a translation has none", "5 and more",
        "differs by translation", "https://github.com/christos-c/bible-corpus", "code.txt, a line per verse",
        ("text/bible", "bible"),
    ),
    Entry(
        "ud", (TREES, PARALLEL), "Universal Dependencies, every treebank found", "about 150", "differs by treebank",
        "https://universaldependencies.org", "UD_Language-Treebank/*.conllu", ("ud", "ud-treebanks", "."),
    ),
    Entry(
        "wikiann", (TAGGED,), "silver named entities, a folder per language", "282", "differs; Wikipedia text CC BY-SA",
        "https://github.com/afshinrahimi/mmner", "code/train.tsv: index, token, tag", ("wikiann",),
    ),
    Entry(
        "panx", (TAGGED,), "WikiANN as XTREME ships it", "40", "differs; Wikipedia text CC BY-SA",
        "https://github.com/google-research/xtreme", "train-code.tsv: token, tag", ("panx", "panx_dataset"),
    ),
    Entry(
        "conll2003", (TAGGED,), "gold named entities in newswire", "2 (and es, nl of 2002)", "not free: Reuters corpus",
        "https://www.clips.uantwerpen.be/conll2003/ner/", "code/train.txt: word, pos, chunk, tag",
        ("conll2003", "conll"),
    ),
    Entry(
        "xnli", (PAIRS,), "natural language inference, row-parallel dev and test", "15", "CC BY-NC 4.0",
        "https://github.com/facebookresearch/XNLI", "dev-code.tsv, or xnli.dev.jsonl", ("xnli", "XNLI-1.0"),
    ),
    Entry(
        "mnli", (PAIRS,), "MultiNLI: English training pairs for XNLI", "1", "OANC and others",
        "https://cims.nyu.edu/~sbowman/multinli/", "multinli_1.0_train.jsonl", ("mnli", "multinli", "multinli_1.0"),
    ),
    Entry(
        "pawsx", (PAIRS,), "adversarial paraphrases, row-parallel dev and test", "7", "free with attribution",
        "https://github.com/google-research-datasets/paws", "dev-code.tsv, or code/dev_2k.tsv", ("pawsx", "x-final"),
    ),
    Entry(
        "dictionaries", (DICTIONARY,), "word translations, train and test", "en with de fr it ru and others",
        "differs by set", "https://github.com/codogogo/xling-eval", "xx-yy/*.tsv: source, target", ("dictionaries",),
    ),
    Entry(
        "muse", (DICTIONARY,), "word translations, full, train and test", "45 with English", "CC BY-NC 4.0",
        "https://github.com/facebookresearch/MUSE", "xx-yy.txt, xx-yy.0-5000.txt", ("muse", "MUSE"),
    ),
    Entry(
        "alignments", (ALIGNMENTS,), "gold word alignments", "en-fr, zh-en and others", "differs by set",
        "https://web.eecs.umich.edu/~mihalcea/wpt/", "enfr.src-tgt and enfr.gold", ("alignments",),
    ),
    Entry(
        "fasttext", (VECTORS,), "word vectors", "157", "CC BY-SA 3.0", "https://fasttext.cc",
        "wiki.code.vec, cc.code.300.vec", ("fasttext", "vectors"),
    ),
    Entry(
        "wals", (TYPOLOGY,), "192 typological features, families, genera", "2,660", "CC BY 4.0", "https://wals.info",
        "CLDF: languages, parameters, codes, values", ("wals", "wals/cldf"),
    ),
)  # fmt: skip
CATALOG = {entry.name: entry for entry in _ENTRIES}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a named data set was found. ``treebank`` narrows ``ud``: ``pud``, ``ewt``."""

    name: str
    folder: Path
    entry: Entry | None = None
    treebank: str = ""


def entry_of(name: str) -> tuple[Entry, str] | None:
    """The catalog's entry and, for ``ud-pud`` and its like, the treebank."""
    if name in CATALOG:
        return CATALOG[name], ""
    base, dash, treebank = name.partition("-")
    return (CATALOG["ud"], treebank.lower()) if base == "ud" and dash and treebank else None


def roots() -> tuple[Path, ...]:
    """Folders that data sets are looked for in: the user's (ISOGLOSS_DATA), then what ``data get`` fetched."""
    named = places.data_folder()
    return (*((named,) if named else ()), places.home() / "data")


def find(entry: Entry, treebank: str = "") -> Path | None:
    """The folder of a data set on this machine, or None."""
    for root in roots():
        for folder in entry.folders:
            path = root / folder
            if path.is_dir() and (entry.name != "ud" or treebanks(path, treebank)):
                return path
    return None


def treebanks(folder: Path, treebank: str = "") -> list[Path]:
    """The ``UD_*`` folders in ``folder``, of one treebank name or all."""
    found = (folder,) if folder.name.startswith("UD_") else sorted(folder.glob("UD_*"))
    return [path for path in found if path.is_dir() and path.name.lower().endswith(f"-{treebank}" if treebank else "")]


def locate(name: str | Path) -> Place:
    """Where ``name`` (of the catalog) or a path is; otherwise an error that says which folder would serve."""
    known = entry_of(name) if isinstance(name, str) else None
    if known and (folder := find(*known)):
        return Place(str(name), folder, *known)
    path = Path(name).expanduser()
    if path.is_file() or path.is_dir():
        return Place(str(name), path)
    if path.exists():
        raise IsoglossError(
            "neither a file nor a folder", where=path, remedy="name a file, a folder or a set of 'isogloss data list'"
        )
    if known:
        raise _absent(str(name), *known)
    if str(name).startswith(HUB):
        raise IsoglossError(
            "this kind of data is not read from the hub",
            where=str(name),
            remedy="download its files, and name the folder that they are in",
        )
    if path.parent != Path() or str(name).startswith(".") or path.suffix[1:].isalpha():
        remedy = "paths are relative to the folder that the command runs in" if not path.is_absolute() else None
        raise IsoglossError("no such file or folder", where=path, remedy=remedy)
    raise unknown_name("data set", str(name), [*CATALOG, LAB, "ud-pud", "ud-ewt"])


def is_here(name: str) -> bool:
    """Whether a data set can be found; a name that is not the catalog's is not looked for."""
    known = entry_of(name)
    return known is None or find(*known) is not None or Path(name).expanduser().exists()


def _absent(name: str, entry: Entry, treebank: str) -> IsoglossError:
    inside = f" with UD_*-{treebank.upper()} in it" if treebank else f" ({entry.layout})"
    root = places.data_folder()
    folder = f"{root or '$ISOGLOSS_DATA'}/{entry.folders[0]}"
    set_it = "" if root else ", with ISOGLOSS_DATA naming its parent"
    command = command_to_get(name)
    return IsoglossError(
        f"data set '{name}' is not on this machine",
        remedy=f"put it in {folder}{inside}{set_it}; it comes from {entry.home}"
        + (f"; or fetch it with: {command}" if command else ""),
    )
