"""What readers type: the commonest words of the Chinese pages, questions of public threads, and names with a slip."""

from pathlib import Path
from typing import NamedTuple

from shardbook_sphinx.entries import LABEL

FOLDER = Path(__file__).parent
SHORTEST = 4  # letters of a name in which a slip leaves enough to tell which name it was


# The page of each entry of errors, and the source page that lists it.
ERRORS = Path(__file__).parents[3] / "docs/errors"
SOURCES = {
    f"errors/{anchor}.html": f"errors/{path.stem}.html"
    for path in ERRORS.glob("*.md")
    for anchor in LABEL.findall(path.read_text(encoding="utf-8"))
}


class Question(NamedTuple):
    """A question, the thread in which it was asked, and the pages or entries that answer it."""

    text: str
    thread: str
    answers: tuple[str, ...]

    def is_answered_by(self, url):
        """Whether a result is an answer: a page is one with any of its parts, and with any of its entries."""
        page = url.partition("#")[0]
        return not {url, page, SOURCES.get(page)}.isdisjoint(self.answers)


def lines(name):
    """The lines of a list, without its heading."""
    return [line for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line[0] != "#"]


def words():
    return lines("words.zh.txt")


def practice(language):
    """Words for what people do: train a model, make it fit, find what is slow."""
    return lines(f"practice.{language}.txt")


def questions(language):
    """The questions in a language; ``-`` in the list is no answer."""
    fields = [line.split("\t") for line in lines(f"questions.{language}.tsv")]
    return [
        Question(text, thread, tuple(each for each in found.split() if each != "-")) for text, thread, found in fields
    ]


def typed(name, members):
    """How a reader names an object: ``Mesh.shape``, ``set_mesh``."""
    return ".".join(name.split(".")[-2 if name in members else -1 :])


def slips(name):
    """A name with its middle letter left out, and with it twice.

    >>> slips("Mesh.shape")
    ['Mesh.shpe', 'Mesh.shaape']
    >>> slips("set_mesh")
    ['set_esh', 'set_mmesh']
    >>> slips("jit")
    []
    """
    last = name.rpartition(".")[2]
    letters = [len(name) - len(last) + place for place, letter in enumerate(last) if letter.isalnum()]
    if len(letters) < SHORTEST:
        return []
    middle = letters[len(letters) // 2]
    return [name[:middle] + name[middle + 1 :], name[:middle] + name[middle] + name[middle:]]
