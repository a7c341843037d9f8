"""The one exception of the handbook's own."""

from sphinx.errors import SphinxError


class HandbookError(SphinxError):
    """A page breaks one of the handbook's promises: the build stops, and says which page and why.

    Sphinx forgets what it has read when an ``Exception`` stops it, so that the next build reads and fails again.
    """

    category = "Fault in the handbook"
