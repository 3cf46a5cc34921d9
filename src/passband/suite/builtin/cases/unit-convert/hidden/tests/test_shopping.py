import pytest

from kitchen.recipe import Item, Recipe
from kitchen.shopping import shopping_list, show
from kitchen.units import UnitError, convert


def test_scaled_list_in_kilograms():
    cake = Recipe("cake", 4, [Item("flour", 500, "g"), Item("sugar", 200, "g")])
    units = {"flour": "kg", "sugar": "g"}
    assert show(shopping_list(cake.scaled(6), units), units) == "flour 0.75 kg\nsugar 300 g"


def test_sum_of_mixed_units():
    items = [Item("milk", 500, "ml"), Item("milk", 1, "l"), Item("milk", 2, "cup")]
    assert shopping_list(items, {}) == {"milk": pytest.approx(1980)}


def test_litres_to_millilitres():
    assert shopping_list([Item("milk", 1.5, "l")], {"milk": "ml"}) == {"milk": pytest.approx(1500)}


def test_own_units():
    assert shopping_list([Item("salt", 10, "g")], {}) == {"salt": 10}


def test_convert_itself():
    assert convert(2, "kg", "g") == 2000
    assert convert(500, "g", "kg") == 0.5
    assert convert(1, "cup", "ml") == 240


def test_mass_is_not_volume():
    with pytest.raises(UnitError):
        shopping_list([Item("milk", 1, "l")], {"milk": "kg"})


def test_units_asked_for_are_not_changed():
    units = {}
    shopping_list([Item("salt", 10, "g")], units)
    assert units == {}
