from catalog.render import render
from catalog.store import Store


def test_first_page():
    store = Store(page_size=2)
    for name in ["pen", "ink", "cap"]:
        store.put(name)
    assert render(store.page(1)) == "pen\nink\npage 1 of 2 (more)"


def test_a_product_is_listed_once():
    store = Store()
    store.put("pen")
    store.put("pen")
    assert store.page(1).items == ("pen",)
