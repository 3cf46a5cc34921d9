"""Tag names."""


def normalise(tag: str) -> str:
    """Lower case, without a leading ``#``; words joined by dashes."""
    name = "-".join(tag.lstrip("#").lower().split())
    if not name:
        raise ValueError(f"{tag!r} is not a tag")
    return name
