"""The products."""

from catalog.pager import Page, paginate


class Store:
    """Products in the order in which they were put in."""

    def __init__(self, page_size: int = 10) -> None:
        self.page_size = page_size
        self._names: list[str] = []

    def put(self, name: str) -> None:
        if name not in self._names:
            self._names.append(name)

    def page(self, number: int) -> Page:
        return paginate(self._names, number, self.page_size)
