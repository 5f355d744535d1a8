"""What a Ray cluster has, and what a cell asks of it: CPUs, memory, a GPU."""

from dataclasses import dataclass
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.runs.cells import Cell
from isogloss.runs.plan import Plan
from isogloss.runs.resources import resources_of, threads_of

GIGABYTE = 10**9


@dataclass(frozen=True)
class Supply:
    """CPUs and GPUs of all machines that are there now, and the CPUs and the bytes of memory of the largest one.

    ``memory`` is what Ray may hand out there (``ray start --memory``); 0: unknown.
    """

    cpus: int
    gpus: int = 0
    largest: int = 1
    memory: int = 0

    @classmethod
    def of(cls, ray: Any) -> "Supply":
        machines = [machine["Resources"] for machine in ray.nodes() if machine["Alive"]]
        return cls(
            cpus=sum(int(one.get("CPU", 0)) for one in machines),
            gpus=sum(int(one.get("GPU", 0)) for one in machines),
            largest=max((int(one.get("CPU", 1)) for one in machines), default=1),
            memory=max((int(one.get("memory", 0)) for one in machines), default=0),
        )


def check_memory(plan: Plan, supply: Supply) -> None:
    """Refuse, before any work, a cell that no machine of the cluster can hold."""
    needs = {key: plan.memory(cell, supply.gpus > 0) for key, cell in plan.open_cells.items()}
    largest = max(needs, key=lambda key: needs[key], default="")
    if supply.memory and largest and needs[largest] > supply.memory:
        raise IsoglossError(
            f"'{plan.labels[largest]}' needs about {needs[largest] / GIGABYTE:,.1f} GB of memory, and the largest "
            f"machine of this Ray cluster offers {supply.memory / GIGABYTE:,.1f} GB",
            remedy="take a smaller model or fewer sentences, or add a machine with more memory "
            "('ray start --memory BYTES' says how much it offers)",
        )


def task_options(cell: Cell[Any], supply: Supply, memory: int = 0) -> dict[str, Any]:
    """What a cell asks of the cluster; ``memory`` is the bytes it needs, 0 if unknown."""
    wanted = resources_of(cell)
    if wanted.device.startswith("cuda:"):
        raise IsoglossError(
            "Ray assigns GPUs itself", where=f"device '{wanted.device}' of '{cell.label()}'", remedy="--device cuda"
        )
    if wanted.wants_gpu and not supply.gpus:
        raise IsoglossError(
            "this cluster has no GPU", where=f"device 'cuda' of '{cell.label()}'", remedy="--device auto or cpu"
        )
    return {
        "num_cpus": max(1, min(threads_of(cell), supply.largest)),
        "num_gpus": 1 if wanted.may_use_gpu and supply.gpus else 0,
        "memory": min(memory, supply.memory) or None,  # the largest machine may have left since the run began
        "max_retries": 0,  # the engine tries again itself, and knows which cells kill their workers
    }
