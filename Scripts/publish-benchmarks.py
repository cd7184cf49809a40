#!/usr/bin/env python3
"""Writes the results of `make bench` into the tables of README.md, Docs/Performance.md and
Docs/Reference/BenchmarkResults.md, and copies the chart to Docs/Pictures.

    publish-benchmarks [FOLDER]   reads results.json, report.md and chart.svg in FOLDER, by default .build/bench

Replaces the text between the markers `<!-- bench:… -->`. Figures come from results.json, and the machine comes from
report.md. All figures of a document come from one run. Therefore the script fails and writes nothing if the run was
quick, lacks a workload or a subject, or could not pin the threads of a workload to its cores.
"""
import json
import pathlib
import re
import shutil
import sys

from package import ROOT

SOURCES = ROOT / "Benchmarks/Sources/bench"
README = ROOT / "README.md"
GUIDE = ROOT / "Docs/Performance.md"
RESULTS = ROOT / "Docs/Reference/BenchmarkResults.md"
CHART = ROOT / "Docs/Pictures/benchmarks.svg"
AGAIN = "run `make bench` again, without WORKLOAD and SUBJECT"


def fail(file, message):
    path = pathlib.Path(file).resolve()
    sys.exit(f"publish-benchmarks.py: {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {message}")


def read(file, hint="run `make bench` first"):
    try:
        return file.read_text()
    except OSError as error:
        fail(file, f"{error.strerror}; {hint}")


def known(file, pattern):
    """Returns the ids of a list in the sources, such as W4p for `.w4p`. The run must contain all of them."""
    found = re.search(pattern, read(file, "it has moved; see Scripts/publish-benchmarks.py"), re.DOTALL)
    ids = re.findall(r"\.([a-z]\w*)", found.group(1)) if found else []
    return [id[0].upper() + id[1:] for id in ids] or fail(file, "no list of ids found; see Scripts/publish-benchmarks.py")


# MARK: The run


class Run:
    def __init__(self, folder):
        self.folder = folder
        results = folder / "results.json"
        try:
            rows = json.loads(read(results))
            self.timed = [row for row in rows if row["median_ns"] is not None]
            self.figures = [row for row in rows if row["median_ns"] is None]
            self.ids = list(dict.fromkeys(row["workload"] for row in self.timed))
        except (ValueError, TypeError, KeyError) as error:
            fail(results, f"not what the benchmark writes: {error!r}")
        self.report = read(folder / "report.md")
        self.check(results)
        self.facts = dict(re.findall(r"^- (\w[\w ]*): (.+)$", self.report, re.MULTILINE))
        described = re.findall(r"^- \*\*(\w+)\*\*: .+; per [^.;]+\. Baseline: .+\.$", self.report, re.MULTILINE)
        for id in self.ids:
            if id not in described:
                fail(folder / "report.md", f"says nothing of {id}, which results.json has: of two runs?")

    def check(self, results):
        if "A quick run" in self.report:
            fail(self.folder / "report.md", "a quick run, which is not to be quoted; run `make bench`")
        alone = [row["workload"] for row in self.timed if row["ratio"] is None]
        if alone:
            fail(results, f"no ratios, for one subject ran alone: {' '.join(dict.fromkeys(alone))}; {AGAIN}")
        single = [row["workload"] for row in self.timed if row["subject"] == "promise" and row["ratio_min"] is None]
        if single:
            fail(results, f"no ranges, for one process measured: {' '.join(single)}; run `make bench` again")
        loose = [row["workload"] for row in self.timed if not row["pinned"]]
        if loose:
            fail(results, f"threads were not on the cores that these ask for: {' '.join(dict.fromkeys(loose))}")
        there = {row["workload"] for row in self.timed if row["subject"] == "promise"}
        there |= {row["workload"].split()[0] for row in self.figures}
        wanted = known(SOURCES / "Workloads/Workload+All.swift", r"let all: \[Workload\] = \[(.*?)\]")
        wanted += known(SOURCES / "Harness/Gauge.swift", r"let all: \[Gauge\] = \[(.*?)\]")
        missing = [id for id in wanted if id not in there]
        if missing:
            fail(results, f"lacks {' '.join(missing)}; {AGAIN}")

    def rows(self, id):
        return [row for row in self.timed if row["workload"] == id]

    def fact(self, name):
        return self.facts.get(name) or fail(self.folder / "report.md", f"does not say: {name}")


# MARK: Tables


def table(header, rows):
    """Returns a table in Markdown. A column whose heading begins with `>` is aligned to the right."""
    rule = ["--:" if head[:1] == ">" else "---" for head in header]
    lines = [[head.lstrip(">") for head in header], rule] + rows
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def goals(row):
    median = "" if row["goal"] is None else f"≤ {row['goal']:.2f}"
    return median if row["p99_goal"] is None else f"{median}, p99 ≤ {row['p99_goal']:.2f}"


def spread(row):
    """Returns the range of the ratios of all processes."""
    return f"{row['ratio_min']:.2f}–{row['ratio_max']:.2f}"


def time(nanoseconds):
    """Returns the time with its unit, or an empty text if there is no time."""
    if nanoseconds is None:
        return ""
    if nanoseconds >= 1_000_000:
        return f"{nanoseconds / 1_000_000:.2f} ms"
    return f"{nanoseconds / 1000:.2f} µs" if nanoseconds >= 1000 else f"{nanoseconds:.0f} ns"


