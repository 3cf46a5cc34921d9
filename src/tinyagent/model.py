"""A decoder-only transformer of about 160 thousand weights, read in one sitting.

Two ways in: :func:`extend` appends words to many episodes at once and keeps keys and values (rollouts);
:func:`tree_log_probs` scores every action of a whole tree in one pass (updates). Both are the same function of a node's
path, which the tests hold against the plain causal transformer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import Tensor, nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyagent.tree import TokenTree

__all__ = ["KVPool", "Model", "ModelConfig", "PackedTree", "extend", "pack", "tree_log_probs"]


@dataclass(frozen=True)
class ModelConfig:
    """Shape of the network."""

    vocabulary: int
    context: int = 96
    """Longest episode, in words."""
    width: int = 64
    layers: int = 3
    heads: int = 4


class Block(nn.Module):
    """Attention, then a perceptron, each on the normalised residual stream (pre-norm)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        d = config.width
        self.norm_1 = nn.LayerNorm(d, bias=False)
        self.norm_2 = nn.LayerNorm(d, bias=False)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.proj = nn.Linear(d, d, bias=False)
        self.up = nn.Linear(d, 4 * d, bias=False)
        self.down = nn.Linear(4 * d, d, bias=False)

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        """Add what attention brought, then the perceptron."""
        x = x + self.proj(attended)
        added: Tensor = self.down(F.gelu(self.up(self.norm_2(x)), approximate="tanh"))
        return x + added


class Model(nn.Module):
    """The network; the output layer shares the weights of the word embedding.

    Parameters
    ----------
    config : ModelConfig
    seed : int
        Of the initial weights: embeddings N(0, 0.02²), inner layers scaled to their fan-in, and the two layers that
        write into the residual stream divided by the root of their number (Radford et al., 2019).
    """

    def __init__(self, config: ModelConfig, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        self.words = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width, bias=False)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() > 1:
                    weight.copy_(torch.randn(weight.shape, generator=generator) * _scale(name, config))

    def layers(self) -> list[Block]:
        """The blocks, as what they are."""
        return [block for block in self.blocks if isinstance(block, Block)]

    def embed(self, token: Tensor, position: Tensor) -> Tensor:
        """Words and places as vectors."""
        vectors: Tensor = self.words(token) + self.positions(position)
        return vectors

    def logits(self, x: Tensor) -> Tensor:
        """Scores of the next word."""
        return F.linear(self.norm(x), self.words.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        """Score the next word everywhere: the plain causal transformer, the yardstick of the two fast ways.

        Parameters
        ----------
        tokens : Tensor of int64, shape (batch, length)

        Returns
        -------
        Tensor, shape (batch, length, vocabulary)
        """
        batch, length = tokens.shape
        x = self.embed(tokens, torch.arange(length, device=tokens.device))
        for block in self.layers():
            q, k, v = _heads(block.qkv(block.norm_1(x)), self.config).unbind(2)
            attended = F.scaled_dot_product_attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True
            )
            x = block.finish(x, attended.transpose(1, 2).reshape(batch, length, -1))
        return self.logits(x)


def _scale(name: str, config: ModelConfig) -> float:
    if name.endswith(("proj.weight", "down.weight")):
        return 0.02 / math.sqrt(2 * config.layers)
    if name.endswith(("qkv.weight", "up.weight")):
        return 0.6 / math.sqrt(config.width)
    return 0.02


