"""The models that think reads: any checkpoint, a decoder pretrained on the lab, and one whose thoughts are planted."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.bounds import whole_number
from isogloss.corpora.lab import Lab
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe
from isogloss.pretrain.lab_encoder import EncoderRecord, LabEncoder, LabWorld, lab_encoder
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Model, name_model, place

if TYPE_CHECKING:
    from isogloss.encoders import LanguageModel

CAUSAL, PLANTED = "+causal", "+planted"
SPECIALS = ("<pad>", "<s>", "<unk>")
PLANTED_TEXT = 500  # sentences per language whose words make the vocabulary


@dataclass(frozen=True)
class PlantedDecoder(Cell[EncoderRecord]):
    """A decoder whose weights are set by hand, so that the truth is known.

    Every word is a dimension. Block 1 turns a word of the second language into its translation in the first (the
    pivot), block 2 turns that into the third language. In block 1, ``detectors`` neurons per language fire on the
    words that only this language has, and make the next word one of these more probable.
    """

    name: ClassVar[str] = "planted-decoder"
    record: ClassVar[type] = EncoderRecord
    world: LabWorld = field(default_factory=LabWorld)
    detectors: int = 32

    def label(self) -> str:
        return f"lab:{self.world.preset}, planted"

    def run(self, bench: Bench) -> EncoderRecord:
        lab = self.world.build()
        words, own = planted_words(lab)
        entries = {word: number for number, word in enumerate((*SPECIALS, *words))}
        tokenizer = _tokenizer(entries)
        model = _planted_model(lab, entries, own, self.detectors)
        model.save_pretrained(bench.workspace)
        tokenizer.save_pretrained(bench.workspace)
        return EncoderRecord(steps=0, seconds=0.0, perplexity={})


Decoder = Model | PlantedDecoder


def name_decoder(name: str, revision: str | None = None, seed: int = 0) -> Decoder:
    """The model that ``name`` stands for: what every study knows, and two more of the lab.

    ``lab:twins+causal`` (``lab:twins+causal@500``) is a decoder pretrained on the lab, ``lab:families+planted`` one
    whose weights are set by hand.
    """
    plain, _, steps = name.partition("@")
    if plain.startswith("lab:") and plain.endswith(PLANTED):
        base = name_model(plain.removesuffix(PLANTED), seed=seed)
        assert isinstance(base, LabEncoder)
        return PlantedDecoder(base.world)
    if plain.startswith("lab:") and plain.endswith(CAUSAL):
        if steps and not whole_number(steps):
            raise IsoglossError(f"'{steps}' is not a number of steps", where=name, remedy="write lab:twins+causal@500")
        base = name_model(plain.removesuffix(CAUSAL), seed=seed)
        assert isinstance(base, LabEncoder)
        return _causal(base.world, int(steps) if steps else None)
    return name_model(name, revision, seed)


def _causal(world: LabWorld, steps: int | None) -> LabEncoder:
    masked = lab_encoder(world.preset, world.seed, steps=steps)
    training = {name: getattr(masked.recipe.training, name) for name in ("steps", "warmup")}
    recipe = Recipe.preset("lab-causal").changed(seed=world.seed, training=training if steps else {})
    return replace(masked, recipe=recipe)


def open_decoder(model: Decoder, bench: Bench, device: str, dtype: str) -> "LanguageModel":
    """The language model behind a name, with its head."""
    from isogloss.encoders import LanguageModel

    if isinstance(model, PlantedDecoder):
        return LanguageModel(str(bench.folder(model)), device=device, dtype=dtype)
    folder, revision = place(model, bench)
    return LanguageModel(folder, revision=revision, device=device, dtype=dtype)


def planted_words(lab: Lab) -> tuple[list[str], dict[str, list[str]]]:
    """All words of the lab's first three languages, and for each language those that no other of them has."""
    codes = lab.codes[:3]
    if len(codes) < 3:
        raise IsoglossError("a planted decoder needs three languages", remedy="name lab:families+planted")
    found = {code: set(_words_of(lab, code)) for code in codes}
    spread = Counter(word for words in found.values() for word in words)
    own = {code: sorted(word for word in words if spread[word] == 1) for code, words in found.items()}
    return sorted(spread), own


def _words_of(lab: Lab, code: str) -> list[str]:
    words = [word for line in lab.text(code, PLANTED_TEXT) for word in line.split()]
    others = [other for other in lab.codes[:3] if other != code]
    return words + [entry[0] for other in others for entry in lab.dictionary(code, other).entries]


def _tokenizer(entries: dict[str, int]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pad, start, unknown = SPECIALS
    backend = Tokenizer(models.WordLevel(entries, unk_token=unknown))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.post_processor = processors.TemplateProcessing(
        single=f"{start} $A", special_tokens=[(start, entries[start])]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=backend, pad_token=pad, bos_token=start, unk_token=unknown, model_max_length=64
    )


def _planted_model(lab: Lab, entries: dict[str, int], own: dict[str, list[str]], detectors: int) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    pivot, source, target = lab.codes[:3]
    to_pivot = [(entries[word], entries[answer]) for answer, word in lab.dictionary(pivot, source).entries]
    to_target = [(entries[word], entries[answer]) for word, answer in lab.dictionary(pivot, target).entries]
    groups = [[entries[word] for word in words] for words in own.values()]
    size, heads = len(entries), 4
    width = -(-(size + len(groups)) // (2 * heads)) * 2 * heads  # a dimension per word and per language, rounded up
    config = LlamaConfig(
        vocab_size=size, hidden_size=width, num_hidden_layers=2, num_attention_heads=heads,
        intermediate_size=max(len(to_pivot), len(to_target)) + len(groups) * detectors, max_position_embeddings=64,
        tie_word_embeddings=False, pad_token_id=0, bos_token_id=1, eos_token_id=0, hidden_act="silu",
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.train(False)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.fill_(0.5 if name == "model.norm.weight" else 1.0)
        model.model.embed_tokens.weight.copy_(torch.eye(size, width))
        model.lm_head.weight.copy_(torch.eye(size, width))
        first, second = (layer.mlp for layer in model.model.layers)
        _plant(first, [([read], write, 2.0) for read, write in to_pivot], 0)
        _plant(second, [([read], write, 6.0) for read, write in to_target], 0)
        for number, words in enumerate(groups):
            model.lm_head.weight[words, size + number] = 0.5
            neurons = [(words, size + number, 1.0 / detectors)] * detectors
            _plant(first, neurons, len(to_pivot) + number * detectors)
    return model


def _plant(mlp: Any, neurons: list[tuple[list[int], int, float]], start: int) -> None:
    """Neurons from number ``start`` on that fire on any of some dimensions and write another, this loud.

    After the normalisation a single word has the size sqrt(d), so the value of a neuron that reads it is about d.
    """
    width = mlp.gate_proj.weight.shape[1]
    for neuron, (read, write, loudness) in enumerate(neurons, start):
        mlp.gate_proj.weight[neuron, read] = mlp.up_proj.weight[neuron, read] = 1.0
        mlp.down_proj.weight[write, neuron] = loudness / width
