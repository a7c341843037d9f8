"""Mend what the theme and docutils leave out for who hears a page or has no pointer.

axe found these on a bare page of furo: headings without a level, two landmarks without a name. Code that scrolls and
cannot be focused is the work of scroll.js, since only a browser knows what scrolls.
"""

from __future__ import annotations

from sphinx.locale import _

from shardbook_sphinx.exceptions import HandbookError

CAPTION = 'class="caption" role="heading"'
OUTPUT = '<div class="cell_output docutils container"'
ASIDES = {"sidebar-drawer": "Site navigation", "toc-drawer": "On this page"}


def accessible(html: str) -> str:
    """A page's body with levels on captions and names on the theme's landmarks; fail if the theme has others now.

    >>> page = '<p class="caption" role="heading"><aside class="sidebar-drawer"><aside class="toc-drawer no-toc">'
    >>> accessible(page).count('aria-label='), accessible(page).count('aria-level="2"')
    (2, 1)
    """
    if html.count(CAPTION) != html.count('class="caption"'):
        raise HandbookError("furo writes captions in another way now: adapt CAPTION in accessible.py")
    html = html.replace(CAPTION, f'{CAPTION} aria-level="2"')
    for name, label in ASIDES.items():
        opening = f'<aside class="{name}'
        if html.count(opening) != 1:
            raise HandbookError(f"furo has no {opening}…> or several: adapt ASIDES in accessible.py")
        html = html.replace(opening, f'<aside aria-label="{_(label)}" class="{name}')
    return html.replace(OUTPUT, f'{OUTPUT} role="group" aria-label="{_("Output")}"')
