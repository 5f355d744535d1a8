"""Stand-ins for every data set that a paper's preset names: all languages, a few made-up sentences each."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel


def read_codes(text: str) -> list[str]:
    return [text[place : place + 2] for place in range(0, len(text), 2)]


# Languages of each set, two letters each.
XTREME_POS = read_codes("afarbgdeeleneseteufafifrhehihuiditjakkkomrnlptrutatethtltrurviyozh")
XTREME_NER = read_codes("enafarbgbndeeleseteufafifrhehihuiditjajvkakkkomlmrmsmynlptruswtatethtltruryovizh")
XNLI = read_codes("arbgdeelenesfrhiruswthtrurvizh")
PAWSX = read_codes("deenesfrjakozh")
PUD = read_codes("arcsdeenesfifrhiiditjaplptrutrzh")
WIKIANN = sorted({*PUD, "sl"})
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PARALLEL_ROWS = 24  # similarities want at least twenty
TREES = (("NOUN", 2, "nsubj"), ("VERB", 0, "root"), ("PROPN", 2, "obj"))
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_all(root: Path) -> Path:
    """A folder for ISOGLOSS_DATA with all of them."""
    write_treebanks(root / "ud")
    for code in WIKIANN:
        write_entities(root / "wikiann" / code, code, ("train.tsv", "dev.tsv", "test.tsv"))
    for code in XTREME_NER:
        parts = ("train", "dev", "test") if code in ("en", "de", "zh") else ("dev", "test")
        write_entities(root / "panx", code, [f"{part}-{code}.tsv" for part in parts])
    write_entities(root / "conll2003" / "en", "en", ("train.txt", "dev.txt", "test.txt"), extra="MISC")
    for code in XNLI:
        write_pairs(root / "xnli", code, ("dev", "test"), ("entailment", "neutral", "contradiction"))
    write_mnli(root / "mnli")
    for code in PAWSX:
        write_pairs(root / "pawsx", code, ("train", "dev", "test") if code == "en" else ("dev", "test"), ("0", "1"))
    for code in ("en", "fr", "de", "ru", "zh"):
        write_lines(root / "ntrex" / f"{code}.txt", code, PARALLEL_ROWS)
    return root


def write_treebanks(root: Path) -> None:
    every = ("train", "dev", "test")
    for code in PUD:
        write_trees(root / f"UD_{code.title()}-PUD", f"{code}_pud", ("test",), PARALLEL_ROWS)
    for code, bank in (
        ("en", "EWT"),
        ("ar", "PADT"),
        ("sl", "SSJ"),
        ("en", "ParTUT"),
        ("fr", "ParTUT"),
        ("en", "LinES"),
    ):
        write_trees(root / f"UD_{code.title()}-{bank}", f"{code}_{bank.lower()}", every, 3)
    for code in ("ru", "fr", "zh", "de"):
        write_trees(root / f"UD_{code.title()}-GSD", f"{code}_gsd", every, 3)
    for code in XTREME_POS:
        write_trees(root / f"UD_{code.title()}-Standin", f"{code}_standin", every, 3)


def word(code: str, number: int) -> str:
    return code + LETTERS[number % 26] + LETTERS[number // 26 % 26]


def write_trees(folder: Path, stem: str, parts: Iterable[str], sentences: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    code = stem.partition("_")[0]
    for part in parts:
        blocks = []
        for number in range(sentences):
            words = [word(code, number + place) for place in range(len(TREES))]
            lines = [
                f"{place}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_"
                for place, (form, (tag, head, relation)) in enumerate(zip(words, TREES, strict=True), start=1)
            ]
            head = f"# sent_id = n{number}\n# text = {' '.join(words)}\n"
            blocks.append(head + "\n".join(lines) + "\n\n")
        (folder / f"{stem}-ud-{part}.conllu").write_text("".join(blocks), encoding="utf-8")


def write_entities(folder: Path, code: str, names: Sequence[str], extra: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tags = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"] + ([f"B-{extra}"] if extra else [])
    block = "".join(f"{word(code, place)}\t{tag}\n" for place, tag in enumerate(tags))
    for name in names:
        (folder / name).write_text(f"{block}\n{block}\n", encoding="utf-8")


def write_pairs(folder: Path, code: str, parts: Iterable[str], labels: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        rows = [
            f"{word(code, n)} {word(code, n + 1)} {part}\t{word(code, n + 2)} x\t{labels[n % len(labels)]}\n"
            for n in range(PARALLEL_ROWS)
        ]
        (folder / f"{part}-{code}.tsv").write_text("".join(rows), encoding="utf-8")


def write_mnli(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    labels = ("entailment", "neutral", "contradiction")
    rows = [
        json.dumps(
            {"gold_label": labels[n % 3], "sentence1": word("en", n), "sentence2": word("en", n + 1), "pairID": n}
        )
        for n in range(30)
    ]
    for part in ("train", "dev_matched"):
        (folder / f"multinli_1.0_{part}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_lines(path: Path, code: str, rows: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{word(code, n)} {word(code, n + 5)} {word(code, 2 * n)}\n" for n in range(rows))
    path.write_text("".join(lines), encoding="utf-8")


def write_model(folder: Path, layers: int = 12) -> Path:
    """A random BERT of the named depth, 8 wide, that spells words in letters."""
    pieces = [*SPECIAL, *LETTERS, *("##" + letter for letter in LETTERS)]
    backend = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(pieces), max_position_embeddings=160, **_tiny(layers))
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_xlmr(folder: Path, layers: int = 12) -> Path:
    """A random XLM-R of the named depth, 8 wide: its own architecture and kind of subwords, in letters."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "\u2581", *LETTERS, "<mask>"]
    backend = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=3))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        cls_token="<s>", sep_token="</s>", mask_token="<mask>", model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
    torch.manual_seed(0)
    config = XLMRobertaConfig(vocab_size=len(pieces), max_position_embeddings=162, **_tiny(layers))
    XLMRobertaModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tiny(layers: int) -> dict[str, int]:
    return {"hidden_size": 8, "num_hidden_layers": layers, "num_attention_heads": 2, "intermediate_size": 8}
