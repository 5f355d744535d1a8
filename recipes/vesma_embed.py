"""Turn vesma-embed-v1, a Russian and English sentence encoder shipped as int8 ONNX, into a folder that opens anywhere.

    pip download vesma-memory-server==6.5.0 --no-deps && unzip vesma_memory_server-6.5.0-py3-none-any.whl -d vesma
    pip install onnx
    python recipes/vesma_embed.py vesma/vesma/models/vesma-embed-v1 vesma-embed

The weights (Apache-2.0) are dequantised, scale * (integer - zero point), into a plain BertModel of three layers of 312
dimensions in safetensors. Around it stands a sentence-transformers pipeline as the graph has it: the mean over tokens,
a dense layer to 384 dimensions without bias, and normalisation. Activations, which the graph rounds to int8 too, are
not rounded, so vectors differ a little from those of the ONNX file; with onnxruntime installed the script says by how
much.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

PREFIX = "inner."
SENTENCES = (
    "The cat sleeps on the sofa.",
    "Кошка спит на диване.",
    "Where is the nearest station?",
    "Где ближайшая станция?",
)


def read_tensors(graph: Any) -> dict[str, np.ndarray]:
    """Every constant under its own name, dequantised where it was quantised."""
    from onnx import numpy_helper

    raw = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found: dict[str, np.ndarray] = {}
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in raw:
            number, scale, *zero = (raw[name].astype(np.float64) for name in node.input)
            found[node.output[0]] = scale * (number - (zero[0] if zero else 0.0))
    return found | {name: value for name, value in raw.items() if name not in found}


def name_weights(graph: Any, tensors: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Weights under the names of a BertModel, and the dense layer behind it.

    Embeddings, norms and biases carry their names in the graph; a matrix carries none, but the bias that is added to
    its product does. The matrix that has no bias is the dense layer.
    """
    source = {node.output[0]: node for node in graph.node}

    def origin(name: str) -> Any:
        """The node that made ``name``, past rounding."""
        node = source.get(name)
        while node is not None and node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            name, node = node.input[0], source.get(node.input[0])
        return node

    weights: dict[str, np.ndarray] = {}
    for name, value in tensors.items():
        plain = name.removesuffix("_DequantizeLinear_Output").removesuffix("_dequantized")
        if plain.startswith(PREFIX) and value.ndim and not plain.endswith(("_quantized", "_scale", "_zero_point")):
            weights[plain.removeprefix(PREFIX)] = value
    dense = next(value for value in tensors.values() if value.shape == (384, 312))
    for node in graph.node:
        if node.op_type != "Add":
            continue
        for bias, product in ((node.input[0], node.input[1]), (node.input[1], node.input[0])):
            made, named = origin(product), tensors.get(bias)
            if named is None or made is None or made.op_type != "MatMul" or made.input[1] not in tensors:
                continue
            (name,) = [key for key, value in weights.items() if value is named]
            weights[name.replace(".bias", ".weight")] = tensors[made.input[1]].T
    return weights, dense


def convert(source: Path, out: Path) -> None:
    import onnx

    graph = onnx.load(source / "model.onnx").graph
    tensors = read_tensors(graph)
    weights, dense = name_weights(graph, tensors)
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    entries, width = weights["embeddings.word_embeddings.weight"].shape
    shapes = [tuple(value.tolist()) for value in tensors.values() if value.dtype == np.int64 and value.shape == (4,)]
    heads = next(width // shape[3] for shape in shapes if shape[2] == -1)  # rows, tokens, heads, size of a head
    norm = next(node for node in graph.node if node.op_type == "LayerNormalization")
    epsilon = next(one.f for one in norm.attribute if one.name == "epsilon")
    config = BertConfig(
        vocab_size=entries, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=weights["encoder.layer.0.intermediate.dense.weight"].shape[0],
        max_position_embeddings=len(weights["embeddings.position_embeddings.weight"]), layer_norm_eps=epsilon,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    state = {name: torch.tensor(np.ascontiguousarray(value), dtype=torch.float32) for name, value in weights.items()}
    model.load_state_dict(state)  # strict: every weight is there, and no other
    model.save_pretrained(out)
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    file = str(source / "tokenizer.json")
    PreTrainedTokenizerFast(tokenizer_file=file, model_max_length=256, **special).save_pretrained(out)
    write_pipeline(out, torch.tensor(dense, dtype=torch.float32))


def write_pipeline(out: Path, dense: torch.Tensor) -> None:
    """What stands behind the encoder: mean pooling, a dense layer, normalisation."""
    kinds = ("Transformer", "Pooling", "Dense", "Normalize")
    modules = [
        {
            "idx": place,
            "name": str(place),
            "path": "" if not place else f"{place}_{kind}",
            "type": f"sentence_transformers.models.{kind}",
        }
        for place, kind in enumerate(kinds)
    ]
    width = dense.shape[1]
    files: dict[str, Any] = {
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True},
        "2_Dense/config.json": {
            "in_features": width, "out_features": dense.shape[0], "bias": False,
            "activation_function": "torch.nn.modules.linear.Identity",
        },
    }  # fmt: skip
    for name, content in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    save_file({"linear.weight": dense}, out / "2_Dense" / "model.safetensors")
    (out / "3_Normalize").mkdir(exist_ok=True)


def compare(source: Path, out: Path) -> tuple[list[float], list[float]]:
    """Cosines of our vectors with those of the graph as it is, and of the graph whose activations are not rounded."""
    import onnx
    import onnxruntime
    from tokenizers import Tokenizer

    from isogloss import Encoder

    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    ours = Encoder(str(out), dtype="float32").encode(list(SENTENCES), layers="output")[:, 0]
    graph = onnx.load(source / "model.onnx")
    found = []
    for model in (graph, without_rounding(graph)):
        session = onnxruntime.InferenceSession(model.SerializeToString())
        cosines = []
        for text, vector in zip(SENTENCES, ours, strict=True):
            read = tokenizer.encode(text)
            feed = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
            (output,) = session.run(None, {name: np.array([value], dtype=np.int64) for name, value in feed.items()})
            theirs = np.asarray(output).reshape(-1)
            cosines.append(round(float(vector @ theirs / np.linalg.norm(vector) / np.linalg.norm(theirs)), 4))
        found.append(cosines)
    return found[0], found[1]


def without_rounding(model: Any) -> Any:
    """The same graph with quantised weights, but activations that pass as they are."""
    import onnx

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph = copy.graph
    rounded = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "QuantizeLinear"}
    passed = {
        node.output[0]: rounded[node.input[0]]
        for node in graph.node
        if node.op_type == "DequantizeLinear" and node.input[0] in rounded
    }
    kept = [node for node in graph.node if node.op_type != "QuantizeLinear" and node.output[0] not in passed]
    for node in kept:
        for place, name in enumerate(node.input):
            node.input[place] = passed.get(name, name)
    for output in graph.output:
        if output.name in passed:
            kept.append(onnx.helper.make_node("Identity", [passed[output.name]], [output.name]))
    del graph.node[:]
    graph.node.extend(kept)
    return copy


if __name__ == "__main__":
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    convert(source, out)
    sys.stdout.write(f"wrote {out}\n")
    try:
        rounded, exact = compare(source, out)
        sys.stdout.write(f"cosines with the ONNX file {rounded}, without its rounding of activations {exact}\n")
    except ImportError:
        sys.stdout.write("install onnxruntime to compare with the ONNX file\n")
