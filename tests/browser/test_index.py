"""The front page: the explorer in small by mouse, keyboard and without a script; the line that installs; three clicks."""

import re

import pytest
from browsing import LANGUAGES
from playwright.sync_api import expect

from shardbook_sphinx.downloads.wheel import wheel_name
from shardbook_sphinx.pins import pinned

FIRST = "float32[8@x, 8@y]"


@pytest.fixture
def index(page, address):
    page.goto(f"{address}/en/index.html")
    page.wait_for_selector(".explorer-small.explorer-begun")
    return page


def caption(page):
    return page.locator(".explorer-small figcaption").inner_text()


def chip(page, axis):
    return page.locator(".explorer-small .explorer-chip", has_text=re.compile(f"^{axis} "))


def test_what_stands_there_is_what_the_script_draws(chromium, address, index):
    context = chromium.new_context(java_script_enabled=False)
    try:
        still = context.new_page()
        still.goto(f"{address}/en/index.html")
        assert still.locator(".explorer-small figcaption").inner_text() == caption(index) == FIRST
        boxes = ".explorer-small .explorer-picture rect"
        assert still.locator(boxes).count() == index.locator(boxes).count() > 0
        assert not still.locator(".explorer-small .explorer-chips").is_visible()
        assert still.locator(".explorer-whole a").get_attribute("href") == "explorer.html"
    finally:
        context.close()


def test_an_axis_is_dragged(index):
    target = index.locator(".explorer-small .explorer-box").nth(1).bounding_box()
    source = chip(index, "x").bounding_box()
    index.mouse.move(source["x"] + 5, source["y"] + 5)
    index.mouse.down()
    index.mouse.move(target["x"] + target["width"] - 5, target["y"] + target["height"] - 8, steps=5)
    index.mouse.up()
    expect(index.locator(".explorer-small figcaption")).to_have_text("float32[8, 8@(y,x)]")
    assert index.locator(".explorer-spec").inner_text() == "P(None, ('y', 'x'))"


def test_the_keyboard_moves_an_axis_and_the_link_follows(index, address):
    chip(index, "x").focus()
    for _ in range(2):
        index.keyboard.press("ArrowRight")
    assert caption(index) == "float32[8, 8@y]"
    link = index.locator(".explorer-whole a")
    assert link.get_attribute("href") == "explorer.html#v=1&shape=8,8&mesh=x:2,y:4&spec=-,y&dtype=float32"
    link.click()
    index.wait_for_selector("article.explorer-begun")
    assert index.locator(".explorer-picture figcaption").first.inner_text() == "float32[8, 8@y]"


@pytest.mark.parametrize(("motion", "flies"), [("no-preference", True), ("reduce", False)])
def test_pieces_fly_unless_one_asks_for_less_motion(index, motion, flies):
    index.emulate_media(reduced_motion=motion)
    chip(index, "x").focus()
    index.keyboard.press("ArrowRight")
    running = index.evaluate("document.querySelector('.explorer-small').getAnimations({subtree: true}).length")
    assert (running > 0) == flies


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["index", "learn/index", "train/index"])
def test_the_line_has_the_address_that_the_page_came_from(page, address, language, name):
    page.goto(f"{address}/{language}/{name}.html")
    line = page.locator(".install pre").first.text_content().strip()
    assert line.startswith(f'pip install "jax=={pinned("python3")["jax"]}" ')
    assert line.endswith(f" {address}/{wheel_name()}")
    assert page.request.get(line.split()[-1]).ok


def test_from_a_folder_the_line_has_a_path(visit, site, tmp_path):
    folder = tmp_path / "a folder"
    (folder / "en").mkdir(parents=True)
    for name in ("en/index.html", "en/_static", wheel_name()):
        (folder / name).symlink_to(site / name)
    visit.watch.origin = "file:"
    visit.goto((folder / "en/index.html").as_uri())
    expect(visit.locator(".install pre").first).to_contain_text(f'"{folder / wheel_name()}"')


# Three readers, each at what he came for within three clicks.


def test_eight_gpus_and_a_model(index):
    index.get_by_role("link", name=re.compile("^FSDP × tensor parallel")).click()
    expect(index.locator("h1")).to_contain_text("FSDP")


def enter(index, door):
    index.locator(".doors .sd-card", has_text=door).click()


def test_i_got_this_error(index):
    enter(index, "An error")
    index.wait_for_url("**/errors/index.html")
    index.get_by_role("textbox").last.fill(
        "ValueError: One of device_put args was given the sharding of NamedSharding(mesh=Mesh('x': 8), spec=P('x',)), which "
        "implies that the global size of its dimension 0 should be divisible by 8, but it is equal to 6 (full shape: (6,))"
    )
    found = index.locator("article a[href*='error-']").first
    expect(found).to_be_visible()


def test_what_does_p_mean(index):
    """Names in code lead to their entries."""
    index.locator("article .highlight a", has_text=re.compile("^P$")).first.click()
    index.wait_for_url("**/reference/*.html#jax.sharding.PartitionSpec")
    assert index.locator("dt[id='jax.sharding.PartitionSpec']").is_visible()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", ["learn", "train", "guides", "explain", "history"])
def test_a_section_says_what_each_page_gives(page, address, language, section):
    page.goto(f"{address}/{language}/{section}/index.html")
    pages = page.locator(".toctree-wrapper li.toctree-l1")
    # Not the inner texts: of what is off the screen the browser may have none yet.
    said = page.locator(".toctree-wrapper li.toctree-l1 > .gives").all_text_contents()
    assert len(said) == pages.count() > 4
    assert [sentence for sentence in said if not sentence.rstrip().endswith(tuple(".!?。！？"))] == []
