"""The page with what every product costs: its long tables can be unfolded, heard and scrolled, on a phone too."""

import pytest
from axe import everywhere
from browsing import LANGUAGES, LONG


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_unfolded_tables(page, address, language):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{address}/{language}/explain/product-cost.html")
    sections = page.locator("details.product-rows")
    assert sections.count() == 9
    unfolded = range(9) if LONG else (0, 8)
    for place in unfolded:
        section = sections.nth(place)
        section.locator("summary").focus()
        page.keyboard.press("Enter")
        assert section.locator("tbody tr").count() >= 9
    page.wait_for_function(
        "() => [...document.querySelectorAll('.product-rows[open] .table-wrapper')].every(e => e.tabIndex === 0)"
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert everywhere(page) == []
