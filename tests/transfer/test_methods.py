"""Every method by its formula, and by what it must not change."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from isogloss.encoders import Encoder
from isogloss.errors import IsoglossError
from isogloss.tasks.heads import Classifier
from isogloss.transfer import Fitted, Settings, Trainer, parse_methods
from isogloss.transfer.batches import Split
from isogloss.transfer.methods import LDAR, METHODS, Fusion, RandomInit, Reversal, parse_method
from isogloss.transfer.methods.layers import read_layers
from isogloss.transfer.methods.modules.entropy import EntropyPart, confusion
from isogloss.transfer.methods.modules.fusion import FusionPart, watch_gates
from isogloss.transfer.methods.modules.ldar import LDARPart
from isogloss.transfer.methods.modules.masked_norm import MaskedBatchNorm
from isogloss.transfer.methods.modules.reversal import ReversalPart, reverse
from isogloss.transfer.methods.modules.scalar_mix import ScalarMixPart
from isogloss.transfer.methods.modules.subspace import SubspacePart
from isogloss.transfer.methods.subspace import read_dims
from isogloss.transfer.network import Step

Records = dict[str, dict[str, list[Any]]]
Texts = dict[str, list[str]]


def prepare(
    folder: str, records: Records, method: str, texts: Texts | None = None, **settings: Any
) -> tuple[Fitted, Split]:
    chosen = Settings(encoder_rate=1e-3, precision="float32", batch=16, **settings)
    fitted, split, _ = Trainer(folder, "pos", method, chosen, texts=texts or {}).prepare(
        records["pos"]["train"], records["pos"]["dev"]
    )
    return fitted, split


def gradients(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: p.grad.clone() for name, p in module.named_parameters() if p.grad is not None}


# --- what users write


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("entropy:adam=old", "unknown adam 'old'"), ("ldar:alpha=abc", "setting 'alpha': Expected 'float'")],
)
def test_a_wrong_value_is_named_with_its_setting(text: str, complaint: str) -> None:
    with pytest.raises(IsoglossError, match=complaint):
        parse_method(text)


@pytest.mark.parametrize(
    ("text", "layers"), [("1-2", (1, 2)), ("1,3-4", (1, 3, 4)), ("all", (1, 2, 3, 4)), ("0", (0,)), ("last", (4,))]
)
def test_layer_sets_are_written_as_in_the_papers(text: str, layers: tuple[int, ...]) -> None:
    assert read_layers(text, 4) == layers


@pytest.mark.parametrize("text", ["3-1", "5", "x", "1-", ""])
def test_layer_sets_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(IsoglossError):
        read_layers(text, 4)


def test_methods_are_written_with_their_settings_and_joined() -> None:
    assert parse_methods("plain") == ()
    assert parse_methods("random-init:1,3-4+ldar:alpha=0.02,layers=1-4,weights=false") == (
        RandomInit("1,3-4"),
        LDAR(alpha=0.02, layers="1-4", weights=False),
    )
    assert parse_method("fusion:3,gate=gate") == Fusion("3", gate="gate")
    assert parse_method("layer=3") == parse_method("layer:3")
    assert parse_method("reversal:0.3") == Reversal(0.3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fussion:1", "did you mean 'fusion'"),
        ("ldar:alfa=1", "did you mean 'alpha'"),
        ("ldar:alpha=much", "alpha"),
        ("fusion:1,gate=open", "gate"),
        ("plain:1", "unknown setting"),
    ],
)
def test_misspelt_methods_and_settings_are_errors(text: str, message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        parse_methods(text)


def test_every_method_has_a_name_and_a_doc() -> None:
    assert all(kind.name == name and kind.__doc__ for name, kind in METHODS.items())


# --- random-init


def test_random_init_draws_exactly_the_named_layers_anew(model_folder: str, records: Records) -> None:
    from transformers import AutoModel

    old = AutoModel.from_pretrained(model_folder).state_dict()
    new = prepare(model_folder, records, "random-init:1,3")[0].network.encoder.state_dict()
    named = {name for name in old if name.startswith(("encoder.layer.0", "encoder.layer.2"))}
    matrices = {name for name in named if old[name].dim() == 2}  # biases and norms start as constants, drawn or not
    assert all(not torch.equal(old[name], new[name]) for name in matrices)
    assert all(torch.equal(old[name], new[name]) for name in old.keys() - named)


def test_random_init_follows_the_seed(model_folder: str, records: Records) -> None:
    key = "encoder.layer.0.output.dense.weight"
    a, b, c = (
        prepare(model_folder, records, "random-init:1", seed=s)[0].network.encoder.state_dict()[key] for s in (1, 1, 2)
    )
    assert torch.equal(a, b) and not torch.equal(a, c)


# --- scalar mix and fusion


def test_scalar_mix_starts_as_the_mean_and_weighs_by_softmax() -> None:
    part = ScalarMixPart((0, 2))
    hidden = {0: torch.randn(2, 3, 4), 2: torch.randn(2, 3, 4)}
    mask = torch.ones(2, 3, dtype=torch.bool)
    assert torch.allclose(part.states(hidden[2], hidden, mask), (hidden[0] + hidden[2]) / 2, atol=1e-6)
    with torch.no_grad():
        part.weights.copy_(torch.tensor([np.log(3.0), 0.0]))
        part.gamma.fill_(2.0)
    assert torch.allclose(part.states(hidden[2], hidden, mask), 1.5 * hidden[0] + 0.5 * hidden[2], atol=1e-6)


def test_masked_batch_norm_is_batch_norm_over_real_tokens() -> None:
    torch.manual_seed(0)
    ours, theirs = MaskedBatchNorm(5), nn.BatchNorm1d(5)
    tokens, mask = (
        torch.randn(3, 4, 5) * 3 + 1,
        torch.tensor([[True] * 4, [True] * 2 + [False] * 2, [True] + [False] * 3]),
    )
    for _ in range(2):
        out, expected = ours(tokens, mask)[mask], theirs(tokens[mask])
        assert torch.allclose(out, expected, atol=1e-5)
    assert torch.allclose(ours.running_mean, theirs.running_mean, atol=1e-6)
    assert torch.allclose(ours.running_var, theirs.running_var, atol=1e-5)
    assert torch.allclose(ours.eval()(tokens, mask)[mask], theirs.eval()(tokens[mask]), atol=1e-5)


class PaperAIF(nn.Module):
    """AIF as Chen22 writes it, with convolutions and batch norm of torch, for input without padding."""

    def __init__(self, part: FusionPart, width: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList()
        for branch in part.branches:
            first, second = nn.Conv1d(width, width // 4, 1), nn.Conv1d(width // 4, width, 1)
            first.weight.data, first.bias.data = branch.shrink.weight.data[..., None], branch.shrink.bias.data
            second.weight.data, second.bias.data = branch.restore.weight.data[..., None], branch.restore.bias.data
            self.branches.append(
                nn.Sequential(first, nn.BatchNorm1d(width // 4), nn.ReLU(), second, nn.BatchNorm1d(width))
            )

    def forward(self, tokens: torch.Tensor, kinds: tuple[str, str]) -> torch.Tensor:
        channels = tokens.transpose(1, 2)  # batch x width x time
        pooled = channels.mean(2, keepdim=True)
        both = [
            branch(pooled if kind == "global" else channels) for branch, kind in zip(self.branches, kinds, strict=True)
        ]
        return torch.sigmoid(both[0] + both[1]).transpose(1, 2)


@pytest.mark.parametrize("gate", ["literal", "gate"])
@pytest.mark.parametrize(
    ("branches", "kinds"), [("both", ("global", "local")), ("global", ("global",) * 2), ("local", ("local",) * 2)]
)
def test_fusion_is_what_the_equations_say(gate: str, branches: str, kinds: tuple[str, str]) -> None:
    torch.manual_seed(0)
    part = FusionPart(8, 1, 3, gate, branches)  # type: ignore[arg-type]
    twin = PaperAIF(part, 8)
    lower, upper = torch.randn(4, 5, 8), torch.randn(4, 5, 8)
    middle = (lower + upper) / 2
    sigmoid = twin(middle, kinds)
    weight = middle * sigmoid if gate == "literal" else sigmoid
    expected = lower * weight + upper * (1 - weight)
    mask = torch.ones(4, 5, dtype=torch.bool)
    assert torch.allclose(part.states(upper, {1: lower, 3: upper}, mask), expected, atol=1e-5)


def test_gates_are_watched_on_real_tokens_only() -> None:
    torch.manual_seed(0)
    part = FusionPart(8, 1, 2, "gate", "both").eval()
    tokens, mask = torch.randn(2, 5, 8), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).bool()
    with watch_gates(part) as gates:
        weight = part.weigh(tokens, mask)
    assert gates.value == pytest.approx(weight[mask].mean().item(), rel=1e-5)
    part.weigh(tokens, mask)
    assert gates.count == 8 * 8  # nothing is watched any more


@pytest.mark.parametrize("branches", ["both", "global", "local"])
def test_padding_leaks_into_no_mean_and_no_statistic_of_fusion(branches: str) -> None:
    def run(padding: int, value: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        torch.manual_seed(0)
        part = FusionPart(8, 1, 3, "literal", branches)  # type: ignore[arg-type]
        lower, upper = torch.randn(2, 5, 8), torch.randn(2, 5, 8)
        mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
        held = [torch.where(mask[..., None], states, value) for states in (lower, upper)]
        lower, upper = (nn.functional.pad(states, (0, 0, 0, padding), value=value) for states in held)
        wide = nn.functional.pad(mask, (0, padding))
        return part.states(upper, {1: lower, 3: upper}, wide)[:, :5][mask], dict(part.named_buffers())

    plain, statistics = run(0, 0.0)
    padded, others = run(7, 1e3)
    assert torch.allclose(plain, padded, atol=1e-5)
    assert all(torch.allclose(statistics[name], others[name], atol=1e-4) for name in statistics)


def test_fusing_the_last_layer_with_itself_changes_nothing() -> None:
    part = FusionPart(8, 3, 3, "literal", "both")
    last = torch.randn(2, 5, 8)
    assert torch.allclose(part.states(last, {3: last}, torch.ones(2, 5, dtype=torch.bool)), last, atol=1e-5)


# --- L-DAR


def find(fitted: Fitted, kind: type) -> Any:
    return next(part for part in fitted.network.chain if isinstance(part, kind))


def test_ldar_measures_weighted_distance_in_the_language_subspace(
    model_folder: str, records: Records, texts: Texts
) -> None:
    fitted, split = prepare(model_folder, records, "ldar:alpha=0.7,layers=1,3,dims=2", texts)
    part: LDARPart = find(fitted, LDARPart)
    batch = split.collate(np.arange(6))
    network = fitted.network.train()
    step = Step(network, batch)
    assert part.penalty(step.hidden, part.original.of(batch), batch.mask).item() == pytest.approx(0, abs=1e-5)
    with torch.no_grad():
        for parameter in network.encoder.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    moved = Step(network, batch)
    total = 0.0
    with torch.no_grad():
        for layer in (1, 3):
            gap = (moved.hidden[layer] - step.hidden[layer])[batch.mask].numpy()  # tokens x d
            total += np.linalg.norm(gap @ part.map_of(layer).numpy(), axis=1).mean()
        assert network.objective(moved).item() == pytest.approx(moved.task_loss().item() + 0.7 * total, rel=1e-4)
    assert total > 0.01


def test_ldar_weights_are_eigenvalue_shares_or_ones(model_folder: str, records: Records, texts: Texts) -> None:
    weighted = find(prepare(model_folder, records, "ldar:dims=3", texts)[0], LDARPart)
    plain = find(prepare(model_folder, records, "ldar:dims=3,weights=false", texts)[0], LDARPart)
    lengths = plain.map_of(1).norm(dim=0)
    assert torch.allclose(lengths, torch.ones(3), atol=1e-5)  # orthonormal directions
    shares = weighted.map_of(1).norm(dim=0)
    assert shares[0] > 0.99 and shares[1:].max() < 0.01  # two languages: one direction has all of the eigenvalues


def test_ldar_reads_each_sentence_with_the_frozen_copy_once(model_folder: str, records: Records, texts: Texts) -> None:
    fitted, split = prepare(model_folder, records, "ldar", texts)
    part: LDARPart = find(fitted, LDARPart)
    calls: list[int] = []
    compute = part.original.compute
    part.original.compute = lambda batch: (calls.append(1), compute(batch))[1]
    for _ in range(3):
        network_loss = fitted.network.objective(Step(fitted.network, split.collate(np.arange(8))))
    assert len(calls) == 1 and network_loss.requires_grad


def test_ldar_switches_the_encoder_s_dropout_off(model_folder: str, records: Records, texts: Texts) -> None:
    network = prepare(model_folder, records, "ldar", texts)[0].network.train()
    assert not any(module.training for module in network.encoder.modules())
    assert network.head.training


# --- gradient reversal and entropy


def test_reversal_turns_the_language_gradient_around(model_folder: str, records: Records, texts: Texts) -> None:
    fitted, split = prepare(model_folder, records, "reversal:0.5", texts, encoder_dropout=False)
    part: ReversalPart = find(fitted, ReversalPart)
    network = fitted.network.train()
    part.head.eval()
    batch = next(part.batches)
    part.batches = iter([batch] * 3)
    zero = split.collate(np.arange(2))
    zero.targets.fill_(-1)  # no task loss: what arrives is the language head's alone
    network.objective(Step(network, zero)).backward()
    reversed_ones, head = gradients(network.encoder), gradients(part.head)
    network.zero_grad()
    part.head.loss(part.head(Step(network, batch).states, batch.unit_mask), batch.targets).backward()
    for name, plain in gradients(network.encoder).items():
        assert torch.allclose(reversed_ones[name], -0.5 * plain, atol=1e-6), name
    for name, plain in gradients(part.head).items():
        assert torch.allclose(head[name], plain, atol=1e-6), name


def test_reversal_changes_no_value_and_its_strength_may_rise() -> None:
    states = torch.randn(2, 3, requires_grad=True)
    assert torch.equal(reverse(states, 0.3), states)
    head = Classifier(4, 2)
    part = ReversalPart.__new__(ReversalPart)
    nn.Module.__init__(part)
    part.strength, part.schedule, part.head = 0.4, "rising", head
    strengths = [part.strength_at(p) for p in (0.0, 0.2, 1.0)]
    assert strengths[0] == 0 and 0 < strengths[1] < strengths[2] < 0.4 and strengths[2] > 0.399


def test_confusion_is_least_for_equal_probabilities() -> None:
    mask = torch.ones(1, 1, dtype=torch.bool)
    even = confusion(torch.zeros(1, 1, 4), mask).item()
    assert even == pytest.approx(4 * np.log(4))
    for seed in range(5):
        torch.manual_seed(seed)
        assert confusion(torch.randn(1, 1, 4), mask).item() > even


def test_entropy_weighs_both_losses_and_leaves_the_language_head_to_its_own_epochs(
    model_folder: str, records: Records, texts: Texts
) -> None:
    fitted, split = prepare(model_folder, records, "entropy:0.3", texts, encoder_dropout=False, head_rate=1e-2)
    part: EntropyPart = find(fitted, EntropyPart)
    network = fitted.network
    encoder = {name: p.clone() for name, p in network.encoder.named_parameters()}
    head = part.head.out.weight.clone()
    part.before_epoch(network, 0)
    assert not torch.equal(head, part.head.out.weight)
    assert all(torch.equal(encoder[name], p) for name, p in network.encoder.named_parameters())
    network.eval()  # no dropout, so that the parts can be computed again
    languages = next(part.batches)
    part.batches = iter([languages])
    step = Step(network, split.collate(np.arange(4)))
    loss = network.objective(step)
    scores = part.head(Step(network, languages).states, languages.unit_mask)
    expected = 0.7 * step.task_loss() + 0.3 * confusion(scores, languages.unit_mask)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    loss.backward()
    assert part.head.out.weight.grad is None
    assert network.encoder.embeddings.word_embeddings.weight.grad is not None


@pytest.mark.parametrize("method", ["ldar", "reversal", "entropy", "subspace"])
def test_methods_that_tell_languages_apart_ask_for_texts(method: str, model_folder: str, records: Records) -> None:
    with pytest.raises(IsoglossError, match=f"'{method}' needs texts of at least two languages"):
        prepare(model_folder, records, method)


# --- subspace


def test_dimensions_are_written_as_slices() -> None:
    assert read_dims("[2:]", 5, 0).tolist() == [2, 3, 4]
    assert read_dims(":2", 5, 0).tolist() == [0, 1]
    assert read_dims("1:3", 5, 0).tolist() == [1, 2]
    assert len(set(read_dims("random-3", 5, 0).tolist())) == 3
    for text in ("7:", ":9", "random-9", "abc", "2:2"):
        with pytest.raises(IsoglossError):
            read_dims(text, 5, 0)


def test_the_head_sees_only_the_chosen_dimensions(model_folder: str, records: Records, texts: Texts) -> None:
    rest, split = prepare(model_folder, records, "subspace:2:", texts)
    first = find(prepare(model_folder, records, "subspace::2", texts)[0], SubspacePart)
    part: SubspacePart = find(rest, SubspacePart)
    assert rest.network.head.out.in_features == 30
    step = Step(rest.network.eval(), split.collate(np.arange(3)))
    with torch.no_grad():
        expected = step.hidden[3].flatten(0, 1)[step.batch.units] @ part.directions
        assert torch.allclose(step.states, expected, atol=1e-6)
    assert (part.directions.T @ first.directions).abs().max() < 1e-5  # the two parts have nothing in common


def test_languages_are_no_longer_apart_without_their_dimensions(
    model_folder: str, records: Records, texts: Texts
) -> None:
    fitted, _ = prepare(model_folder, records, "subspace:2:", texts)
    part: SubspacePart = find(fitted, SubspacePart)
    encoder = Encoder.from_model(fitted.network.encoder, fitted.reader.tokenizer)
    means = [encoder.encode(texts[code], level="token", layers=[3]).values[:, 0].mean(0) for code in sorted(texts)]
    gap = torch.tensor(means[0] - means[1])
    assert (gap @ part.directions).norm() < 0.1 * gap.norm()
