"""The deep biaffine parser's head (Dozat and Manning 2017) on the first subword of each word."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.products import product
from isogloss.tasks.heads import IGNORED, Head, mean_loss
from isogloss.tasks.spanning_trees import decode_trees


class ParserScores(NamedTuple):
    """``arcs`` rate every head of every word (0 is the root); relations are rated once heads are known."""

    arcs: Tensor  # sentences x words x 1 + words
    dependents: Tensor  # sentences x words x relation width
    heads: Tensor  # sentences x 1 + words x relation width


class BiaffineParser(Head[ParserScores]):
    """Four projections and two biaffine forms; the root is a learnt vector."""

    def __init__(
        self,
        width: int,
        relations: int,
        root: int | None,
        arc_width: int = 500,
        relation_width: int = 100,
        dropout: float = 0.33,
    ) -> None:
        super().__init__()
        self.root_relation = root
        self.root = nn.Parameter(torch.randn(width) * 0.02)
        self.arc_dependent, self.arc_head = (_projection(width, arc_width, dropout) for _ in range(2))
        self.relation_dependent, self.relation_head = (_projection(width, relation_width, dropout) for _ in range(2))
        self.arc = nn.Parameter(torch.zeros(arc_width + 1, arc_width))
        self.relation = nn.Parameter(torch.zeros(relations, relation_width + 1, relation_width + 1))

    def forward(self, states: Tensor, mask: Tensor) -> ParserScores:
        root = self.root.to(states.dtype).expand(len(states), 1, -1)
        rooted = torch.cat([root, states], dim=1)
        # s_ij = [d_i; 1]^T U h_j: the added one scores how often j is a head at all
        dependents = _with_one(self.arc_dependent(states))
        dependents = product(dependents, self.arc.t()) if self.fast else dependents @ self.arc
        arcs = dependents @ self.arc_head(rooted).transpose(1, 2)
        allowed = torch.cat([torch.ones_like(mask[:, :1]), mask], dim=1)
        arcs = arcs.float().masked_fill(~allowed[:, None], float("-inf"))
        return ParserScores(arcs, self.relation_dependent(states), self.relation_head(rooted))

    def loss(self, scores: ParserScores, targets: Tensor) -> Tensor:
        """Cross-entropy of heads plus that of relations at the right heads; ``targets``: head, relation."""
        heads, relations = targets.unbind(-1)
        return mean_loss(scores.arcs, heads) + mean_loss(self.rate_relations(scores, heads.clamp(min=0)), relations)

    def rate_relations(self, scores: ParserScores, heads: Tensor) -> Tensor:
        """Relations of each word to the given head: sentences x words x relations."""
        index = heads[..., None].expand(-1, -1, scores.heads.shape[-1])
        chosen, dependents = _with_one(scores.heads.gather(1, index)), _with_one(scores.dependents)
        if self.fast:
            right = product(chosen, self.relation.flatten(0, 1)).view(*heads.shape, *self.relation.shape[:2])
            rated: Tensor = (right * dependents[:, :, None]).sum(-1)
            return rated
        left = torch.einsum("bwi,rij->bwrj", dependents, self.relation.to(dependents.dtype))
        return (left @ chosen[..., None])[..., 0]

    @torch.no_grad()
    def decode(self, scores: ParserScores, mask: Tensor) -> list[NDArray[np.int64]]:
        """Trees with one root; only the root's relation is ``root``, where that relation exists."""
        lengths = mask.sum(1).tolist()
        trees = decode_trees(scores.arcs.detach().float().cpu().numpy(), lengths)
        heads = torch.full(mask.shape, 0, device=mask.device)
        for row, tree in enumerate(trees):
            heads[row, : len(tree)] = torch.from_numpy(tree)
        rated = self.rate_relations(scores, heads)
        if self.root_relation is not None:
            rated[..., self.root_relation] = torch.where(heads == 0, float("inf"), float("-inf"))
        best = rated.argmax(-1)
        both = torch.stack([heads, best], dim=-1).cpu().numpy()
        return [row[:size] for row, size in zip(both, lengths, strict=True)]


def _projection(width: int, out: int, dropout: float) -> nn.Module:
    linear = nn.Linear(width, out)
    nn.init.orthogonal_(linear.weight)
    nn.init.zeros_(linear.bias)
    return nn.Sequential(nn.Dropout(dropout), linear, nn.LeakyReLU(0.1), nn.Dropout(dropout))


def _with_one(vectors: Tensor) -> Tensor:
    return torch.cat([vectors, torch.ones_like(vectors[..., :1])], dim=-1)


__all__ = ["IGNORED", "BiaffineParser", "ParserScores"]
