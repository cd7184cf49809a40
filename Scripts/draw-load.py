#!/usr/bin/env python3
"""Draws a picture of the figures of `make proof ONLY=load`, and fails if a figure has become worse.

    draw-load FILE              reads the CSV file FILE, prints the verdict, and writes .build/load/load.svg
    draw-load FILE --picture P  writes the picture to P; Docs/Reliability.md shows Docs/Pictures/load.svg
    draw-load --check           fails if the criterion does not tell rising figures from flat ones

The criterion was fixed before the first run:

- The warm-up is not judged: the first quarter of the run, but at most ten minutes. The picture shows it in grey.
- The second half of the run is judged. A line is drawn through the figures by the method of Theil and Sen: its slope is
  the median of the slopes between all pairs of points, so single outliers do not move it.
- *Change* is the slope times the length of the half. *Spread* is the range between the quartiles of the distances from
  the line, or 2 % of the median, whichever is larger. For a count of descriptors or threads it is at least 2.
- A figure of memory, descriptors, threads or time is worse if it has risen by more than its spread, and a number per
  second if it has fallen by more. Everything else is flat.
"""
import argparse
import csv
import html
import math
import pathlib
import random
import statistics
import sys

from package import ROOT

PICTURE = ROOT / ".build/load/load.svg"
LONGEST_WARM_UP = 600  # seconds
TOLERANCE = 0.02
COUNTS = ["descriptors", "threads"]
COUNT_TOLERANCE = 2
FEWEST = 8  # With fewer points, nothing is judged.


# MARK: The criterion


class Verdict:
    """The judgement about one column."""

    def __init__(self, name, times, values):
        self.name = name
        half = [(t, v) for t, v in zip(times, values) if v is not None and t > times[-1] / 2]
        self.is_judged = len(half) >= FEWEST
        if not self.is_judged:
            self.median = self.change = self.spread = math.nan
            self.is_worse = False
            return
        slope = statistics.median(
            (later - earlier) / (end - start)
            for index, (start, earlier) in enumerate(half) for end, later in half[index + 1:])
        distances = [value - slope * time for time, value in half]
        quartiles = statistics.quantiles(distances, n=4)
        self.median = statistics.median(value for _, value in half)
        self.change = slope * (half[-1][0] - half[0][0])
        self.spread = max(quartiles[2] - quartiles[0], TOLERANCE * abs(self.median))
        if name in COUNTS:
            self.spread = max(self.spread, COUNT_TOLERANCE)
        self.is_worse = (-self.change if name.endswith("per second") else self.change) > self.spread

    def __str__(self):
        if not self.is_judged:
            return f"{self.name}: too few figures"
        word = "WORSE" if self.is_worse else "flat"
        return f"{self.name}: {word}, median {self.median:.4g}, change {self.change:+.3g}, spread {self.spread:.3g}"


