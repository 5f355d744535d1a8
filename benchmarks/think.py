"""Active neurons and the logit lens of a decoder with random weights, against a plain pass and the authors' ways.

python benchmarks/think.py            6 layers of width 256, 16,000 entries
python benchmarks/think.py --quick    3 layers of width 64

A ratio below 1 against a plain forward pass is what counting or the lens costs on top: 0.83 is 1.2 times the pass.
"""

import argparse
import random
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from isogloss.encoders import LanguageModel, Lens, count_activations, find_feed_forwards
from measure import interleave, report_row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    layers, width, entries, repeats = (3, 64, 500, 1) if quick else (6, 256, 16_000, 5)
    model = build(layers, width, entries)
    chance = random.Random(0)
    texts = [words(chance, entries, chance.randint(8, 60)) for _ in range(20 if quick else 40)]
    prompts = [words(chance, entries, 60) for _ in range(4 if quick else 12)]
    count_neurons(model, texts, repeats)
    read_layers(model, prompts, repeats)


def count_neurons(model: LanguageModel, texts: list[str], repeats: int) -> None:
    """Counts while reading, against reading alone and against keeping every activation until the end."""
    blocks = find_feed_forwards(model.model)

    def ours() -> Any:
        return count_activations(model.model, model.batches(texts), blocks)

    def plain() -> None:
        with torch.inference_mode():
            for batch in model.batches(texts):
                model.stack.model(**batch.inputs)

    def stored() -> list[torch.Tensor]:
        kept: list[list[torch.Tensor]] = [[] for _ in blocks]
        with torch.inference_mode():
            for batch in model.batches(texts):

                def keep(row: int, text: torch.Tensor = batch.text) -> Any:
                    return lambda _module, _args, output: kept[row].append(
                        torch.nn.functional.silu(output)[text].clone()
                    )

                handles = [block.inner.register_forward_hook(keep(row)) for row, block in enumerate(blocks)]
                model.stack.model(**batch.inputs)
                for handle in handles:
                    handle.remove()
        return [(torch.cat(parts) > 0).sum(0) for parts in kept]

    assert (ours().active == torch.stack(stored()).numpy()).all()
    work = f"activation counts of all neurons, {len(texts)} texts"
    report_row(work, "a plain forward pass", *interleave(ours, plain, repeats), 0.83, repeats)
    report_row(work, "hooks that store activations", *interleave(ours, stored, repeats), 1.0, repeats)


def read_layers(model: LanguageModel, prompts: list[str], repeats: int) -> None:
    """The lens at the last position, against a plain pass and against logits of all positions of all layers."""
    lens = Lens(model)
    asked = [{"word": [7]} for _ in prompts]

    def ours() -> Any:
        return lens.log_probabilities(prompts, asked)

    def plain() -> None:
        with torch.inference_mode():
            for batch in model.batches(prompts):
                model.model(**batch.inputs, logits_to_keep=1)

    def everywhere() -> None:
        with torch.inference_mode():
            for batch in model.batches(prompts):
                states = model.stack.model(**batch.inputs, output_hidden_states=True).hidden_states
                for layer, state in enumerate(states):
                    normed = state if layer == len(states) - 1 else model.stack.model.norm(state)
                    model.model.lm_head(normed).log_softmax(-1)[:, -1, 7]

    work = f"logit lens of all layers, {len(prompts)} prompts of 60 tokens"
    report_row(work, "a plain forward pass", *interleave(ours, plain, repeats), 0.5, repeats)
    report_row(
        work, "logits of every position and layer", *interleave(ours, everywhere, max(1, repeats // 2)), 2.0, repeats
    )


def build(layers: int, width: int, entries: int) -> LanguageModel:
    """A Llama with random weights whose words are numbers."""
    vocabulary = {"<pad>": 0, "<s>": 1, "<unk>": 2} | {f"w{number}": number for number in range(3, entries)}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="<pad>", unk_token="<unk>")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=entries, hidden_size=width, num_hidden_layers=layers, num_attention_heads=8,
        intermediate_size=3 * width, max_position_embeddings=128, pad_token_id=0,
    )  # fmt: skip
    return LanguageModel.from_model(transformers.LlamaForCausalLM(config), tokenizer)


def words(chance: random.Random, entries: int, number: int) -> str:
    return " ".join(f"w{chance.randrange(3, entries)}" for _ in range(number))


if __name__ == "__main__":
    main()
