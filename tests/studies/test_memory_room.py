"""The memory that cells need, beside what their models really take; what cannot fit is refused before it begins."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModel

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Local, Store
from isogloss.studies import inspect, locate, transfer
from isogloss.studies.shared import memory_room
from isogloss.studies.shared.memory_room import PROCESS, TRAINED, check_memory, memory_needed
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.opened import openings
from isogloss.studies.study import Results
from isogloss.transfer import FineTune
from isogloss.transfer.settings import Settings

COPIES = 10  # of a layer, that an inspection makes


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch):
    """A machine with as much memory as a test says, all of it free unless it says otherwise."""

    def of(size: float, free: float | None = None) -> None:
        monkeypatch.setattr(memory_room, "physical_memory", lambda: int(size))
        monkeypatch.setattr(memory_room, "available_memory", lambda: int(size if free is None else free))

    return of


def inspection_of(model: Path) -> inspect.Config:
    return inspect.Config(models=(str(model),), data="lab:twins", limit=100, device="cpu")


def sizes_of(plan, store: Store):
    opened = openings(plan.all_cells)
    Inline().run("models", opened, store)
    return {cell.model: Results(store)[cell] for cell in opened}


def bytes_of(model: Path) -> int:
    return sum(parameter.numel() * 4 for parameter in AutoModel.from_pretrained(model).parameters())


def test_an_inspection_needs_weights_and_copies_of_a_layer(tiny_model: Path, store: Store):
    plan = inspect.STUDY.prepare(inspection_of(tiny_model))
    (cell,) = plan.cells
    need = memory_needed(cell, sizes_of(plan, store))
    assert need.weights == bytes_of(tiny_model)
    assert need.training == 0
    assert need.states == COPIES * len(cell.languages) * 100 * 16 * 4
    assert need.total == PROCESS + need.weights + need.states


@pytest.mark.parametrize(
    ("method", "keep", "copies"),
    [("plain", "last", TRAINED - 1), ("plain", "best", TRAINED), ("frozen:0-1", "best", 0), ("linear", "last", 0)],
)
def test_a_training_holds_gradients_and_both_moments(method: str, keep: str, copies: int):
    encoder = name_model("lab:twins@5")
    cell = FineTune(encoder, method=method, settings=Settings(device="cpu", keep=keep))
    need = memory_needed(cell, {})
    assert need.weights == memory_needed(encoder, {}).weights > 0
    assert need.training == copies * need.weights


def test_adam_really_holds_what_is_counted():
    layer = torch.nn.Linear(8, 8)
    optimiser = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(1, 8)).sum().backward()
    optimiser.step()
    moments = [value for state in optimiser.state.values() for value in state.values() if value.dim()]
    held = [*layer.parameters(), *(weight.grad for weight in layer.parameters()), *moments]
    assert sum(one.numel() for one in held) == TRAINED * sum(weight.numel() for weight in layer.parameters())


def test_a_cell_that_cannot_fit_is_refused_before_any_work(tiny_model: Path, store: Store, machine):
    machine(PROCESS + 1e5)
    with pytest.raises(IsoglossError, match=r"needs about .* GB of memory \(weights .*, and this machine has 0\.3 GB"):
        inspect.run(inspection_of(tiny_model), engine=Inline(), store=store)
    assert not any(map(store.has, inspect.STUDY.prepare(inspection_of(tiny_model)).cells))


def test_too_many_workers_are_refused_and_the_number_that_fits_is_named(tiny_model: Path, store: Store, machine):
    plan = locate.STUDY.prepare(
        locate.Config(str(tiny_model), "lab", limit=60, tokens=50, train=40, test=20, seeds=(0, 1, 2), tagging=())
    )
    sizes = sizes_of(plan, store)
    machine(2.6 * PROCESS)
    check_memory(plan.all_cells, Local(2), store, sizes)
    with pytest.raises(IsoglossError, match="3 cells side by side") as error:
        check_memory(plan.all_cells, Local(3), store, sizes)
    assert "--workers 2" in str(error.value)


def test_what_is_close_is_said_and_goes_on(tiny_model: Path, store: Store, machine, capsys):
    plan = inspect.STUDY.prepare(inspection_of(tiny_model))
    sizes = sizes_of(plan, store)
    capsys.readouterr()
    for size, free, said in ((1e12, None, False), (1.1 * PROCESS, None, True), (1e12, PROCESS / 2, True)):
        machine(size, free)
        check_memory(plan.all_cells, Inline(), store, sizes)
        assert ("warning: a cell of this run needs about" in capsys.readouterr().err) == said


def test_nobody_is_refused_where_nobody_can_tell(monkeypatch: pytest.MonkeyPatch, store: Store):
    monkeypatch.setattr(memory_room, "physical_memory", lambda: None)
    plan = transfer.STUDY.prepare(transfer.Config(models=("lab:twins@5",), data="lab:twins"))
    check_memory(plan.all_cells, Inline(), store, {})


def test_a_model_larger_than_the_machine_is_not_even_opened(tiny_model: Path, store: Store, machine, monkeypatch):
    machine(PROCESS + bytes_of(tiny_model) - 1)
    monkeypatch.setattr("isogloss.encoders.encoder.Encoder", lambda *args, **more: pytest.fail("opened"))
    with pytest.raises(IsoglossError, match="a smaller model"):
        inspect.run(inspection_of(tiny_model), engine=Inline(), store=store)


def test_a_cluster_is_not_judged_by_this_machine(tiny_model: Path, store: Store, machine):
    class Elsewhere(Inline):
        here = False

    machine(1)
    plan = inspect.STUDY.prepare(inspection_of(tiny_model))
    check_memory(plan.all_cells, Elsewhere(), store, {})


def test_an_engine_is_told_what_every_cell_needs(tiny_model: Path, store: Store):
    class Asking(Inline):
        def run(self, title, cells, store, memory=None):
            asked.update({cell: memory(cell, False) for cell in cells})
            return super().run(title, cells, store)

    asked: dict = {}
    inspect.run(inspection_of(tiny_model), engine=Asking(), store=store)
    plan = inspect.STUDY.prepare(inspection_of(tiny_model))
    assert asked == {cell: memory_needed(cell, sizes_of(plan, store)).total for cell in plan.cells}


def test_a_training_on_a_clusters_gpus_holds_only_weights_in_the_machines_memory():
    cell = FineTune(name_model("lab:twins@5"), settings=Settings(device="auto"))
    assert memory_needed(cell, {}, gpus=True).training == 0 < memory_needed(cell, {}, gpus=False).training