def check():
    """Checks the criterion with made-up runs of an hour."""
    noise = random.Random(7)
    times = [10 * (index + 1) for index in range(360)]
    cases = [  # a name, a value for each time, and whether it is worse
        ("constant", lambda t: 28, False),
        ("noise", lambda t: noise.gauss(100, 10), False),
        ("noise with outliers", lambda t: noise.gauss(1, 0.1) * (50 if noise.random() < 0.02 else 1), False),
        ("a warm-up", lambda t: 100 + 50 * (1 - math.exp(-t / 300)), False),
        ("threads", lambda t: 23 + (t > 2_700), False),
        ("a leak of 3 %", lambda t: 100 + 6 * t / 3_600, True),
        ("a leak with noise", lambda t: noise.gauss(100 + 30 * t / 3_600, 3), True),
        ("a latency that doubles", lambda t: (1 + t / 3_600) * math.exp(noise.gauss(0, 0.1)), True),
        ("descriptors", lambda t: 20 + t // 300, True),
        ("steady per second", lambda t: noise.gauss(2_000, 20), False),
        ("a fall per second", lambda t: 2_000 - 200 * t / 3_600, True),
    ]
    problems = []
    for name, value, is_worse in cases:
        verdict = Verdict(name, times, [value(time) for time in times])
        if verdict.is_worse != is_worse:
            problems.append(f"draw-load.py: this must be {'worse' if is_worse else 'flat'}: {verdict}")
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


# MARK: The figures


class Run:
    def __init__(self, file):
        with open(file, newline="") as lines:
            rows = list(csv.DictReader(lines))
        if len(rows) < FEWEST:
            sys.exit(f"draw-load.py: {file}: only {len(rows)} lines")
        self.columns = {name: [float(row[name]) if row[name] else None for row in rows] for name in rows[0]}
        self.times = self.columns.pop("seconds")
        self.live = statistics.median(self.columns.pop("live promises"))
        self.warm_up = min(self.times[-1] / 4, LONGEST_WARM_UP)
        self.verdicts = {name: Verdict(name, self.times, values) for name, values in self.columns.items()}

    @property
    def loads(self):
        return [name.removesuffix(" per second") for name in self.columns if name.endswith(" per second")]


# MARK: The picture

WIDTH = 960
MARGIN = 20
COLUMNS = 3
PANEL = 288  # the width of a panel
GAP = 28
HEIGHT = 96  # of the lines in a panel
ROW = 168
TOP = 92
POINTS = 120  # A line has at most this many points. Each is a median.
STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px; fill: #1f2328; }
.title { font-size: 18px; font-weight: bold; }
.name { font-weight: bold; }
.small { font-size: 11px; }
.quiet { fill: #59636e; }
.worse { fill: #d9480f; font-weight: bold; }
.ground { fill: #ffffff; }
.warm { fill: #eef1f4; }
.step { stroke: #d8dee4; }
.line { fill: none; stroke-width: 1.5; stroke: #2f6fde; }
.second { stroke: #d98e0f; }
.third { stroke: #b3365b; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .quiet { fill: #9aa4af; }
  .worse { fill: #ff8a4c; }
  .ground { fill: #0d1117; }
  .warm { fill: #1b2129; }
  .step { stroke: #2b313a; }
  .line { stroke: #4d8dff; }
  .second { stroke: #e3a33a; }
  .third { stroke: #e06a8c; }
}
"""
LINES = ["line", "line second", "line third"]


def thinned(points):
    """Returns at most POINTS points, each the median of its neighbours."""
    size = math.ceil(len(points) / POINTS)
    groups = [points[index:index + size] for index in range(0, len(points), size)]
    return [(statistics.median(t for t, _ in group), statistics.median(v for _, v in group)) for group in groups]


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


class Picture:
    def __init__(self, run):
        self.run = run
        self.parts = []
        self.count = 0

    def text(self, x, y, words, style="", anchor="start"):
        self.parts.append(f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
                          f'{html.escape(words, quote=False)}</text>')

    def panel(self, title, names, rate=None, is_logarithmic=False):
        """Draws some columns in one panel, from 0, or on a logarithmic scale."""
        left = MARGIN + self.count % COLUMNS * (PANEL + GAP)
        top = TOP + self.count // COLUMNS * ROW + 40
        self.count += 1
        series = [[(t, v) for t, v in zip(self.run.times, self.run.columns[name]) if v is not None] for name in names]
        series = [thinned(points) for points in series if points]
        values = [value for points in series for _, value in points if value > 0 or not is_logarithmic]
        if not values:
            return
        if is_logarithmic:
            low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)) + 0.01)
        else:
            low, high = 0, max(values) * 1.15 or 1

        def place(time, value):
            part = (math.log(value / low) / math.log(high / low)) if is_logarithmic else (value - low) / (high - low)
            return f"{left + PANEL * time / self.run.times[-1]:.1f},{top + HEIGHT * (1 - part):.1f}"

        self.text(left, top - 24, title, "name")
        verdicts = [self.run.verdicts[name] for name in names + ([rate] if rate else [])]
        worse = [verdict.name.removeprefix(f"{title} ") for verdict in verdicts if verdict.is_worse]
        self.text(left + PANEL, top - 24, "worse: " + ", ".join(worse) if worse else "flat",
                  "worse" if worse else "quiet", "end")
        medians = " · ".join(number(self.run.verdicts[name].median) for name in names)
        words = medians if not rate else f"{medians} ms · {number(self.run.verdicts[rate].median)} per second"
        self.text(left, top - 8, words, "quiet small")
        self.parts.append(f'<rect class="warm" x="{left}" y="{top}" height="{HEIGHT}"'
                          f' width="{PANEL * self.run.warm_up / self.run.times[-1]:.1f}"/>')
        for y, value, label in ((top, high, top - 5), (top + HEIGHT, low, top + HEIGHT + 12)):
            self.parts.append(f'<line class="step" x1="{left}" x2="{left + PANEL}" y1="{y}" y2="{y}"/>')
            self.text(left + PANEL, label, number(value), "quiet small", "end")
        for style, points in zip(LINES, series):
            path = " ".join(place(time, value) for time, value in points if value > 0 or not is_logarithmic)
            self.parts.append(f'<polyline class="{style}" points="{path}"/>')

    def drawn(self):
        run = self.run
        for name in ("resident MB", "descriptors", "threads"):
            self.panel(name, [name])
        for load in run.loads:
            self.panel(load, [f"{load} {part} ms" for part in ("p50", "p99", "p99.9")], f"{load} per second", True)
        height = TOP + math.ceil(self.count / COLUMNS) * ROW + 8
        worse = [str(verdict) for verdict in run.verdicts.values() if verdict.is_worse]
        seconds = run.times[-1]
        length = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
        title = f"{length} with {run.live:,.0f} live promises"
        description = "Nothing has become worse." if not worse else "; ".join(worse)
        head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" viewBox="0 0 {WIDTH} {height}" role="img"'
                ' aria-labelledby="title description">', f'<title id="title">{title}</title>',
                f'<desc id="description">{html.escape(description)}</desc>', f"<style>{STYLE}</style>",
                f'<rect class="ground" width="{WIDTH}" height="{height}"/>']
        parts, self.parts = self.parts, []
        self.text(MARGIN, 32, title, "title")
        self.text(MARGIN, 54, "Each panel shows the whole run. The warm-up is grey, and the second half is judged. The numbers"
                  " are medians of the second half.", "quiet")
        self.text(MARGIN, 72, "Loads: milliseconds on a logarithmic scale, half (blue), 99 % (yellow) and 99.9 % (red) of the"
                  " operations of an interval are faster.", "quiet")
        return "\n".join(head + self.parts + parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path, default=PICTURE)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(check())
    if not arguments.file:
        parser.error("a file is required, or --check")
    run = Run(arguments.file)
    arguments.picture.parent.mkdir(parents=True, exist_ok=True)
    arguments.picture.write_text(Picture(run).drawn())
    print("\n".join(str(verdict) for verdict in run.verdicts.values()))
    worse = [verdict.name for verdict in run.verdicts.values() if verdict.is_worse]
    print(f"draw-load.py: {'worse: ' + ', '.join(worse) if worse else 'flat'}")
    sys.exit(1 if worse else 0)


main()
