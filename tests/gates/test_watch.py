"""What is no collective, or cannot be cut as asked, stops the build with a sentence; all that is wrong is told."""

WRONG = {
    "gossip": "there is no gossip to watch; there are all-gather, ",
    "all-to-all\n:devices: 6\n:bytes: 12": "devices exchange in pairs, which takes a power of two of them, not 6",
    "all-gather\n:devices: 9\n:bytes: 9": "from 2 to 8 devices can be watched, with a multiple of as many bytes each",
    "all-reduce\n:devices: 4\n:bytes: 6": "from 2 to 8 devices can be watched, with a multiple of as many bytes each",
    "exchanged-axes\n:devices: 4": "exchanged-axes has its own devices and bytes",
}


def test_what_cannot_be_watched_is_told(small):
    blocks = "\n\n".join(f"```{{watch}} {wrong}\n```" for wrong in WRONG)
    small.edit("docs/names.md", "# Names\n", f"# Names\n\n{blocks}\n")
    result = small.build()
    assert not result.passed
    assert [told for told in WRONG.values() if told not in result.printed] == []


def test_a_page_with_one_loads_the_script_and_says_it_in_either_language(small):
    small.edit("docs/names.md", "# Names\n", "# Names\n\n```{watch} permute\n:devices: 2\n:bytes: 2048\n```\n")
    result = small.build()
    assert result.passed, result.printed
    pages = {language: small.root / f"site/{language}/names" for language in ("en", "zh")}
    english, chinese = (path.with_suffix(".html").read_text(encoding="utf-8") for path in pages.values())
    assert "A device has received 2 KiB." in english
    assert "每个设备已接收 2 KiB。" in chinese
    assert "_static/watch.js" in english
    assert "_static/watch.js" not in (small.root / "site/en/now.html").read_text(encoding="utf-8")
    assert "a device receives at most 2 KiB." in pages["en"].with_suffix(".md").read_text(encoding="utf-8")
