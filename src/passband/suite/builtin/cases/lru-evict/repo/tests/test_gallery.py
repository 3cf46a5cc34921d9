from thumbs.gallery import Gallery


def test_thumbnail():
    assert Gallery({"cat": (640, 320)}).thumbnail("cat") == "cat@64x32"


def test_second_look_is_a_hit():
    gallery = Gallery({"cat": (640, 320)})
    gallery.thumbnail("cat")
    gallery.thumbnail("cat")
    assert (gallery.cache.hits, gallery.cache.misses) == (1, 1)
