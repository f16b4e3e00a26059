import pytest

from gapforge.corpora.gutenberg import best_renderings

EVERY = [
    "1342-0.txt", "1342-0.zip", "1342-8.txt", "1342-8.zip", "1342-h.zip", "1342.txt", "1342.zip", "old/1342-0.txt",
    "old/1342.txt", "pg1342-images.zip",
]  # fmt: skip


def test_of_every_rendering_the_best_is_kept():
    """Each in turn is the best once those before it are gone."""
    order = [
        "1342-0.txt", "1342-0.zip", "1342.txt", "1342.zip", "1342-8.txt", "1342-8.zip", "old/1342-0.txt",
        "old/1342.txt",
    ]  # fmt: skip
    left = list(EVERY)
    for best in order:
        assert best_renderings(left) == [best]
        assert best_renderings(reversed(left)) == [best]
        left.remove(best)
    assert best_renderings(left) == []


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        ("", ""),
        ("1342.txt pg1342.txt 1342-8.txt", "pg1342.txt"),
        ("pg1342.txt 1342-0.txt", "pg1342.txt"),
        ("1342-0.txt pg1342.txt", "1342-0.txt"),
        ("1342.txt pg1342.txt.utf8", "pg1342.txt.utf8"),
        ("1342.txt 1342.txt.utf-8.txt", "1342.txt.utf-8.txt"),
        ("1342.txt 1342-0.zip", "1342-0.zip"),
        ("1342-5.txt 1342-8.txt", "1342-8.txt"),
        ("1342-5.txt", "1342-5.txt"),
        ("1342-8.ZIP 1342-8.TXT", "1342-8.TXT"),
        ("PG1342.TXT 1342.txt", "PG1342.TXT"),
        ("01342.txt 1342-8.txt", "01342.txt"),
        ("1/3/4/1342/1342.txt 1/3/4/1342/1342-0.txt cache/epub/1342/pg1342.txt", "1/3/4/1342/1342-0.txt"),
        ("1342-0.txt 1342/1342-0.txt", "1342-0.txt"),
        ("1342/1342-0.txt 1342.txt", "1342/1342-0.txt"),
        ("old/1342-0.txt 1342-8.zip", "1342-8.zip"),
        ("1342/old/1342-0.txt 1342/1342.txt", "1342/1342.txt"),
        ("1342/Old/1342-0.txt", "1342/Old/1342-0.txt"),
        ("1342/1342-8.txt 1342/old/pandp12.txt", "1342/1342-8.txt"),
        ("1342/old/pandp12.txt 1342/old/1342.txt", "1342/old/1342.txt"),
        ("gold/1342-0.txt 1342.txt", "gold/1342-0.txt"),
        ("1342-h.zip pg1342-h.zip 1342-t.zip 1342-images.zip pg1342-images-3.zip pg1342-images.html.txt", ""),
        ("pandp12.txt pandp12.zip 12-months.txt 7 1901_Ferry.txt a/x.txt b/x.txt", None),
        ("12.txt 11.txt 11-0.txt notes.txt 12-0.txt 10.txt 12-8.txt", "11-0.txt notes.txt 12-0.txt 10.txt"),
    ],
)
def test_renderings(names, kept):
    assert best_renderings(names.split()) == (names if kept is None else kept).split()
