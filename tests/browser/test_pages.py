"""Every page is quiet: no error, no violation of the policy, nothing asked from elsewhere, nothing that jumps."""

import pytest
from browsing import CHECKOUT, LANGUAGES

DOCS = sorted(
    path.relative_to(CHECKOUT / "docs").with_suffix(".html").as_posix() for path in CHECKOUT.glob("docs/**/*.md")
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", DOCS)
def test_a_page_is_quiet(page, address, language, name):
    page.goto(f"{address}/{language}/{name}")
    assert page.locator("h1").count() == 1
