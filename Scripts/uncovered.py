#!/usr/bin/env python3
"""Reads lcov from standard input. Prints a table of the modules and, after an empty line, each line that no test has
run, with its reason. Usage: uncovered [--part] <lines.lcov

A line that no test runs needs an excuse in `Tests/uncovered.txt`. A reason without indentation precedes its excuses:

    race: another thread has the lock; Races and Pairs of StressTests
      AnyPromise.lock: old = found & StateWord.locked == 0 ? found : awaitUnlocking()
      Departing.lockAndRemove: // Another thread has the lock of the entry. … continue

The first word is the kind, which has a column in the table. An excuse is `File.function: text`, `File: text` outside
functions, or `*: text` anywhere. It excuses the lines with this text; `first … last` excuses a range of lines. An
excuse also covers a brace below the excused line. A line that ends with a backslash continues in the next line.

Exits with 1 if a line that was not run has no excuse, if an excuse matches no line, or if it matches only lines that
were run. An excuse of the kind `race` may match lines that were run. With --part, for a run of few tests, only an
excuse that matches no line is an error.
"""
import collections
import os
import re
import sys

root = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
exempt_path = os.path.join(root, "Tests/uncovered.txt")
is_part = "--part" in sys.argv[1:]
declaration = re.compile(r"\s*[^/\"]*?(?:\bfunc `?(\w+|[^\w\s(]+)`?|\b(init|deinit|subscript)\b(?=[?<({ ])|\bvar `?(\w+)`?\b[^=]*\{)")


class Excuse:
    def __init__(self, place, kind, file, function, text):
        self.place, self.kind, self.file, self.function = place, kind, file, function
        self.first, _, self.last = text.partition(" … ")
        self.is_found = self.is_used = False
        # The compiler computes the count of a closing brace from other counters, which are inexact with threads.
        self.may_run = kind == "race" or text == "}"

    def spans(self, texts, functions):
        """Yields the first and the last line number of each excused range."""
        start = None
        for number, text in enumerate(texts, 1):
            if self.file != "*" and functions[number] != self.function:
                start = None
            elif not self.last and text == self.first:
                yield number, number
            elif self.last and start is None and text == self.first:
                start = number
            elif self.last and start and text == self.last:
                yield start, number
                start = None


def functions_of(lines):
    """Returns the innermost function, initialiser or computed property around each line, from 1."""
    open_ones, found = [], [None]
    for line in lines:
        text, margin = line.lstrip(), len(line) - len(line.lstrip())
        match = declaration.match(line)
        while text and open_ones and (margin < open_ones[-1][0] or margin == open_ones[-1][0] and text[0] not in ")}" and not match):
            open_ones.pop()
        if match:
            while open_ones and open_ones[-1][0] >= margin:
                open_ones.pop()
            open_ones.append((margin, next(filter(None, match.groups()))))
        found.append(open_ones[-1][1] if open_ones else None)
        if text.startswith("}") and open_ones and margin == open_ones[-1][0]:
            open_ones.pop()
    return found


excuses = collections.defaultdict(list)
kinds = []
if os.path.exists(exempt_path):
    kind = None
    text, number, lines = "", 0, []
    for number, line in enumerate(open(exempt_path, encoding="utf-8"), 1):
        # A backslash at the end continues the line.
        text += line.rstrip() if not text else line.strip()
        if text.endswith("\\"):
            text = text[:-1]
        else:
            lines.append((number, text))
            text = ""
    for number, line in lines:
        place = f"{exempt_path}:{number}"
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            kind, _, reason = line.partition(": ")
            if not reason:
                sys.exit(f"{place}: expected `kind: reason`")
            if kind not in kinds:
                kinds.append(kind)
            continue
        match = re.fullmatch(r"\s+([\w+]+|\*)(?:\.(\S+?))?: (.+)", line)
        if not match or not kind:
            sys.exit(f"{place}: expected `File.function: text` below a reason")
        excuses[match[1]].append(Excuse(place, kind, *match.groups()))

file = None
counts = collections.defaultdict(dict)
for line in sys.stdin:
    key, _, rest = line.rstrip("\n").partition(":")
    if key == "SF":
        file = os.path.relpath(os.path.realpath(rest), root)
    elif key == "DA" and file and file.startswith("Sources/"):
        number, count = rest.split(",")[:2]
        counts[file][int(number)] = max(counts[file].get(int(number), 0), int(count))

modules = collections.defaultdict(collections.Counter)
missing, excused = [], []
for file, lines in sorted(counts.items()):
    texts = open(os.path.join(root, file), encoding="utf-8").read().split("\n")
    functions, texts = functions_of(texts), [text.strip() for text in texts]
    about = {}
    for excuse in excuses["*"] + excuses[os.path.splitext(os.path.basename(file))[0]]:
        for first, last in excuse.spans(texts, functions):
            excuse.is_found = True
            about.update((number, excuse) for number in range(first, last + 1))
    total = modules[file.split("/")[1]]
    before = None
    for number, count in sorted(lines.items()):
        text = texts[number - 1]
        excuse = about.get(number) or (before if set(text) <= set("{}() ") else None)
        before = None if count else excuse
        total["lines"] += 1
        if count:
            total["run"] += 1
        elif excuse:
            excuse.is_used = True
            total[excuse.kind] += 1
            excused.append(f"{file}:{number}: {excuse.kind}: {text}")
        else:
            total["missing"] += 1
            missing.append(f"{file}:{number}: {functions[number] or 'outside'}: {text}")

print(f"{'module':<20}{'lines':>8}{'run':>8}" + "".join(f"{kind:>10}" for kind in kinds) + f"{'no excuse':>11}{'share run':>11}")
for module, total in sorted(modules.items()):
    columns = "".join(f"{total[kind]:>10}" for kind in kinds)
    share = total["run"] / total["lines"]
    print(f"{module:<20}{total['lines']:>8}{total['run']:>8}{columns}{total['missing']:>11}{share:>11.2%}")
print()
print("\n".join(missing + excused))

stale = []
for excuse in sum(excuses.values(), []):
    what = f"{excuse.file}.{excuse.function}" if excuse.function else excuse.file
    if not excuse.is_found:
        stale.append(f"{excuse.place}: no such line: {what}: {excuse.first}")
    elif not excuse.is_used and not excuse.may_run and not is_part:
        stale.append(f"{excuse.place}: a test runs it, so it needs no excuse: {what}: {excuse.first}")
if missing and not is_part:
    stale += [f"not run, and no excuse in Tests/uncovered.txt: {line}" for line in missing]
if stale:
    sys.exit("\n".join(stale))
