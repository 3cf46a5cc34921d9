"""Pictures by name."""

from thumbs.cache import Cache
from thumbs.picture import scale


class Gallery:
    """Sizes of pictures, with thumbnails on demand."""

    def __init__(self, sizes: dict[str, tuple[int, int]], capacity: int = 8, box: int = 64) -> None:
        self.sizes = sizes
        self.box = box
        self.cache = Cache(capacity)

    def thumbnail(self, name: str) -> str:
        return self.cache.get(name, self._render)

    def _render(self, name: str) -> str:
        width, height = scale(*self.sizes[name], self.box)
        return f"{name}@{width}x{height}"
