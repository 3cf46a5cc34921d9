import pytest

from catalog.pager import PageNotFound, page_count, paginate
from catalog.render import footer
from catalog.store import Store

ITEMS = [f"item {i}" for i in range(20)]


def test_exact_fit_has_no_extra_page():
    assert page_count(20, 10) == 2
    assert page_count(10, 10) == 1
    assert page_count(3, 1) == 3


def test_partial_last_page_counts():
    assert page_count(21, 10) == 3
    assert page_count(19, 10) == 2
    assert page_count(1, 10) == 1


def test_nothing_is_one_page():
    assert page_count(0, 10) == 1
    assert Store().page(1).items == ()


def test_footer_on_exact_fit():
    assert footer(paginate(ITEMS, 2, 10)) == "page 2 of 2"


def test_empty_page_after_the_last_is_refused():
    with pytest.raises(PageNotFound):
        paginate(ITEMS, 3, 10)


def test_last_page_holds_the_rest():
    assert paginate(ITEMS, 3, 9).items == ("item 18", "item 19")


def test_page_zero_is_refused():
    with pytest.raises(PageNotFound):
        paginate(ITEMS, 0, 10)


def test_size_below_one_is_refused():
    with pytest.raises(ValueError):
        page_count(5, 0)
