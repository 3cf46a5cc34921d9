"""Pages as plain text."""

from catalog.pager import Page


def footer(page: Page) -> str:
    """The line under a page."""
    text = f"page {page.number} of {page.pages}"
    return f"{text} (more)" if page.has_next else text


def render(page: Page) -> str:
    """One item a line, then the footer."""
    return "\n".join([*page.items, footer(page)])
