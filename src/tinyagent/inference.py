"""Rollouts' way through the network: append words to many episodes at once, on top of kept keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tinyagent.model import split_heads

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from tinyagent.model import Model, ModelConfig

__all__ = ["KVPool", "extend"]


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
        k, v = split_heads(pooled[past_t].view(rows, span, -1), config).unbind(2)
        attended = F.scaled_dot_product_attention(
            split_heads(queries, config).squeeze(2).transpose(1, 2),
            k.transpose(1, 2),
            v.transpose(1, 2),
            attn_mask=mask,
        )
        attended = attended.transpose(1, 2).reshape(rows, -1, config.width)[row_t, offset_t]
        if block is model.blocks[-1]:
            x, attended = x[last_t], attended[last_t]
        x = block.finish(x, attended)
    logits: NDArray[np.float64] = model.logits(x).double().cpu().numpy()
    return logits
