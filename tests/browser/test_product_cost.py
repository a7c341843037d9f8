"""The page with what every product costs: its map, and its long tables, on a phone and without a script too."""

import json
import re

import pytest
from axe import everywhere
from browsing import LANGUAGES, LONG
from playwright.sync_api import expect

# Of the picture, as page/map.js has them: its margin, a pair of operands, the square of one result.
LABEL, PAIR, SQUARE = 112, 41, 12
MAP = "explain/three-compilers.html"
STEPS = (0, 0.25, 0.5, 0.75, 1, 1.5)


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


@pytest.fixture
def product_map(page, address):
    page.goto(f"{address}/en/{MAP}")
    found = page.locator(".product-map")
    found.locator(".product-map-mark").wait_for()
    return found


def press(product_map, a, b, out):
    """Press a square, by the places of the specs."""
    grid = product_map.locator(".product-map-grid svg")
    box, size = grid.bounding_box(), float(grid.get_attribute("viewBox").split()[2])
    x, y = ((at + SQUARE / 2) * box["width"] / size for at in place(a, b, out))
    grid.click(position={"x": x, "y": y})


def place(a, b, out):
    """Where a square stands in the picture."""
    return LABEL + b * PAIR + out % 3 * SQUARE, LABEL + a * PAIR + out // 3 * SQUARE


def chosen(product_map):
    return [
        product_map.locator(f"[name={name}]").evaluate("field => Number(field.value)") for name in ("a", "b", "out")
    ]


def told(product_map):
    return product_map.locator(".product-map-said").text_content()


@pytest.mark.parametrize("compiler", ["", "H100", "v5e"])
def test_the_map_has_the_cost_of_each_product(product_map, site, compiler):
    name = f"products-{compiler}" if compiler else "products"
    script = (site / f"en/_static/measured/{name}.js").read_text(encoding="utf-8")
    table = json.loads(script[script.index(" = ") + 3 :].rstrip(";\n"))
    product_map.locator("[name=compiler]").select_option(compiler)
    expect(product_map.locator(".explorer-source")).to_contain_text(compiler or "CPU")
    paths = product_map.locator(".product-map-grid path").evaluate_all(
        "paths => paths.map(each => each.getAttribute('d'))"
    )
    colours = {
        tuple(map(int, at)): colour for colour, path in enumerate(paths) for at in re.findall(r"M(\d+) (\d+)", path)
    }
    assert len(colours) == 729
    entry = table["meshes"][0]
    width = {"float32": 4, "bfloat16": 2}
    for row, steps in enumerate(entry["rows"]):
        found = [table["steps"][step] for step in steps]
        own = width[table["dtype"]]
        received = sum(step["fraction"] * width[step.get("dtype", table["dtype"])] / own for step in found)
        wanted = sum(received > step + 0.01 for step in STEPS)
        assert colours[place(row // 81, row // 9 % 9, row % 9)] == wanted


def test_a_square_and_the_fields_choose_alike(product_map):
    assert "each device receives 0.75 matrices" in told(product_map)
    press(product_map, 4, 2, 5)
    assert chosen(product_map) == [4, 2, 5]
    assert told(product_map) == "P('x') @ P(None, 'y') → P('x', 'y'): nothing is sent."
    product_map.locator("[name=out]").focus()
    product_map.page.keyboard.press("Home")
    assert chosen(product_map) == [4, 2, 0]
    assert "→ P(): each device receives" in told(product_map)
    assert product_map.locator(".explorer-steps li").count() >= 1


def test_the_map_leads_to_its_product_in_the_explorer(product_map):
    page = product_map.page
    product_map.locator("[name=compiler]").select_option("v5e")
    expect(product_map.locator(".explorer-source")).to_contain_text("v5e")
    press(product_map, 1, 1, 0)
    steps = product_map.locator(".product-map-steps .explorer-source").text_content()
    product_map.locator(".explorer-whole a").click()
    page.locator(".explorer-product-steps .explorer-source").wait_for()
    assert page.locator("[name=b]").input_value() == "P(None, 'x')"
    assert page.locator(".explorer-product-steps .explorer-source").text_content() == steps


def test_links_below_the_map_lead_to_pages_that_are_there(product_map):
    product_map.locator("[name=compiler]").select_option("H100")
    links = product_map.locator(".product-map-steps a")
    links.first.wait_for()
    for link in links.evaluate_all("links => links.map(link => link.href)"):
        assert product_map.page.request.get(link).ok


def test_without_a_script_the_map_says_where_its_numbers_are(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/en/{MAP}")
    expect(page.locator(".product-map .explorer-waiting")).to_contain_text("The map needs JavaScript")
    expect(page.locator(".product-map-bench")).to_be_hidden()
    context.close()


def test_a_table_that_cannot_be_loaded_is_told(chromium, address):
    context = chromium.new_context()
    page = context.new_page()
    page.route("**/measured/products.js", lambda route: route.abort())
    page.goto(f"{address}/en/{MAP}")
    expect(page.locator(".product-map-said")).to_have_text("The table of measurements could not be loaded.")
    context.close()
