"""The search, as a reader uses it: what is found first, with which keys, and what is said when nothing can be."""

import gzip
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import LANGUAGES, heard
from playwright.sync_api import expect

# Names as they are typed or copied from code → the entry that comes first, in either language.
NAMES = {
    "devices_indices_map": "reference/sharding.html#jax.sharding.Sharding.devices_indices_map",
    "NamedSharding.devices_indices_map": "reference/named-sharding.html#jax.sharding.NamedSharding.devices_indices_map",
    "devices_ind": "reference/sharding.html#jax.sharding.Sharding.devices_indices_map",
    "P": "reference/named-sharding.html#jax.sharding.PartitionSpec",
    'P("x", None)': "reference/named-sharding.html#jax.sharding.PartitionSpec",
    "PartitionSpec": "reference/named-sharding.html#jax.sharding.PartitionSpec",
    "partitionspec": "reference/named-sharding.html#jax.sharding.PartitionSpec",
    "jax.set_mesh": "reference/contexts.html#jax.set_mesh",
    "set_mesh": "reference/contexts.html#jax.set_mesh",
    "jax.set_mesh(mesh)": "reference/contexts.html#jax.set_mesh",
    "set mesh": "reference/contexts.html#jax.set_mesh",
    "jax.sharding.Mesh": "reference/mesh.html#jax.sharding.Mesh",
    "mesh": "reference/mesh.html#jax.sharding.Mesh",
    "Mesh.shape": "reference/mesh.html#jax.sharding.Mesh.shape",
    "Mesh.sha": "reference/mesh.html#jax.sharding.Mesh.shape",
    "AxisType.Explicit": "reference/mesh.html#jax.sharding.AxisType.Explicit",
    "jax.lax.with_sharding_constraint": "reference/jit.html#jax.lax.with_sharding_constraint",
    "with_sharding_constraint": "reference/jit.html#jax.lax.with_sharding_constraint",
    ".addressable_shards": "reference/arrays.html#jax.Array.addressable_shards",
    "x.addressable_shards": "reference/arrays.html#jax.Array.addressable_shards",
    "lax.psum": "reference/collectives.html#jax.lax.psum",
    "shard_map": "reference/shard-map.html#jax.shard_map",
    "jax.experimental.shard_map.shard_map": "reference/retired-today.html#jax.experimental.shard_map.shard_map",
    "PositionalSharding": "reference/retired.html#jax.sharding.PositionalSharding",
    "sb.show": "reference/shardbook.html#shardbook.show",
}
# Messages as a terminal shows them, with the axis names, sizes, dtypes and functions of some reader's program.
ERRORS = {
    "ValueError: One of device_put args was given the sharding of NamedSharding(mesh=Mesh('data': 8, 'model': 2, "
    "axis_types=(Auto, Auto)), spec=PartitionSpec('data', 'model'), memory_kind=unpinned_host), which implies that the "
    "global size of its dimension 0 should be divisible by 8, but it is equal to 1234 (full shape: (1234, 77))": (
        "errors/error-put-indivisible-auto.html"
    ),
    "ValueError: Sharding spec ('model',) implies that array axis 1 is partitioned 16 times, but does not evenly divide "
    "the dimension size 100. Got shape: (32, 100) and sharding NamedSharding(mesh=AbstractMesh('model': 16))": (
        "errors/error-put-indivisible.html"
    ),
    "jax._src.core.ShardingTypeError: Contracting dimensions are sharded and it is ambiguous how the output should be "
    "sharded. Please specify the output sharding via the `out_sharding` parameter. Got lhs_contracting_spec=('tp',) and "
    "rhs_contracting_spec=('tp',)": "errors/error-explicit-contracting.html",
    "ShardingTypeError: add got incompatible shardings for broadcasting: ('batch', None), ('fsdp', None).": (
        "errors/error-explicit-broadcasting.html"
    ),
    "ShardingTypeError: Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing as out "
    "sharding could not be resolved unambiguously (or would require collectives on inputs). Got "
    "operand=ShapedArray(bfloat16[4096@tp,512])": "errors/error-explicit-gather.html",
    "ValueError: Received incompatible devices for jitted computation. Got argument params of train_step with shape "
    "bfloat16[1024,4096] and with device ids [0, 1, 2, 3] on platform GPU and argument batch of train_step with shape "
    "int32[8,128] and with device ids [4] on platform GPU": "errors/error-jit-two-device-sets.html",
    "Traceback (most recent call last):\n"
    '  File "/home/me/train.py", line 12, in <module>\n'
    "    step(x)\n"
    "TypeError: shard_map() got an unexpected keyword argument 'check_rep'. Did you mean 'check_vma'?": (
        "errors/error-retired-check-rep.html"
    ),
    "ValueError: in_specs passed to shard_map: P('data',) does not match the specs of the input: P(None,) for arg: "
    "float32[256]. `in_specs` is an optional argument so you can omit specifying it": (
        "errors/error-in-specs-differ.html"
    ),
    "AttributeError: module 'jax.sharding' has no attribute 'PositionalSharding'": (
        "reference/retired.html#jax.sharding.PositionalSharding"
    ),
    "ValueError: Number of devices 4 must be >= the product of mesh_shape (4, 2)": "errors/error-mesh-too-large.html",
    "ValueError: Please set a mesh via `jax.set_mesh` if a PartitionSpec is passed to device_put": (
        "errors/error-put-spec-without-mesh.html"
    ),
}
PHRASES = {
    "en": {
        "mesh axis": "glossary.html#term-mesh-axis",
        "partition spec": "glossary.html#term-partition-spec",
        "contracting dimension": "glossary.html#term-contracting-dimension",
        "memory kind": "glossary.html#term-memory-kind",
        "sizes must divide": "learn/placing.html#sizes-must-divide",
        "what a spec leaves out is replicated": "learn/placing.html#what-a-spec-leaves-out-is-replicated",
        "axis order": "explain/axis-order.html#axis-order",
        "cost of moving": "guides/cost-of-moving.html#what-does-it-cost-to-move",
        "collectives": "reference/collectives.html#collectives",
        "placing an array": "learn/placing.html#placing-an-array",
        "0.4.33": "history/releases.html",
    },
    "zh": {
        "网格轴": "glossary.html#term-mesh-axis",
        "分区规格": "glossary.html#term-partition-spec",
        "集合通信": "reference/collectives.html#collectives",
        "重新分片": "glossary.html#term-to-reshard",
        "未归约": "reference/unreduced.html#partial-sums-and-manual-axes",
        "设备网格": "glossary.html#term-device-mesh",
        "显式模式": "reference/explicit.html#explicit-mode",
        "内存类型": "glossary.html#term-memory-kind",
        "全收集": "glossary.html#term-all-gather",
        "轴的顺序": "glossary.html#term-axis-order",
        "网格轴的顺序": "explain/axis-order.html#axis-order",
        "轴类型": "glossary.html#term-axis-type",
        "归约散射": "glossary.html#term-reduce-scatter",
        "收缩维": "glossary.html#term-contracting-dimension",
        "全局形状": "glossary.html#term-global-shape",
        "部分和": "reference/unreduced.html#partial-sums-and-manual-axes",
        "长度必须能整除": "learn/placing.html#sizes-must-divide",
        "放置数组": "learn/placing.html#placing-an-array",
        "重新分片的通信开销": "guides/cost-of-moving.html#what-does-it-cost-to-move",
        "轴的顺序怎么定": "explain/axis-order.html#axis-order",
        "ｍｅｓｈ": "reference/mesh.html#jax.sharding.Mesh",
        "网格 Mesh": "reference/mesh.html#meshes",
    },
}
HOSTILE = [
    "<img src=x onerror=\"document.title='taken'\">",
    "</p><script>document.title='taken'</script>",
    "javascript:document.title='taken'",
    '"\' OR "1"="1" -- \'',
    '"""',
    "constructor __proto__ toString hasOwnProperty",
    "(((([[[[{{{{\\\\....****++++????",
    "$& $1 $` {query} {count}",
    "\u202eleft to right\u202c \u0000 \ufffd \ud7ff \U0001f9ee \u200b\u2060",
    "网格" * 3000,
    "x" * 100_000,
    "mesh axis " * 20_000,
]
NOTHING = {"en": "Nothing found for “zzyzx”.", "zh": "没有找到“zzyzx”。"}
COUNTED = {"en": "results", "zh": "条结果"}


