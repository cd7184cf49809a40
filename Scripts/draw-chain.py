#!/usr/bin/env python3
"""Draws Docs/Pictures/chain.svg, which shows the contexts, progress, errors and cancellation of README's chain.

    draw-chain           writes the picture
    draw-chain --check   fails if the picture differs from what this script draws
"""
import html
import sys

from package import ROOT

PICTURE = ROOT / "Docs/Pictures/chain.svg"
WIDTH = 980
HEIGHT = 452
# the left edge of the first box, the distance between left edges, and the width
LEFT = 142
STEP = 166
BOX = 146
INK = "#1f2328"
FAINT = "#59636e"
GREY = "#e6eaef"
BLUE = "#cfe3fb"
ORANGE = "#ffe0bd"
GREEN = "#a5d9b0"
RED = "#b42318"

LINKS = [  # the code, and the words below it
    ("load(name)", "a callback settles it"),
    (".map { … }", "makes a value"),
    (".then { … }", "makes a promise"),
    (".tap(on: .main)", "looks at the value"),
    (".catchFailure(…)", "looks at an error"),
]

parts = []


def left(column):
    return LEFT + STEP * column


def middle(column):
    return left(column) + BOX / 2


def text(x, y, words, size=13, anchor="middle", fill=INK, code=False, bold=False):
    family = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" if code else \
        "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
    weight = ' font-weight="600"' if bold else ""
    parts.append(f'<text x="{x:g}" y="{y:g}" font-family="{family}" font-size="{size}" text-anchor="{anchor}"'
                 f' fill="{fill}"{weight}>{html.escape(words, quote=False)}</text>')


def box(x, y, width, height, fill, stroke="none", radius=6):
    parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}"'
                 f' fill="{fill}" stroke="{stroke}"/>')


def arrow(start, end, y, color=INK, dashed=False):
    """Draws a horizontal arrow."""
    forward = 1 if end > start else -1
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    path = f"M{start:g} {y:g} H{end - 6 * forward:g}"
    parts.append(f'<path d="{path}" stroke="{color}" stroke-width="2" fill="none"{dash}/>')
    parts.append(f'<path d="M{end:g} {y:g} l{-9 * forward} -5 v10 z" fill="{color}"/>')


def dot(x, y, color):
    parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{color}"/>')


def lane(y, name):
    text(16, y, name, anchor="start", bold=True)


def draw():
    box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, "#ffffff", "#d1d9e0", 8)

    lane(60, "the chain")
    for column, (code, below) in enumerate(LINKS):
        box(left(column), 30, BOX, 54, "#f6f8fa", FAINT)
        text(middle(column), 53, code, code=True)
        text(middle(column), 72, below, 12, fill=FAINT)
        if column:
            arrow(left(column) - STEP + BOX, left(column), 57)

    lane(124, "where it runs")
    for first, last, name, color in [(0, 0, "the vendor's thread", GREY), (1, 2, "the pool, in parallel", BLUE),
                                     (3, 4, "the main actor", ORANGE)]:
        box(left(first), 106, left(last) + BOX - left(first), 28, color)
        text((left(first) + left(last) + BOX) / 2, 125, name)

    lane(174, "progress")
    full = left(2) + BOX - LEFT
    box(LEFT, 156, full, 28, GREY)
    box(LEFT, 156, full * 0.75, 28, GREEN)  # The first of two equal shares is complete, and half of the second.
    parts.append(f'<path d="M{LEFT + full / 2:g} 156 v28" stroke="#ffffff" stroke-width="2"/>')
    for column, words in enumerate(["load: a half", "then: a half"]):
        text(LEFT + full * (2 * column + 1) / 4, 175, words)
    text((left(3) + left(4) + BOX) / 2, 175, "map, tap and catchFailure have no share", 12, fill=FAINT)

    lane(228, "an error")
    dot(middle(1), 224, RED)
    arrow(middle(1), middle(4), 224, RED, dashed=True)
    words = "map throws: then and tap do not run, and catchFailure sees the error"
    text((middle(1) + middle(4)) / 2, 244, words, 12, fill=FAINT)

    lane(290, "cancel()")
    dot(middle(2), 286, INK)
    arrow(middle(2), middle(4), 286)
    text((middle(2) + middle(4)) / 2, 306, "goes down from the promise that then has made", 12, fill=FAINT)
    text((middle(0) + middle(1)) / 2 + 20, 290, "these two go on", 12, fill=FAINT)

    lane(340, "cancel(")
    lane(358, "upstream: true)")
    dot(middle(2), 344, INK)
    arrow(middle(2), middle(4), 344)
    arrow(middle(2), middle(0), 344)
    words = "goes down, and then gives up the source: the work behind load stops"
    text((middle(0) + middle(4)) / 2, 366, words, 12, fill=FAINT)

    lane(412, "a second client")
    box(left(0), 392, BOX, 34, "#f6f8fa", FAINT)
    text(middle(0), 414, "page.map { … }", code=True)
    for y, words in [(406, "If another client has made a promise from load's promise, and still wants it,"),
                     (424, "cancel(upstream: true) stops map, and load goes on.")]:
        text(left(1), y, words, 12, "start", FAINT)

    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
            ' role="img">\n<title>A chain of promises: where each link runs, its share of progress, '
            "and the way of an error and of a cancellation</title>\n")
    return head + "\n".join(parts) + "\n</svg>\n"


if sys.argv[1:] not in ([], ["--check"]):
    sys.exit(__doc__.strip())
drawn = draw()
if not sys.argv[1:]:
    PICTURE.write_text(drawn)
elif not PICTURE.exists() or PICTURE.read_text() != drawn:
    sys.exit(f"{PICTURE}: not what draw-chain.py draws; run it")
