"""One process or many: what torchrun or accelerate started, and gradients summed over all of them."""

import atexit
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class Processes:
    """This process among all that train together."""

    rank: int = 0
    number: int = 1
    local_rank: int = 0

    @staticmethod
    def join() -> "Processes":
        """Join the group that torchrun's or accelerate's environment describes, if there is one."""
        number = int(os.environ.get("WORLD_SIZE", "1"))
        if number == 1:
            return Processes()
        if not dist.is_initialized():
            dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
            atexit.register(dist.destroy_process_group)
        return Processes(dist.get_rank(), number, int(os.environ.get("LOCAL_RANK", "0")))

    @property
    def leads(self) -> bool:
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def wait(self) -> None:
        """Go on together."""
        if self.number > 1:
            dist.barrier()

    def follow(self, choices: Sequence[bool]) -> list[bool]:
        """The choices of the first process, in all of them: what each decided alone could differ."""
        if self.number == 1:
            return list(choices)
        on_gpu = dist.get_backend() == "nccl"
        flags = torch.tensor(list(choices), dtype=torch.uint8, device=f"cuda:{self.local_rank}" if on_gpu else "cpu")
        dist.broadcast(flags, 0)
        return [bool(flag) for flag in flags.tolist()]

    def rows(self, total: int) -> slice:
        """This process's part of ``total`` rows."""
        return slice(total * self.rank // self.number, total * (self.rank + 1) // self.number)

    def add_up_gradients(self, loss: Tensor, parameters: Iterable[nn.Parameter]) -> None:
        """Sum the loss and the gradients over all processes, in one message.

        A process without rows of a language has no gradient for its parameters yet, and must take part all the same.
        """
        if self.number == 1:
            return
        parts = [loss]
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            parts.append(parameter.grad)
        flat = torch.cat([part.reshape(-1) for part in parts])
        dist.all_reduce(flat)
        for part, total in zip(parts, torch.split(flat, [part.numel() for part in parts]), strict=True):
            part.copy_(total.view_as(part))
