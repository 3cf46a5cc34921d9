"""The agent: a network, a tokenizer, and how it plays many episodes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from passband.errors import UsageError
from tinyagent.gym.randomness import uniforms
from tinyagent.inference import KVPool, extend
from tinyagent.model import Model, ModelConfig
from tinyagent.rollouts import Rollouts
from tinyagent.tree import TreeBuilder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tinyagent.gym import BugFixEnv
    from tinyagent.tokenizer import Tokenizer

__all__ = ["Agent", "log_softmax"]


class Agent:
    """A policy with weights.

    Making one puts torch on one thread: with more, sums are rounded in another order, which acts like another seed.
    Whoever wants more sets them afterwards.

    An action is one word, or two where the first is ``edit``: there is nothing to stop that the agent could forget.

    Parameters
    ----------
    tokenizer : Tokenizer
    seed : int
        Of the initial weights.
    device : str
        ``cpu`` or ``cuda``.
    """

    def __init__(self, tokenizer: Tokenizer, *, seed: int = 0, device: str = "cpu") -> None:
        if torch.get_num_threads() != 1:
            torch.set_num_threads(1)
        self.tokenizer = tokenizer
        self.model = Model(ModelConfig(len(tokenizer)), seed).to(device)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.model.words.weight.device

    def rollout(self, envs: Sequence[BugFixEnv], keys: NDArray[np.uint64]) -> Rollouts:
        """Play episodes to their end, all at once.

        The random number of a word is a function of the episode's key and the word's position. Episodes with equal
        prompts share a state until their samples differ, so that the network sees each distinct beginning once.

        Raises
        ------
        UsageError
            Where the harness allows longer episodes than the network, or harnesses differ in temperature.
        """
        play = _Play(self, envs, keys)
        while play.live:
            play.turn()
        return play.finish()


class _State:
    """What some episodes have in common: an environment, a path, and words the network has not seen yet."""

    __slots__ = ("env", "node", "seen", "writing")

    def __init__(self, env: BugFixEnv, node: int, seen: int, *, writing: bool = False) -> None:
        self.env = env
        self.node = node
        self.seen = seen
        """Positions whose keys and values are in the pool."""
        self.writing = writing
        """The last word was ``edit``: one more belongs to the action."""


class _Play:
    """The bookkeeping of one batch of episodes."""

    def __init__(self, agent: Agent, envs: Sequence[BugFixEnv], keys: NDArray[np.uint64]) -> None:
        self.agent = agent
        self.keys = keys
        self.tree = TreeBuilder()
        self.pool = KVPool(agent.model.config, agent.device)
        self.live: list[_State] = []
        self.finished: list[_State] = []
        self.episodes = np.arange(len(envs))  # those that are still going on …
        self.state = np.zeros(len(envs), np.int64)  # … and the state each is in
        self.result = np.zeros(len(envs), np.int64)
        known: dict[tuple[object, ...], int] = {}
        for place, env in enumerate(envs):
            begins = (env.task, env.harness, env.name)
            if begins not in known:
                if env.harness.max_context > agent.model.config.context:
                    raise UsageError(f"the network has {agent.model.config.context} positions", where="max_context")
                known[begins] = len(self.live)
                self.live.append(_State(env, self.tree.add_root(agent.tokenizer.encode(env.reset())), 0))
            self.state[place] = known[begins]
        temperatures = {env.harness.temperature for env in envs}
        if len(temperatures) != 1:
            raise UsageError("a batch has one temperature", where=f"temperatures {sorted(temperatures)}")
        (self.temperature,) = temperatures
        self.paths = np.zeros((len(self.live), agent.model.config.context), np.int64)
        for row, state in enumerate(self.live):
            path = self.tree.path(state.node)
            self.paths[row, : len(path)] = path

    def turn(self) -> None:
        """Let every live episode write one word."""
        tree = self.tree
        length = np.array([tree.position[state.node] + 1 for state in self.live])
        seen = np.array([state.seen for state in self.live])
        self.pool.reserve(len(tree.token))
        logits = extend(self.agent.model, self.pool, np.array(tree.token), self.paths, seen, length)
        logp = log_softmax(logits, self.temperature)
        word = self._sample(logp, length)
        # Every distinct pair of a state and its next word is a new state.
        pairs, inverse = np.unique(self.state * logp.shape[1] + word, return_inverse=True)
        parents, tokens = np.divmod(pairs, logp.shape[1])
        live: list[_State] = []
        origin: list[int] = []
        became = np.zeros(len(pairs), np.int64)
        for place, (parent, token) in enumerate(zip(parents.tolist(), tokens.tolist(), strict=True)):
            state = self._advance(self.live[parent], token, float(logp[parent, token]), int(length[parent]))
            if state.env.done:
                became[place] = -1 - len(self.finished)
                self.finished.append(state)
            else:
                became[place] = len(live)
                live.append(state)
                origin.append(parent)
        self._keep(live, origin, length)
        now = became[inverse]
        ended = now < 0
        self.result[self.episodes[ended]] = -1 - now[ended]
        self.episodes, self.state = self.episodes[~ended], now[~ended]

    def _sample(self, logp: NDArray[np.float64], length: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.temperature == 0.0:
            return np.asarray(logp.argmax(axis=1)[self.state], np.int64)
        cumulative = np.exp(logp).cumsum(axis=1)
        drawn = uniforms(self.keys[self.episodes], length[self.state].astype(np.uint64)) * cumulative[self.state, -1]
        return np.asarray((cumulative[self.state] <= drawn[:, None]).sum(axis=1), np.int64)

    def _advance(self, state: _State, token: int, logp: float, seen: int) -> _State:
        tokenizer = self.agent.tokenizer
        node = self.tree.add(state.node, (token,), is_action=True, logp=logp)
        if token == tokenizer.edit and not state.writing:
            return _State(state.env, node, seen, writing=True)
        env = state.env.fork()
        observation, *_ = env.step(tokenizer.decode((tokenizer.edit, token) if state.writing else (token,)))
        if not env.done:
            node = self.tree.add(node, tokenizer.encode(observation))
        return _State(env, node, seen)

    def _keep(self, live: list[_State], origin: list[int], length: NDArray[np.int64]) -> None:
        """Go on with these states, each grown out of a row of the last turn."""
        self.paths = self.paths[origin]
        for row, (state, parent) in enumerate(zip(live, origin, strict=True)):
            node = state.node
            for position in range(self.tree.position[node], int(length[parent]) - 1, -1):
                self.paths[row, position] = node
                node = self.tree.parent[node]
        self.live = live

    def finish(self) -> Rollouts:
        """Hand over what came out."""
        ends = np.array([state.node for state in self.finished])[self.result]
        return Rollouts(tuple(state.env for state in self.finished), self.result, self.tree.build(ends))


def log_softmax(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Log probabilities at a temperature; at 0 those of temperature 1, since the choice is no longer random.

    Raises
    ------
    FloatingPointError
        For logits that are not finite: a mask or a buffer is wrong, and no episode would show it.
    """
    scaled = logits / (temperature or 1.0)
    shifted = scaled - scaled.max(axis=1, keepdims=True)
    if not np.isfinite(shifted).all():
        raise FloatingPointError("the network's logits are not finite")
    normalised: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalised
