import pytest

from shop.cart import Cart
from shop.checkout import Checkout, EmptyCart
from shop.receipt import receipt


def filled():
    cart = Cart()
    cart.add("tea", 350, count=2)
    cart.add("cup", 800)
    return cart


def test_order_keeps_its_lines_when_the_cart_is_emptied():
    cart = filled()
    order = Checkout().place(cart)
    assert [line.article for line in order.lines] == ["tea", "cup"]
    assert order.total() == 1500


def test_reorder_leaves_the_first_order_alone():
    cart = filled()
    desk = Checkout()
    first = desk.place(cart, keep=True)
    cart.add("pot", 2500)
    second = desk.place(cart)
    assert (first.total(), second.total()) == (1500, 4000)


def test_receipt_after_checkout():
    order = Checkout(first_number=12).place(filled())
    assert receipt(order) == "order 12\n2 x tea 7.00\n1 x cup 8.00\ntotal 15.00"


def test_cart_is_empty_after_checkout():
    cart = filled()
    Checkout().place(cart)
    assert cart.total() == 0
    with pytest.raises(EmptyCart):
        Checkout().place(cart)


def test_kept_cart_still_holds_its_lines():
    cart = filled()
    Checkout().place(cart, keep=True)
    assert cart.total() == 1500


def test_orders_are_numbered():
    desk = Checkout(first_number=5)
    assert [desk.place(filled()).number for _ in range(3)] == [5, 6, 7]


def test_count_below_one_is_refused():
    with pytest.raises(ValueError):
        filled().add("tea", 350, count=0)
