"""Turning a cart into an order."""

from shop.cart import Cart, Line


class EmptyCart(Exception):
    """There is nothing to order."""


class Order:
    """A numbered order; its lines are what was paid for."""

    def __init__(self, number: int, lines: list[Line]) -> None:
        self.number = number
        self.lines = lines

    def total(self) -> int:
        return sum(line.amount for line in self.lines)


class Checkout:
    """Places orders and numbers them."""

    def __init__(self, first_number: int = 1) -> None:
        self._next = first_number

    def place(self, cart: Cart, *, keep: bool = False) -> Order:
        """Order what is in the cart, and empty it unless told to keep it."""
        if not cart.lines:
            raise EmptyCart("the cart is empty")
        order = Order(self._next, cart.lines)
        self._next += 1
        if not keep:
            cart.clear()
        return order
