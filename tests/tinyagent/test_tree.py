"""Sums over trees, by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tinyagent.tree import TreeBuilder

EPISODES = st.lists(
    st.tuples(st.sampled_from([1, 2]), st.lists(st.integers(0, 2), max_size=5)), min_size=1, max_size=12
)


@given(EPISODES)
def test_sums_equal_a_walk_over_every_episode(episodes):
    """`through`, `actions_per_episode` and `levels` against the episodes themselves, every odd word an action."""
    builder = TreeBuilder()
    roots, ends = {}, []
    for first, rest in episodes:
        if first not in roots:
            roots[first] = builder.add_root((first,))
        node = roots[first]
        for word in rest:
            node = builder.follow(node, (word,), is_action=word == 1)
        ends.append(node)
    tree = builder.build(np.array(ends))
    values = np.arange(1.0, len(ends) + 1)
    expected = np.zeros(len(tree))
    for end, value, (first, rest) in zip(ends, values, episodes, strict=True):
        path = builder.path(end)
        assert [builder.token[node] for node in path] == [first, *rest]
        expected[path] += value
    np.testing.assert_allclose(tree.through(values), expected)
    assert tree.actions_per_episode.tolist() == [rest.count(1) for _, rest in episodes]
    assert sorted(np.concatenate(tree.levels).tolist()) == list(range(len(tree)))
    assert all((tree.position[nodes] == depth).all() for depth, nodes in enumerate(tree.levels))
    distinct = {(first, *rest[:length]) for first, rest in episodes for length in range(len(rest) + 1)}
    assert len(tree) == len(distinct)


def test_follow_shares_and_roots_do_not():
    """Equal words below one node are one node; equal prompts begun twice are two trees."""
    builder = TreeBuilder()
    one, two = builder.add_root((5, 6)), builder.add_root((5, 6))
    assert one != two
    assert builder.follow(one, (7, 8), is_action=True) == builder.follow(one, (7, 8), is_action=True)
    assert builder.follow(two, (7, 8), is_action=True) != builder.follow(one, (7, 8), is_action=True)
    assert builder.build(np.array([one])).root.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
