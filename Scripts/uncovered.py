#!/usr/bin/env python3
"""Reads lcov from standard input. Prints a table of the modules and, after an empty line, each line that no test has
run, with its reason. It takes no arguments.

A line that no test runs needs an excuse in `Tests/uncovered.txt`. A reason without indentation precedes its excuses:

    race: another thread has the lock; Races and Pairs of StressTests
      AnyPromise.lock: old = found & StateWord.locked == 0 ? found : awaitUnlocking()
      Departing.lockAndRemove: // Another thread has the lock of the entry. … continue

The first word is the kind. An excuse is `File.function: text`, `File: text` outside functions, or `*: text` anywhere.
It excuses the lines with this text; `first … last` excuses a range of lines. An excuse also covers a brace below the
excused line.

Exits with 1 if a line that was not run has no excuse, if an excuse matches no line, or if it matches only lines that
were run. An excuse of the kind `race` may match lines that were run.
"""
import collections
import pathlib
import re
import sys

from package import ROOT, finish

DECLARATION = re.compile(r"\s*[^/\"]*?(?:\bfunc `?(\w+|[^\w\s(]+)`?|\b(init|deinit|subscript)\b(?=[?<({ ])|\bvar `?(\w+)`?\b[^=]*\{)")


class Excuse:
    def __init__(self, kind, file, function, text):
        self.kind, self.file, self.function, self.text = kind, file, function, text
        self.is_found = self.is_used = False

    def __str__(self):
        return f"{self.file}{'.' if self.function else ''}{self.function or ''}: {self.text}"

    def lines(self, texts, functions):
        """Returns the numbers of the excused lines."""
        first, _, last = self.text.partition(" … ")
        here = [n for n, text in enumerate(texts, 1) if self.file == "*" or functions[n] == self.function]
        ends = [n for n in here if texts[n - 1] == last]
        found = []
        for start in (n for n in here if texts[n - 1] == first):
            end = next((n for n in ends if n > start), 0) if last else start
            found += range(start, end + 1)
        return found


def read_excuses():
    kind, found = None, collections.defaultdict(list)
    for line in (ROOT / "Tests/uncovered.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\s+)?([\w+]+|\*)(?:\.(\S+?))?: (.+)", line)
        if not match or match[1] and not kind:
            sys.exit(f"Tests/uncovered.txt: expected `kind: reason`, and below it `File.function: text`: {line}")
        if match[1]:
            found[match[2]].append(Excuse(kind, *match.groups()[1:]))
        else:
            kind = match[2]
    return found


def functions_of(lines):
    """Returns the innermost function, initialiser or computed property around each line, from 1."""
    around, found = [], [None]
    for line in lines:
        text, margin = line.lstrip(), len(line) - len(line.lstrip())
        match = DECLARATION.match(line)
        # A declaration ends before a line with a smaller margin, or with its own margin unless that line goes on with it.
        is_continued = text[:1] in [")", "}"] and not match
        while text and around and (margin < around[-1][0] or margin == around[-1][0] and not is_continued):
            around.pop()
        if match:
            around.append((margin, next(filter(None, match.groups()))))
        found.append(around[-1][1] if around else None)
        if text.startswith("}") and around and margin == around[-1][0]:
            around.pop()
    return found


def counts_of(lcov):
    """Returns how often each line of each file was run."""
    file, counts = None, collections.defaultdict(lambda: collections.defaultdict(int))
    for line in lcov:
        key, _, rest = line.strip().partition(":")
        if key == "SF":
            file = pathlib.Path(rest).resolve()
        elif key == "DA" and file.is_relative_to(ROOT / "Sources"):
            number, count = map(int, rest.split(",")[:2])
            counts[file][number] = max(counts[file][number], count)
    return counts


excuses = read_excuses()
modules = collections.defaultdict(collections.Counter)
missing, excused = [], []
for file, counts in sorted(counts_of(sys.stdin).items()):
    place = file.relative_to(ROOT)
    lines = file.read_text().split("\n")
    functions, texts = functions_of(lines), [line.strip() for line in lines]
    excuse_of = {}
    for excuse in excuses["*"] + excuses[file.stem]:
        found = excuse.lines(texts, functions)
        excuse.is_found |= bool(found)
        excuse_of |= dict.fromkeys(found, excuse)
    before = None
    for number, count in sorted(counts.items()):
        text = texts[number - 1]
        excuse = excuse_of.get(number) or (before if set(text) <= set("{}() ") else None)
        before = None if count else excuse
        modules[place.parts[1]]["run" if count else "excused" if excuse else "missing"] += 1
        if not count and excuse:
            excuse.is_used = True
            excused.append(f"{place}:{number}: {excuse.kind}: {text}")
        elif not count:
            missing.append(f"{place}:{number}: {functions[number] or 'outside'}: {text}")

print(f"{'module':<20}{'lines':>8}{'run':>8}{'excused':>10}{'no excuse':>11}{'share run':>11}")
for module, total in sorted(modules.items()):
    share = total["run"] / total.total()
    print(f"{module:<20}{total.total():>8}{total['run']:>8}{total['excused']:>10}{total['missing']:>11}{share:>11.2%}")
print("", *missing, *excused, sep="\n")

listed = sum(excuses.values(), [])
problems = [f"no such line, in Tests/uncovered.txt: {excuse}" for excuse in listed if not excuse.is_found]
# The compiler computes the count of a closing brace from other counters, which are inexact with threads.
certain = [excuse for excuse in listed if excuse.kind != "race" and excuse.text != "}"]
stale = [excuse for excuse in certain if excuse.is_found and not excuse.is_used]
problems += [f"a test runs it, so it needs no excuse: {excuse}" for excuse in stale]
finish(problems + [f"not run, and no excuse in Tests/uncovered.txt: {line}" for line in missing])
