"""Which pages have between them every kind of element: enough for a check that looks at kinds, such as axe."""

import re

TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)((?:\s[^<>]*)?)>")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
# Elements without an end, in the HTML that Sphinx writes.
VOID = {"base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}


def kinds(html):
    """The kinds of elements that a page has, and how many elements: a tag, its classes and attributes, within which one.

    >>> found, count = kinds('<ul class="b a"><li id="it">1</li><li id="is">2</li></ul>')
    >>> sorted(found), count
    ([('', 'ul.a.b[]'), ('ul.a.b[]', 'li[id]')], 3)
    """
    found, within, count = set(), [("", "")], 0
    for end, tag, attributes in TAG.findall(html):
        if end:
            while len(within) > 1 and within.pop()[0] != tag:
                pass
            continue
        values = dict(ATTRIBUTE.findall(attributes))
        # Classes with a digit are numbers of places, of rows and of levels.
        classes = [f".{name}" for name in sorted(set(values.pop("class", "").split())) if not re.search(r"\d", name)]
        kind = f"{tag}{''.join(classes)}[{' '.join(sorted(values))}]"
        found.add((within[-1][1], kind))
        count += 1
        if tag not in VOID and not attributes.endswith("/"):
            within.append((tag, kind))
    return found, count


def enough(pages):
    """Some of the pages, by name, that have all kinds of all of them; those first that have most of them at least cost.

    Of equals the first and the last take turns, so that both languages come.

    >>> enough({"long": ({1, 2, 3}, 90), "short": ({1, 2}, 10), "shorter": ({1}, 9), "lang": ({1, 2, 3}, 90)})
    ['short', 'lang']
    """
    chosen, left = [], set().union(*(found for found, _ in pages.values()))
    names = list(pages)
    while left:
        best = max(names, key=lambda name: len(pages[name][0] & left) / pages[name][1])
        names.reverse()
        chosen.append(best)
        left -= pages[best][0]
    return chosen