def _heads(x: Tensor, config: ModelConfig) -> Tensor:
    """Split (…, parts × width) into (…, parts, heads, width / heads)."""
    return x.view(*x.shape[:-1], -1, config.heads, config.width // config.heads)


class KVPool:
    """Keys and values of the nodes of a growing tree, one row a node and layer.

    Branching copies nothing: a child finds its ancestors' rows by their numbers.
    """

    def __init__(self, config: ModelConfig, device: torch.device) -> None:
        self._shape = (2 * config.width,)
        # Zeros, not whatever the memory holds: a masked NaN is a NaN still.
        self.rows = [torch.zeros(1024, *self._shape, device=device) for _ in range(config.layers)]

    def reserve(self, nodes: int) -> None:
        """Make room for so many nodes."""
        if nodes > len(self.rows[0]):
            more = max(nodes, 2 * len(self.rows[0])) - len(self.rows[0])
            self.rows = [torch.cat([rows, rows.new_zeros(more, *self._shape)]) for rows in self.rows]


@torch.no_grad()
def extend(
    model: Model,
    pool: KVPool,
    token: NDArray[np.int64],
    paths: NDArray[np.int64],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Append words to episodes and score what may come next.

    Parameters
    ----------
    model, pool
        The network and the keys and values of all nodes before `start`.
    token : ndarray of int64, shape (nodes,)
        Word of every node of the tree.
    paths : ndarray of int64, shape (rows, longest)
        Nodes of each episode from its root on; what lies at or behind `stop` is not looked at.
    start, stop : ndarray of int64, shape (rows,)
        Positions start … stop − 1 of each row are new; at least one is.

    Returns
    -------
    ndarray of float64, shape (rows, vocabulary)
        Logits after each row's last word.
    """
    config, device = model.config, pool.rows[0].device
    rows, span = len(paths), int(stop.max())
    new = stop - start
    row = np.repeat(np.arange(rows), new)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(new) - new, new)
    position = start[row] + offset
    node = paths[row, position]
    past = paths[:, :span].copy()
    past[np.arange(span) >= stop[:, None]] = 0

    def on_device(array: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(array).to(device)

    row_t, offset_t, position_t, node_t = on_device(row), on_device(offset), on_device(position), on_device(node)
    past_t, last_t = on_device(past).flatten(), on_device(np.cumsum(new) - 1)
    queries = torch.zeros(rows, int(new.max()), config.width, device=device)
    reach = torch.zeros(rows, int(new.max()), dtype=torch.int64, device=device)
    reach[row_t, offset_t] = position_t
    mask = (torch.arange(span, device=device) <= reach[:, :, None])[:, None]
    x = model.embed(on_device(token[node]), position_t)
    for block, pooled in zip(model.layers(), pool.rows, strict=True):
        q, kv = block.qkv(block.norm_1(x)).split([config.width, 2 * config.width], dim=1)
        pooled[node_t] = kv
        queries[row_t, offset_t] = q
        k, v = _heads(pooled[past_t].view(rows, span, -1), config).unbind(2)
        attended = F.scaled_dot_product_attention(
            _heads(queries, config).squeeze(2).transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=mask
        )
        attended = attended.transpose(1, 2).reshape(rows, -1, config.width)[row_t, offset_t]
        if block is model.blocks[-1]:
            x, attended = x[last_t], attended[last_t]
        x = block.finish(x, attended)
    logits: NDArray[np.float64] = model.logits(x).double().cpu().numpy()
    return logits


class PackedTree(NamedTuple):
    """A tree as tensors: the nodes whose vectors are needed, and the actions that are scored."""

    token: Tensor
    position: Tensor
    slot: Tensor
    """Place of each node in the padded (root, node of the root) layout of attention."""
    mask: Tensor
    """Shape (roots, 1, N, N): who sees whom, which is ancestors and oneself."""
    source: Tensor
    """Node before each scored action."""
    target: Tensor
    """Word of each scored action."""


def pack(tree: TokenTree, scored: NDArray[np.int64], device: torch.device) -> PackedTree:
    """Prepare the scoring of some action nodes of a tree.

    Parameters
    ----------
    tree : TokenTree
    scored : ndarray of int64
        Action nodes. Only what lies on a path to one of them is computed.
    device : torch.device
    """
    needed = np.zeros(len(tree), np.bool_)
    needed[tree.parent[scored]] = True
    for nodes in reversed(tree.levels[1:]):
        needed[tree.parent[nodes[needed[nodes]]]] = True
    kept = np.flatnonzero(needed)
    _, root = np.unique(tree.root[kept], return_inverse=True)
    by_root = np.argsort(root, kind="stable")
    kept, root = kept[by_root], root[by_root]
    size = np.bincount(root)
    local = np.arange(len(kept)) - np.repeat(np.cumsum(size) - size, size)
    place = np.zeros(len(tree), np.int64)
    place[kept] = np.arange(len(kept))
    width = int(size.max())
    mask = np.zeros((len(size), width, width), np.bool_)
    mask[:, np.arange(width), np.arange(width)] = True  # padding sees itself: a row without a key has no softmax
    for nodes in tree.levels[1:]:
        own = place[nodes[needed[nodes]]]
        parent = place[tree.parent[nodes[needed[nodes]]]]
        mask[root[own], local[own]] |= mask[root[parent], local[parent]]

    def on_device(array: NDArray[np.int64] | NDArray[np.bool_]) -> Tensor:
        return torch.from_numpy(array).to(device)

    return PackedTree(
        token=on_device(tree.token[kept]),
        position=on_device(tree.position[kept]),
        slot=on_device(root * width + local),
        mask=on_device(mask)[:, None],
        source=on_device(place[tree.parent[scored]]),
        target=on_device(tree.token[scored]),
    )


def tree_log_probs(model: Model, packed: PackedTree, temperature: float = 1.0) -> Tensor:
    """Log probability of every scored action, each given its path.

    Linear layers run on the nodes as they are, attention on a padded copy.

    Returns
    -------
    Tensor, shape (scored actions,)
    """
    config = model.config
    roots, width = packed.mask.shape[0], packed.mask.shape[-1]
    x = model.embed(packed.token, packed.position)
    for block in model.layers():
        qkv = block.qkv(block.norm_1(x))
        padded = qkv.new_zeros(roots * width, 3 * config.width).index_copy(0, packed.slot, qkv)
        q, k, v = _heads(padded.view(roots, width, -1), config).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=packed.mask)
        attended = attended.transpose(1, 2).reshape(roots * width, config.width)
        if block is model.blocks[-1]:  # only what predicts an action goes on
            x, attended = x[packed.source], attended[packed.slot[packed.source]]
        else:
            attended = attended[packed.slot]
        x = block.finish(x, attended)
    return -F.cross_entropy(model.logits(x) / temperature, packed.target, reduction="none")