def figures(run):
    rows = []
    for row in run.figures:
        goal = "" if row["goal"] is None else f"≤ {row['goal']:,.0f}"
        rows.append([row["workload"], f"{row['n']:,}", goal, row["verdict"].split(" ")[0]])
    return table(["memory and size", ">figure", ">goal", "verdict"], rows)


# The task and the baseline of each row in Docs/Performance.md.
TASKS = {
    "W1": ("run a handler of a settled promise on a serial queue, and wait for it", "`queue.async`"),
    "W3p": ("build three `map(on: queue)`, fulfil, and wait for the last", "three nested `queue.async`"),
    "W4p": ("fulfil 10,000 promises that have a handler each on the pool", "`queue.async` on a concurrent queue"),
    "W4w": ("the same with 5 µs of work in each handler", "the same work in `queue.async` on a global queue"),
    "W5": ("fulfil one promise that has 10,000 handlers on a serial queue", "10,000 `queue.async`"),
    "W7": ("run a loop of a million `then` on the pool", "nested `DispatchQueue.global().async`"),
    "W7s": ("run a loop of a million `then` on a serial queue", "nested `queue.async`"),
    "W8": ("make 10,000 tasks on a concurrent queue, and `Promise.all` of them", "`queue.async(group:)` and `notify`"),
    "W15": ("three times: 32 handlers of one promise on the pool, and `Promise.all` of them",
            "32 `queue.async(group:)` and `notify`"),
    "W10": ("await `promise.value`, fulfilled by another thread", "`withCheckedContinuation`"),
    "W12o": ("run chains of 8 `map(on: queue)`, whose owners the program holds", "the same chains with nothing held"),
    "W12a": ("run the same chains, of which the program holds every promise", "the same chains with nothing held"),
}
# The rows in README. They measure a usual chain, a burst, the wait of a Task, and a long loop.
COSTS = ["W3p", "W4p", "W10", "W7s"]


def promise(run, id):
    return next((row for row in run.rows(id) if row["subject"] == "promise"), None) or fail(run.folder, f"lacks {id}")


def ratio(run, id):
    return f"{promise(run, id)['ratio']:.2f}"


def costs(run):
    """Returns the table of README."""
    rows = [[*TASKS[id], f"{ratio(run, id)} times", spread(promise(run, id))] for id in COSTS]
    return machine(run) + "\n\n" + table(["task", "baseline", ">cost", ">range"], rows)


def short(run):
    """Returns the table of Docs/Performance.md."""
    rows = [[id, *words, ratio(run, id), spread(promise(run, id))] for id, words in TASKS.items()]
    return machine(run) + "\n\n" + table(["", "task", "baseline", ">ratio", ">range"], rows)


def machine(run):
    return f"{run.fact('processor')}, {run.fact('cores')} cores, {run.fact('system').split(',')[0]}, " \
        f"Swift {run.fact('Swift').split()[0]}, {run.fact('date')[:10]}:"


def full(run):
    """Returns the tables of Docs/Reference/BenchmarkResults.md, with a row for each workload and each figure."""
    rows = []
    for id in run.ids:
        by = {row["subject"]: row for row in run.rows(id)}
        base = run.rows(id)[0]
        promise = by.get("promise") or fail(run.folder, f"lacks {id}")
        other = f"{by['concurrency']['ratio']:.2f}" if "concurrency" in by and base["subject"] != "concurrency" else ""
        p99 = f", p99 {promise['p99_ratio']:.2f}" if promise["p99_goal"] is not None else ""
        rows.append([id, time(base["median_ns"]), time(promise["median_ns"]), f"{promise['ratio']:.2f}{p99}",
                     spread(promise), goals(promise), promise["verdict"], other])
    header = ["id", ">baseline", ">promises", ">ratio", ">range", ">goal", "verdict", ">Swift concurrency"]
    return "\n\n".join([table(header, rows), figures(run)])


# MARK: Documents


def filled(document, blocks):
    text = read(document, "it must have the markers")
    for name, block in blocks.items():
        begin = f"<!-- bench:{name} -->"
        end = "<!-- /bench -->"
        parts = re.split(rf"(?s){begin}.*?{end}", text)
        if len(parts) != 2 or "<!-- bench:" in text.split(begin, 1)[1].split(end, 1)[0]:
            fail(document, f"must have {begin} … {end} once")
        text = f"{begin}\n{block}\n{end}".join(parts)
    return text


if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
    sys.exit(__doc__.strip())
run = Run(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / ".build/bench")
chart = run.folder / "chart.svg"
read(chart)
documents = {README: filled(README, {"costs": costs(run)}),
             GUIDE: filled(GUIDE, {"short": short(run)}),
             RESULTS: filled(RESULTS, {"full": machine(run) + "\n\n" + full(run)})}
for document, text in documents.items():
    document.write_text(text)
shutil.copyfile(chart, CHART)
names = ", ".join(str(file.relative_to(ROOT)) for file in [*documents, CHART])
print(f"publish-benchmarks.py: the run of {run.fact('date')} is in {names}")
