"""Days as text."""

from billing.plan import Plan


def show(plan: Plan, count: int) -> str:
    """The first invoices, one a line."""
    return "\n".join(f"{i + 1}. {day:%d.%m.%Y}" for i, day in enumerate(plan.schedule(count)))
