"""All 13 layers of a 12 x 768 BERT beside what compiled backends need for the last one: OpenVINO and ONNX Runtime.

python benchmarks/backends.py                400 sentences of NTREX in ISOGLOSS_DATA, or made-up text of natural lengths
python benchmarks/backends.py --quick        12 sentences, one repeat
python benchmarks/backends.py --only int8    8-bit products alone
python benchmarks/backends.py --keep FOLDER  keep the model and the exported files, which take minutes, for another run

One thread each, processor time (a shared machine hurts it less than wall-clock time), in turns. Peers read batches of 8
sorted by length, as sentence-transformers does, and pool by mean. A row has the lowest cosines with float32.
The first row has our 8-bit products by themselves, without attention,
normalisation, tokenising and pooling.
Peers whose packages are not there (pip install openvino onnxruntime onnx) have no row.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

import isogloss
from encode import UNIT, build, sentence_transformer, sentences
from isogloss.encoders.devices import cpu_has_vnni
from measure import report_row

BATCH = 8
CALIBRATION = 32  # sentences, which are not among those timed
WORK = "all 13 layers"
PRODUCTS = "its own products, int8"
TYPES = ("float32", "bfloat16", "int8")
Run = Callable[[], np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=TYPES, nargs="+", default=list(TYPES))
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    quick = arguments.quick
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    pool = sentences()[: 400 + CALIBRATION]
    texts = pool[: 12 if quick else 400]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        if not (folder / "config.json").exists():
            build(folder, pool)
        compare(folder, texts, pool[-CALIBRATION:], 1 if quick else 3, arguments.only)


def compare(folder: Path, texts: list[str], calibration: list[str], repeats: int, types: list[str]) -> None:
    """A row for each of our number types beside each backend."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    kinds = [name for name in TYPES if name in types]
    ours = {name: isogloss.Encoder(str(folder), device="cpu", dtype=name) for name in kinds}
    runs: dict[str, Run] = {name: lambda one=one: one.encode(texts) for name, one in ours.items()}
    runs |= dict(library_runs(folder, texts))
    exported = export(folder, tokenizer, calibration) if find_spec("onnx") else {}
    runs |= dict(onnx_runs(exported, tokenizer, texts)) if find_spec("onnxruntime") else {}
    runs |= dict(openvino_runs(exported, tokenizer, texts)) if find_spec("openvino") else {}
    exact = isogloss.Encoder(str(folder), device="cpu", dtype="float32").encode(texts)
    last = runs["sentence-transformers, float32"]()
    runs = {name: run for name, run in runs.items() if any(kind in name for kind in types)}
    if "int8" in ours and cpu_has_vnni():
        runs[PRODUCTS] = lambda: block_products(ours["int8"], sum(map(len, tokenizer(texts)["input_ids"])))
    spent: dict[str, list[float]] = {name: [] for name in runs}
    near: dict[str, float] = {}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.process_time()
            found = run()
            spent[name].append(time.process_time() - start)
            if name != PRODUCTS:
                near[name] = lowest_cosine(found, exact if found.ndim == exact.ndim else last)
    subwords = sum(map(len, tokenizer(texts)["input_ids"]))
    rates = {name: statistics.median(times) * UNIT / subwords for name, times in spent.items()}
    if PRODUCTS in rates:
        work = f"{WORK}, int8; s of one thread for 10,000 subwords"
        report_row(work, PRODUCTS, rates["int8"], rates.pop(PRODUCTS), None, repeats)
    for name in ours:
        work = f"{WORK}, {name} (lowest cosine {near[name]:.4f}); s of one thread for 10,000 subwords"
        for peer in rates.keys() - ours.keys():
            asked = 1.3 if name == "int8" else None
            report_row(
                work, f"{peer}, last layer (lowest cosine {near[peer]:.4f})", rates[name], rates[peer], asked, repeats
            )


def block_products(encoder: isogloss.Encoder, rows: int) -> np.ndarray:
    """The products of all blocks for as many rows, in portions as large as a batch: the time if all else were free."""
    with torch.inference_mode():
        for start in range(0, rows, encoder._reader.budget):
            states = torch.zeros(min(encoder._reader.budget, rows - start), encoder.width, dtype=torch.uint8)
            for block in encoder.model.encoder.layer:
                block.attend(states, block.dtype)
                block.mix(states)
                for forward in block.forwards:
                    forward.outer(forward.inner.activate(states, forward.outer))
    return np.zeros(0)


def lowest_cosine(found: np.ndarray, exact: np.ndarray) -> float:
    sizes = np.linalg.norm(found, axis=-1) * np.linalg.norm(exact, axis=-1)
    return float(((found * exact).sum(axis=-1) / sizes).min())


