"""A decoder-only transformer of about 161 thousand weights, read in one sitting.

`Model.forward` is the plain causal transformer. Two faster ways give the same numbers, which the tests hold against it:
:mod:`tinyagent.inference` for rollouts and :mod:`tinyagent.scoring` for updates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from torch import Tensor, nn

__all__ = ["Block", "Model", "ModelConfig", "split_heads"]


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
            q, k, v = split_heads(block.qkv(block.norm_1(x)), self.config).unbind(2)
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


def split_heads(x: Tensor, config: ModelConfig) -> Tensor:
    """Split (…, parts × width) into (…, parts, heads, width / heads)."""
    return x.view(*x.shape[:-1], -1, config.heads, config.width // config.heads)
