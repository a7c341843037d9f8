"""The sidebar's tree, made of titles alone, is the one that Sphinx makes of whole contents."""

import pytest
from docutils import nodes
from sphinx.application import Sphinx

from shardbook_sphinx.theme import navigation

PAGES = {
    "index": "Home\n====\n\nFirst\n-----\n\n.. toctree::\n   :caption: Learn\n   :hidden:\n\n   a/index\n   b\n\n"
    ".. toctree::\n   :caption: More\n\n   Another title <c>\n   https://example.org/\n   self\n",
    "a/index": "A\n=\n\nSection\n-------\n\nDeeper\n~~~~~~\n\n.. toctree::\n\n   one\n\nLast\n----\n\n"
    ".. toctree::\n\n   two\n",
    "a/one": "One\n===\n\nSection\n-------\n\nDeeper\n~~~~~~\n",
    "a/two": "Two\n===\n\n.. only:: html\n\n   Section\n   -------\n",
    "b": "B\n=\n\n.. only:: html\n\n   .. toctree::\n\n      below\n\nSection\n-------\n",
    "below": "Below\n=====\n",
    "c": "C\n=\n\nSection\n-------\n",
}
# As furo asks.
ASKED = {"collapse": False, "titles_only": True, "maxdepth": -1, "includehidden": True}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    for name, text in PAGES.items():
        (folder / f"{name}.rst").parent.mkdir(exist_ok=True)
        (folder / f"{name}.rst").write_text(text)
    made = Sphinx(folder, None, folder / "out", folder / "doctrees", "html", {"html_theme": "basic"}, status=None)
    made.build()
    return made


def trees(app, name):
    def whole(**options):
        return app.builder._get_local_toctree(name, **options)

    context = {"toctree": whole}
    navigation.Navigation(app).add(app, name, "page.html", context, None)
    return context["toctree"], whole


@pytest.mark.parametrize("name", PAGES)
def test_the_tree_of_titles_is_the_same(app, name):
    short, whole = trees(app, name)
    assert short(**ASKED) == whole(**ASKED)
    assert "Below" in whole(**ASKED)


def test_a_tree_with_sections_has_them(app):
    short, whole = trees(app, "b")
    asked = ASKED | {"titles_only": False}
    assert "Deeper" in short(**asked)
    assert short(**asked) == whole(**asked)


def test_a_title_that_lost_the_tree_below_it_is_found(app, monkeypatch):
    without = navigation.without_sections

    def bare(contents):
        short = without(contents)
        for entry in short.children:
            del entry[1:]
        return short

    monkeypatch.setattr(navigation, "without_sections", bare)
    short, whole = trees(app, "c")
    assert short(**ASKED) != whole(**ASKED)


def test_names_in_titles_are_plain_beside_every_page():
    title = nodes.paragraph("", "", nodes.literal("", "psum"), nodes.Text(" and more"))
    (shown,) = navigation.without_sections(nodes.bullet_list("", nodes.list_item("", title)))
    assert list(shown.findall(nodes.literal)) == []
    assert shown.astext() == "psum and more"