def field(page):
    return page.locator(".sidebar-search")


def options(page):
    return page.locator(".search-panel [role=option]")


def status(page):
    return page.locator(".sidebar-search-container .search-status")


def ask(page, query):
    """Put a query in the field and wait until the search has answered."""
    field(page).fill("")
    expect(status(page)).to_be_empty()
    field(page).fill(" ".join(query.split()))
    expect(status(page)).not_to_be_empty()


def first_results(page, address, language, queries):
    """Where the first result of each query leads to, from the folder of the language."""
    found = {}
    page.goto(f"{address}/{language}/learn/placing.html")
    for query in queries:
        ask(page, query)
        link = options(page).first
        found[query] = link.evaluate("link => link.href") if link.count() else ""
    root = f"{address}/{language}/"
    assert all(link.startswith(root) for link in found.values() if link)
    return {query: link.removeprefix(root) for query, link in found.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_leads_to_its_entry(page, address, language):
    assert first_results(page, address, language, NAMES) == NAMES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_leads_to_where_it_is_shown(page, address, language):
    assert first_results(page, address, language, ERRORS) == ERRORS


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_and_compounds_lead_to_what_they_mean(page, address, language):
    found = first_results(page, address, language, PHRASES[language])
    # The headings of releases have numbers for anchors, which change with each release.
    found |= {query: link.partition("#")[0] for query, link in found.items() if query[0].isdigit()}
    assert found == PHRASES[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_result_leads_to_a_place_that_is_there(page, address, site, language):
    page.goto(f"{address}/{language}/search.html?q=mesh")
    page.locator(".search-list li").nth(19).wait_for()
    for link in page.locator(".search-list a").evaluate_all("links => links.map((link) => link.href)"):
        name, _, anchor = link.removeprefix(f"{address}/").partition("#")
        assert f'id="{anchor}"' in (site / name).read_text(encoding="utf-8")


def test_a_result_says_page_and_section_and_what_was_found(page, address):
    page.goto(f"{address}/zh/index.html")
    ask(page, "长度必须能整除")
    assert (
        options(page).first.locator(".search-title").inner_text()
        == "长度必须能整除，否则报错（does not evenly divide）"
    )
    assert options(page).first.locator(".search-where").inner_text() == "放置数组：切分到多个设备上（device_put）"
    ask(page, "网格轴")
    texts = page.locator(".search-panel .search-text:has-text('网格轴')")
    assert texts.count()
    assert [text for text in texts.all() if "网格轴" not in "".join(text.locator("mark").all_inner_texts())] == []
    assert "`" not in options(page).first.inner_text()


def test_results_come_as_one_types(page, address):
    page.goto(f"{address}/en/index.html")
    field(page).press_sequentially("Mesh.sh")
    expect(options(page).first.locator(".search-title")).to_have_text("jax.sharding.Mesh.shape")
    field(page).press_sequentially("ape_")
    expect(options(page).first.locator(".search-title")).to_have_text("jax.sharding.Mesh.shape_tuple")
    field(page).fill("")
    expect(page.locator(".search-panel")).to_be_hidden()


def test_the_keys(page, address):
    """`/` leads to the field, arrows to a result and back, Escape closes, Enter goes where the result leads."""
    page.goto(f"{address}/en/learn/placing.html")
    page.keyboard.press("/")
    combobox = page.get_by_role("combobox", name="Search")
    assert combobox.evaluate("field => field === document.activeElement")
    assert combobox.input_value() == ""
    page.keyboard.insert_text("axis size / device mesh")
    options(page).first.wait_for()
    assert combobox.get_attribute("aria-expanded") == "true"
    assert combobox.get_attribute("aria-activedescendant") is None
    count = options(page).count()
    for place in range(count):
        page.keyboard.press("ArrowDown")
        chosen = combobox.get_attribute("aria-activedescendant")
        assert chosen == options(page).nth(place).get_attribute("id")
        assert page.locator("[aria-selected=true]").get_attribute("id") == chosen
    page.keyboard.press("ArrowDown")
    assert combobox.get_attribute("aria-activedescendant") is None
    page.keyboard.press("ArrowUp")
    assert page.locator("[aria-selected=true]").get_attribute("id") == f"search-option-{count - 1}"
    page.keyboard.press("Escape")
    assert combobox.get_attribute("aria-expanded") == "false"
    assert not page.locator(".search-panel").is_visible()
    assert combobox.input_value() == "axis size / device mesh"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    target = options(page).first.evaluate("link => link.href")
    page.keyboard.press("Enter")
    page.wait_for_url(target)


def test_a_slash_in_another_field_is_a_slash(page, address):
    page.goto(f"{address}/en/search.html")
    page.locator(".search-page input").press_sequentially("a/b")
    assert page.locator(".search-page input").input_value() == "a/b"


def test_a_click_follows_a_result_and_the_panel_goes(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    ask(page, "sizes must divide")
    options(page).first.click()
    page.wait_for_url("**/learn/placing.html#sizes-must-divide")
    assert not page.locator(".search-panel").is_visible()


def test_leaving_the_field_closes_the_panel(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    ask(page, "mesh")
    page.locator("h1").click()
    assert not page.locator(".search-panel").is_visible()
    field(page).click()
    assert page.locator(".search-panel").is_visible()


def test_a_word_being_put_together_is_not_searched(page, address):
    """A Chinese reader types letters first: what they will become is searched, not they."""
    page.goto(f"{address}/zh/learn/placing.html")
    field(page).focus()
    expect(field(page)).to_have_role("combobox")  # the search has been loaded
    input_method = page.context.new_cdp_session(page)
    input_method.send("Input.imeSetComposition", {"text": "mesh", "selectionStart": 4, "selectionEnd": 4})
    page.wait_for_timeout(300)
    assert options(page).count() == 0
    input_method.send("Input.insertText", {"text": "网格轴"})
    options(page).first.wait_for()
    assert options(page).first.locator(".search-title").inner_text().startswith("网格轴")


def test_the_end_of_a_long_traceback_counts(page, address):
    lines = "".join(
        f'File "/home/me/step.py", line {line}, in step\n    y = reshard_{line}(x)\n' for line in range(200)
    )
    query = f"Traceback (most recent call last):\n{lines}{next(iter(ERRORS))}"
    assert len(query) > 10_000
    found = first_results(page, address, "en", [query])
    assert list(found.values()) == [next(iter(ERRORS.values()))]


def test_pasted_lines_stay_apart_even_before_the_search_is_loaded(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    held = []
    page.route("**/_static/search.js*", lambda route: held.append(route))  # noqa: PLW0108, it keeps notes on its handler
    field(page).focus()
    field(page).evaluate("""field => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", "y = f(x)\\r\\nTypeError: no\\n");
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }""")
    assert field(page).input_value() == "y = f(x) TypeError: no "
    expect(status(page)).to_be_empty()
    [route] = held
    route.continue_()
    expect(status(page)).not_to_be_empty()


@pytest.mark.parametrize("language", LANGUAGES)
def test_enter_leads_to_the_search_page(page, address, language):
    page.goto(f"{address}/{language}/learn/placing.html")
    ask(page, "mesh")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/{language}/search.html?q=mesh")
    items = page.locator(".search-list li")
    items.first.wait_for()
    told = page.locator(".search-page .search-status")
    count = int(told.inner_text().split()[0])
    assert told.inner_text().endswith(COUNTED[language])
    assert items.count() == 20 < count
    page.locator(".search-more").click()
    items.nth(min(count, 40) - 1).wait_for()
    assert items.nth(20).locator("a").evaluate("link => link === document.activeElement")


GROUPS = {"en": ["Learn and do", "Look up", "Errors and history"], "zh": ["学习与实践", "查阅", "错误与历史"]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_the_best_result_come_groups_and_what_teaches_first(page, address, language):
    page.goto(f"{address}/{language}/search.html?q=shard_map")
    page.locator(".search-list li").nth(10).wait_for()
    names = page.locator(".search-list .search-kind").all_inner_texts()
    assert names == [name for name in GROUPS[language] if name in names]
    assert len(names) >= 2
    assert page.locator(".search-list li").first.locator(".search-kind").count() == 0
    links = page.locator(".search-list li").evaluate_all(
        "items => items.map(item => [item.querySelector('.search-kind')?.textContent, item.querySelector('a').pathname])"
    )
    within = ""
    for name, path in links[1:]:
        within = name or within
        teaches = path.removeprefix(f"/site/{language}/").startswith(
            ("learn", "train", "guides", "explain", "explorer", "index")
        )
        assert teaches == (within == GROUPS[language][0]), path


def test_the_groups_of_the_panel_are_told_to_those_who_hear_it(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    ask(page, "all-gather")
    groups = page.locator(".search-panel").get_by_role("group")
    assert groups.count() >= 2
    assert groups.first.get_attribute("aria-label") in GROUPS["en"]
    assert options(page).first.evaluate("option => option.parentElement.role") == "presentation"


def test_the_last_option_leads_to_all_results(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    ask(page, "P('x') & more? #1")
    options(page).last.click()
    page.locator(".search-list li").first.wait_for()
    assert page.locator(".search-page input").input_value() == "P('x') & more? #1"


def test_the_address_of_the_search_page_has_its_query(page, address):
    page.goto(f"{address}/en/search.html")
    page.locator(".search-page input").fill("axis order")
    page.locator(".search-list li").first.wait_for()
    assert parse_qs(urlsplit(page.url).query) == {"q": ["axis order"]}
    page.reload()
    page.locator(".search-list li").first.wait_for()
    assert page.locator(".search-page input").input_value() == "axis order"
    page.locator(".search-page input").fill("")
    page.locator(".search-list li").first.wait_for(state="detached")
    assert urlsplit(page.url).query == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_nothing_was_found_is_announced(page, address, language):
    page.goto(f"{address}/{language}/index.html")
    # A place that is announced must be there before it is filled.
    assert status(page).get_attribute("role") == "status"
    ask(page, "zzyzx")
    assert status(page).inner_text().startswith(NOTHING[language])
    assert status(page).bounding_box()["height"] > 10
    assert field(page).get_attribute("aria-expanded") == "false"
    ask(page, "mesh")
    assert COUNTED[language] in status(page).text_content()


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_finds_nothing_is_told_where_to_go(page, address, site, language):
    """By links that the Tab key reaches, under the field and on the search page."""
    page.goto(f"{address}/{language}/learn/placing.html")
    ask(page, "zzyzx")
    page.keyboard.press("Tab")
    first = status(page).locator("a").first
    assert first.evaluate("link => link === document.activeElement")
    assert status(page).is_visible()
    links = status(page).locator("a").evaluate_all("links => links.map((link) => link.href)")
    pages = [link.removeprefix(f"{address}/{language}/") for link in links]
    assert pages == ["learn/index.html", "reference/index.html", "errors/index.html", "glossary.html", "genindex.html"]
    page.goto(f"{address}/{language}/search.html?q=zzyzx")
    page.locator(".search-page .search-status a").nth(4).wait_for()


def test_far_from_any_name_the_nearest_is_offered(page, address):
    page.goto(f"{address}/en/index.html")
    ask(page, "addresabelshrds")
    assert status(page).text_content() == "Nothing found for “addresabelshrds”. The nearest name:"
    assert options(page).first.locator(".search-title").inner_text() == "jax.Array.addressable_shards"


def test_a_query_never_becomes_markup(page, address):
    tags = "nodes => [...new Set(nodes.map((node) => node.tagName))]"
    page.goto(f"{address}/en/index.html")
    known = page.title(), page.locator("img, script, iframe").count()
    for query in HOSTILE:
        ask(page, query)
        said = status(page).text_content()
        assert said.startswith("Nothing found for “") or said.endswith(("result", "results")), query
        assert set(page.locator(".search-panel *").evaluate_all(tags)) <= {"A", "SPAN", "MARK"}, query
        assert (page.title(), page.locator("img, script, iframe").count()) == known, query
    page.goto(f"{address}/en/search.html")
    for query in HOSTILE:
        page.locator(".search-page input").fill(query)
        page.wait_for_timeout(200)
        assert set(page.locator(".search-list *").evaluate_all(tags)) <= {"LI", "A", "SPAN", "MARK"}, query


def test_the_index_never_becomes_markup(page, address):
    page.goto(f"{address}/en/index.html")
    ask(page, "input must be a sequence; got <class 'numpy.ndarray'>")
    assert "<class 'numpy.ndarray'>" in options(page).first.inner_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_loaded_before_a_reader_searches(page, address, language):
    """And what a first search then loads, compressed as by a host, is less than two pages may weigh."""
    with heard(page, "response") as loaded:
        page.goto(f"{address}/{language}/learn/placing.html", wait_until="networkidle")
        assert [each.url for each in loaded if "pagefind" in each.url or "/search.js" in each.url] == []
        loaded.clear()
        ask(page, "devices_indices_map")
    packed = (".pf_", ".pagefind")
    sizes = [
        len(each.body() if any(end in each.url for end in packed) else gzip.compress(each.body())) for each in loaded
    ]
    assert 0 < sum(sizes) < 200_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_accessible(page, address, language, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{address}/{language}/learn/placing.html")
    ask(page, "mesh axis")
    page.keyboard.press("ArrowDown")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]}
    assert Axe().run(page, context=".sidebar-search-container", options=rules).response["violations"] == []
    page.goto(f"{address}/{language}/search.html?q=mesh")
    page.locator(".search-list li").first.wait_for()
    assert Axe().run(page, context="#search", options=rules).response["violations"] == []


def test_on_a_phone(page, address):
    """The field is in the header; the panel is as wide as the screen lets it; a result closes it."""
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(f"{address}/en/learn/placing.html")
    page.keyboard.press("/")
    page.keyboard.insert_text("sizes must divide")
    options(page).first.wait_for()
    expect(field(page)).to_be_in_viewport(ratio=1)
    box = page.locator(".search-panel").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    options(page).first.click()
    expect(page.locator(".search-panel")).to_be_hidden()


SERVED = {"en": "To search, serve the site", "zh": "须用服务器提供网站"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_from_a_file_it_says_how_to_serve_the_site(chromium, site, language):
    page = chromium.new_page()
    told = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto((site / language / "learn/placing.html").as_uri())
    page.keyboard.press("/")
    assert SERVED[language] in status(page).inner_text()
    assert status(page).locator("code").inner_text() == "python3 -m http.server -d site"
    page.goto((site / language / "search.html").as_uri() + "?q=mesh")
    assert SERVED[language] in page.locator(".search-page .search-status").inner_text()
    page.close()
    assert told == []


@pytest.mark.parametrize(("language", "said"), [("en", "Searching needs JavaScript"), ("zh", "搜索需要 JavaScript")])
def test_without_scripts_the_search_page_says_so(chromium, address, language, said):
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/{language}/learn/placing.html")
    field(page).fill("mesh")
    field(page).press("Enter")
    page.wait_for_url("**/search.html?q=mesh")
    assert said in page.locator("main, [role=main]").inner_text()
    page.context.close()


def test_that_the_search_cannot_be_loaded_is_said(chromium, address):
    page = chromium.new_page()
    page.route("**/pagefind/*", lambda route: route.abort())
    page.goto(f"{address}/en/index.html")
    field(page).fill("mesh")
    expect(status(page)).to_have_text("The search could not be loaded.")
    page.close()
