from kitchen.recipe import Item, Recipe
from kitchen.shopping import shopping_list, show


def test_list_in_the_units_of_the_recipe():
    bread = Recipe("bread", 2, [Item("flour", 500, "g"), Item("salt", 10, "g")])
    units = {"flour": "g", "salt": "g"}
    assert show(shopping_list(bread.scaled(4), units), units) == "flour 1000 g\nsalt 20 g"


def test_amounts_add_up():
    items = [Item("milk", 1, "cup"), Item("milk", 2, "cup")]
    assert shopping_list(items, {}) == {"milk": 3}
