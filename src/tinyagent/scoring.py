"""Updates' way through the network: score every action of a whole tree in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import Tensor

from tinyagent.model import split_heads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyagent.model import Model
    from tinyagent.tree import TokenTree

__all__ = ["PackedTree", "pack", "tree_log_probs"]


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
        q, k, v = split_heads(padded.view(roots, width, -1), config).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=packed.mask)
        attended = attended.transpose(1, 2).reshape(roots * width, config.width)
        if block is model.blocks[-1]:  # only what predicts an action goes on
            x, attended = x[packed.source], attended[packed.slot[packed.source]]
        else:
            attended = attended[packed.slot]
        x = block.finish(x, attended)
    return -F.cross_entropy(model.logits(x) / temperature, packed.target, reduction="none")
