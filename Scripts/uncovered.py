#!/usr/bin/env python3
"""Reads lcov from standard input, and fails for a line that no test has run and that has no excuse.

Excuses are in `Tests/uncovered.txt`. A reason without indentation precedes its excuses:

    race: another thread has the lock; Races and Pairs of StressTests
      AnyPromise: old = found & StateWord.locked == 0 ? found : awaitUnlocking()
      Departing: // Another thread has the lock of the entry. … continue

The first word is the kind. An excuse is `File: text`, or `*: text` for all files. It excuses the line with this text;
`first … last` excuses a range of lines. Lines with only brackets need no excuse, because the compiler computes their
counts from other counters, which are inexact with threads.

Also fails if an excuse does not match exactly one place of its file, or if it matches only lines that were run. An
excuse of the kind `race` may match lines that were run.
"""
import collections
import pathlib
import re
import sys

from package import ROOT, finish


def read_excuses():
    """Returns the kind, the file and the text of each excuse."""
    kind, found = None, []
    for line in (ROOT / "Tests/uncovered.txt").read_text().splitlines():
        match = re.fullmatch(r"( +)?([\w+]+|\*): (.+)", line)
        if match and match[1] and kind:
            found.append((kind, match[2], match[3]))
        elif match:
            kind = match[2]
        elif line and not line.startswith("#"):
            sys.exit(f"Tests/uncovered.txt: expected `kind: reason`, and below it `File: text`: {line}")
    return found


def lines_with(text, source):
    """Returns the numbers of the lines that an excuse matches, as one range for each place."""
    places = re.finditer(r"(?ms)^" + ".*?^".join(map(re.escape, text.split(" … "))) + "$", source)
    return [range(source.count("\n", 0, m.start()) + 1, source.count("\n", 0, m.end()) + 2) for m in places]


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


excuses, places, used, problems = read_excuses(), collections.Counter(), set(), []
for file, counts in sorted(counts_of(sys.stdin).items()):
    texts = [line.strip() for line in file.read_text().split("\n")]
    excuse_of = {}
    for excuse in excuses:
        if excuse[1] in ("*", file.stem):
            found = lines_with(excuse[2], "\n".join(texts))
            places[excuse] += len(found)
            excuse_of |= {number: excuse for lines in found for number in lines}
    for number, count in sorted(counts.items()):
        text = texts[number - 1]
        if not count and not set(text) <= set("{}() "):
            used.add(excuse_of.get(number))
            if number not in excuse_of:
                problems.append(f"{file.relative_to(ROOT)}:{number}: no test runs it, and it has no excuse: {text}")

for excuse in excuses:
    kind, file, text = excuse
    if places[excuse] != 1 and (file != "*" or not places[excuse]):
        problems.append(f"found {places[excuse]} times, and not once: {file}: {text}")
    elif excuse not in used and kind != "race":
        problems.append(f"a test runs it, so it needs no excuse: {file}: {text}")
finish(problems)
