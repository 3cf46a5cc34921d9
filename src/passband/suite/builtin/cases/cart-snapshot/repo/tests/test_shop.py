from shop.cart import Cart
from shop.checkout import Checkout
from shop.receipt import receipt


def test_total_of_a_cart():
    cart = Cart()
    cart.add("tea", 350, count=2)
    cart.add("cup", 800)
    assert cart.total() == 1500


def test_receipt_while_the_cart_is_kept():
    cart = Cart()
    cart.add("tea", 350)
    order = Checkout(first_number=7).place(cart, keep=True)
    assert receipt(order) == "order 7\n1 x tea 3.50\ntotal 3.50"
