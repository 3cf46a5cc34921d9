"""The order as text."""

from shop.checkout import Order


def receipt(order: Order) -> str:
    """One line an article, then the total."""
    rows = [f"{line.count} x {line.article} {line.amount / 100:.2f}" for line in order.lines]
    return "\n".join([f"order {order.number}", *rows, f"total {order.total() / 100:.2f}"])