def library_runs(folder: Path, texts: list[str]) -> Iterator[tuple[str, Run]]:
    exact, lowered = sentence_transformer(str(folder)), sentence_transformer(str(folder)).bfloat16()
    yield "sentence-transformers, float32", lambda: exact.encode(texts, batch_size=BATCH)
    yield (
        "sentence-transformers, bfloat16",
        lambda: lowered.encode(texts, batch_size=BATCH, convert_to_tensor=True).float().numpy(),
    )


def export(folder: Path, tokenizer: Any, calibration: list[str]) -> dict[str, Path]:
    """The model as ONNX files: in float32, with 8-bit products rounded as they come, and calibrated beforehand."""
    kinds = ("float32", "fused", "int8 dynamic", "int8 dynamic, fused", "int8 static")
    files = {name: folder / f"{name}.onnx" for name in kinds}
    wanted = {name: file for name, file in files.items() if name != "fused"}
    if all(file.exists() for file in wanted.values()):
        return wanted
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = tokenizer(["one two", "three"], return_tensors="pt", padding=True)
    names = ["input_ids", "attention_mask"]
    torch.onnx.export(
        LastLayer(model), tuple(inputs[name] for name in names), files["float32"],
        input_names=names, output_names=["states"],
        dynamic_axes={name: {0: "rows", 1: "time"} for name in (*names, "states")}, dynamo=False, opset_version=17,
    )  # fmt: skip
    if not find_spec("onnxruntime"):
        return {"float32": files["float32"]}
    from onnx import TensorProto
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_dynamic,
        quantize_static,
    )
    from onnxruntime.transformers import optimizer

    class Calibration(CalibrationDataReader):
        def __init__(self) -> None:
            self.rows = (feed(tokenizer, [text]) for text in calibration)

        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(self.rows, None)

    fused = optimizer.optimize_model(
        str(files["float32"]), model_type="bert", num_heads=model.config.num_attention_heads,
        hidden_size=model.config.hidden_size, opt_level=1,
    )  # fmt: skip
    fused.save_model_to_file(str(files["fused"]))
    for exact, rounded in (("float32", "int8 dynamic"), ("fused", "int8 dynamic, fused")):
        quantize_dynamic(
            files[exact], files[rounded], weight_type=QuantType.QInt8, per_channel=True,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},  # of fused nodes, whose type it does not infer
        )  # fmt: skip
    quantize_static(
        files["float32"], files["int8 static"], Calibration(), quant_format=QuantFormat.QDQ, per_channel=True,
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"],
        extra_options={"MatMulConstBOnly": True},
    )  # fmt: skip
    return wanted


class LastLayer(torch.nn.Module):
    """The last hidden state by itself."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def feed(tokenizer: Any, texts: list[str]) -> dict[str, np.ndarray]:
    made = tokenizer(texts, return_tensors="np", padding=True)
    return {name: made[name].astype(np.int64) for name in ("input_ids", "attention_mask")}


def pooled(read: Callable[[dict[str, np.ndarray]], np.ndarray], tokenizer: Any, texts: list[str]) -> np.ndarray:
    """Means over all real tokens, longest sentences first."""
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
    rows: dict[int, np.ndarray] = {}
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        inputs = feed(tokenizer, [texts[place] for place in places])
        mask = inputs["attention_mask"][..., None]
        rows.update(zip(places, (read(inputs) * mask).sum(axis=1) / mask.sum(axis=1), strict=True))
    return np.stack([rows[place] for place in range(len(texts))]).astype(np.float32)


def onnx_runs(files: dict[str, Path], tokenizer: Any, texts: list[str]) -> Iterator[tuple[str, Run]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for name, file in files.items():
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        yield (
            f"ONNX Runtime, {name}",
            lambda session=session: pooled(lambda inputs: session.run(None, inputs)[0], tokenizer, texts),
        )


def openvino_runs(files: dict[str, Path], tokenizer: Any, texts: list[str]) -> Iterator[tuple[str, Run]]:
    import openvino

    kinds = {"float32": ("float32", "f32"), "bfloat16": ("float32", "bf16"), "int8 static": ("int8 static", "bf16")}
    for name, (file, hint) in kinds.items():
        if file in files:
            settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": hint}
            request = openvino.Core().compile_model(files[file], "CPU", settings).create_infer_request()
            yield (
                f"OpenVINO, {name}",
                lambda request=request: pooled(lambda inputs: request.infer(inputs)[0], tokenizer, texts),
            )


if __name__ == "__main__":
    sys.exit(main())
