import pytest

from thumbs.cache import Cache
from thumbs.gallery import Gallery


def looked_at(cache, *keys):
    for key in keys:
        cache.get(key, str.upper)
    return [key for key in "abcde" if key in cache]


def test_oldest_is_dropped():
    assert looked_at(Cache(2), "a", "b", "c") == ["b", "c"]


def test_recently_used_stays():
    assert looked_at(Cache(2), "a", "b", "a", "c") == ["a", "c"]


def test_cache_of_one():
    cache = Cache(1)
    assert looked_at(cache, "a", "b", "b") == ["b"]
    assert (cache.hits, cache.misses) == (1, 2)


def test_limit_is_kept():
    cache = Cache(3)
    looked_at(cache, "a", "b", "c", "d", "e")
    assert len(cache) == 3


def test_full_cache_drops_nothing_on_a_hit():
    assert looked_at(Cache(3), "a", "b", "c", "a", "b") == ["a", "b", "c"]


def test_failing_make_leaves_no_entry():
    gallery = Gallery({"a": (1, 1)})
    with pytest.raises(KeyError):
        gallery.thumbnail("nope")
    assert "nope" not in gallery.cache


def test_values_come_from_make():
    cache = Cache(1)
    assert [cache.get(key, str.upper) for key in "aba"] == ["A", "B", "A"]


def test_empty_cache_is_refused():
    with pytest.raises(ValueError):
        Cache(0)
