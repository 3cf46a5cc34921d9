import tinyagent


def test_every_public_name_is_there():
    """Names that are imported when they are asked for all exist, and none is hidden by a module of its name."""
    assert not [name for name in tinyagent.__all__ if getattr(tinyagent, name).__class__.__name__ == "module"]
