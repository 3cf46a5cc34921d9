"""Percent escapes."""

SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~=/")


def quote(text: str) -> str:
    """Escape everything but letters, digits and a few signs; a space becomes ``+``."""
    return "".join(
        "+" if byte == 0x20 else chr(byte) if byte in SAFE else f"%{byte:02X}"
        for byte in text.encode()
    )


def unquote(text: str) -> str:
    """Undo ``quote``; a broken escape is left as it is."""
    raw = text.replace("+", " ").encode()
    out = bytearray()
    i = 0
    while i < len(raw):
        pair = raw[i + 1 : i + 3]
        if (
            raw[i] == 0x25
            and len(pair) == 2
            and all(chr(c) in "0123456789abcdefABCDEF" for c in pair)
        ):
            out.append(int(pair, 16))
            i += 3
        else:
            out.append(raw[i])
            i += 1
    return out.decode("utf-8", "replace")
