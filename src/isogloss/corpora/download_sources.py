"""Where ``isogloss data get`` finds each set of the catalog: on the hub, in an archive, or a file per language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from isogloss.corpora.contents import CONTENTS
from isogloss.languages import Language

HUB = "hub:"


@dataclass(frozen=True, slots=True)
class HubName:
    """What to ask the hub for. ``config`` may hold ``{code}``, to be filled with a language."""

    id: str
    revision: str | None = None
    config: str | None = None

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        return f"{HUB}{self.id}{revision}" + (f":{self.config}" if self.config else "")


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip or tar on the web; the first group of ``members`` is where a member goes in the set's folder.

    ``contents``: the digest of those members (``contents.py``), where it is known.
    """

    url: str
    members: str
    contents: str | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one language each: their place in the set's folder, and the address.

    Both may hold ``{code}``, ``{name}`` and ``{tatoeba}``. ``become`` says what is made of them: they are ``kept``,
    the last column of a table is a text of ``sentences``, or ``verses`` are brought into step.
    """

    addresses: Mapping[str, str]
    become: Literal["kept", "sentences", "verses"] = "kept"
    without: tuple[str, ...] = ()

    def of(self, language: Language) -> dict[str, str]:
        """Places and addresses for a language."""
        words = {"code": language.base, "name": language.name, "tatoeba": _tatoeba_code(language)}
        return {place.format(**words): url.format(**words) for place, url in self.addresses.items()}


# Where the hub has sets of the catalog, with a configuration a language.
HUB_SETS = {
    "wikiann": HubName("unimelb-nlp/wikiann", None, "{code}"),
    "panx": HubName("google/xtreme", None, "PAN-X.{code}"),
    "xnli": HubName("facebook/xnli", None, "{code}"),
    "mnli": HubName("nyu-mll/multi_nli"),
    "pawsx": HubName("google-research-datasets/paws-x", None, "{code}"),
}

GITHUB = "https://github.com"
META = "https://dl.fbaipublicfiles.com"
ARCHIVES = {
    "ntrex": Archive(
        f"{GITHUB}/MicrosoftTranslator/NTREX/archive/c9f006f2c132c932b83ccd7aaa6a35930dd9c370.zip",
        r"[^/]+/NTREX-128/(newstest2019-(?:src|ref)\.[\w-]+\.txt)",
        CONTENTS["ntrex"],
    ),
    "flores": Archive(
        f"{META}/nllb/flores200_dataset.tar.gz",
        r"(?:\./)?flores200_dataset/((?:dev|devtest)/\w+\.(?:dev|devtest))",
    ),
    "tatoeba": Archive(
        f"{GITHUB}/facebookresearch/LASER/archive/fec5c7d63daa2bea9d127e8252b10e87278586c0.zip",
        r"[^/]+/data/tatoeba/v1/(tatoeba\.\w+-\w+\.\w+)",
        CONTENTS["tatoeba"],
    ),
    "dictionaries": Archive(
        f"{GITHUB}/codogogo/xling-eval/archive/88f037f567a1fb0cb75e5a923d512c57fdef3a10.zip",
        r"[^/]+/bli_datasets/(\w\w-\w\w/[^/]+\.tsv)",
        CONTENTS["dictionaries"],
    ),
    "wals": Archive(
        f"{GITHUB}/cldf-datasets/wals/archive/refs/tags/v2020.3.zip",
        r"[^/]+/(cldf/(?:languages|parameters|codes|values)\.csv)",
    ),
}

UD_RELEASE = "r2.14"
TREEBANKS = {
    "ewt": ("English",),
    "pud": (
        "Arabic", "Chinese", "Czech", "English", "Finnish", "French", "German", "Hindi", "Icelandic", "Indonesian",
        "Italian", "Japanese", "Korean", "Polish", "Portuguese", "Russian", "Spanish", "Swedish", "Thai", "Turkish",
    ),
}  # fmt: skip

MUSE_NAMES = [f"{pair}{part}.txt" for pair in ("en-{code}", "{code}-en") for part in ("", ".0-5000", ".5000-6500")]
FILES = {
    "tatoeba-text": Files(
        {"{code}.txt": "https://downloads.tatoeba.org/exports/per_language/{tatoeba}/{tatoeba}_sentences.tsv.bz2"},
        "sentences",
    ),
    "bible": Files(
        {".{code}.xml": "https://raw.githubusercontent.com/christos-c/bible-corpus/master/bibles/{name}.xml"}, "verses"
    ),
    "muse": Files({name: f"{META}/arrival/dictionaries/{name}" for name in MUSE_NAMES}, without=("en",)),
    "fasttext": Files({"cc.{code}.300.vec.gz": f"{META}/fasttext/vectors-crawl/cc.{{code}}.300.vec.gz"}),
}
# Where Tatoeba has the single language that others call by the name of a group.
_TATOEBA_CODES = {
    "zh": "cmn",
    "fa": "pes",
    "no": "nob",
    "sw": "swh",
    "ms": "zsm",
    "lv": "lvs",
    "mn": "khk",
    "ne": "npi",
}


def treebank_archive(treebank: str) -> Archive:
    """``UD_German-PUD`` as Universal Dependencies' releases have it."""
    url = f"{GITHUB}/UniversalDependencies/{treebank}/archive/refs/tags/{UD_RELEASE}.zip"
    return Archive(url, r"[^/]+/([^/]+\.conllu)", CONTENTS.get(treebank))


def command_to_get(name: str) -> str:
    """The command that fetches a set of the catalog (``ntrex``, ``ud-pud``); empty where a person must."""
    base, _, treebank = name.partition("-")
    if base == "ud":
        return f"isogloss data get ud-{treebank or 'pud'}" if treebank in {"", *TREEBANKS} else ""
    if name in FILES:
        return f"isogloss data get {name} --langs de,fr"
    return f"isogloss data get {name}" if name in {*HUB_SETS, *ARCHIVES} else ""


def _tatoeba_code(language: Language) -> str:
    return _TATOEBA_CODES.get(language.base, language.iso3 or language.base)
