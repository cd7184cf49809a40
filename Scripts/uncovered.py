#!/usr/bin/env python3
"""Reads lcov from standard input, and prints each line that no test has run, with its reason. With --part,
for a run of few tests, only an excuse that does not match one place is an error.

A line that no test runs needs an excuse in `Tests/uncovered.txt`. A reason without indentation precedes its excuses:

    race: another thread has the lock; Races and Pairs of StressTests
      AnyPromise: old = found & StateWord.locked == 0 ? found : awaitUnlocking()
      Departing: // Another thread has the lock of the entry. … continue

The first word is the kind. An excuse is `File: text`, or `*: text` for all files. It excuses the line with this text;
`first … last` excuses a range of lines. Lines with only brackets need no excuse, because the compiler computes their
counts from other counters, which are inexact with threads.

Exits with 1 if a line that was not run has no excuse, if an excuse does not match exactly one place of its file, or if
it matches only lines that were run. An excuse of the kind `race` may match lines that were run.
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


def lines_with(text, texts):
    """Returns the numbers of the lines that an excuse matches, as one range for each place."""
    first, _, last = text.partition(" … ")
    starts = [n for n, found in enumerate(texts) if found == first and (not last or last in texts[n:])]
    ends = [texts.index(last, start) if last else start for start in starts]
    return [range(start + 1, end + 2) for start, end in zip(starts, ends)]


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


is_part = "--part" in sys.argv[1:]
excuses, places, used, problems = read_excuses(), collections.Counter(), set(), []
for file, counts in sorted(counts_of(sys.stdin).items()):
    texts = [line.strip() for line in file.read_text().split("\n")]
    excuse_of = {}
    for excuse in excuses:
        if excuse[1] in ("*", file.stem):
            found = lines_with(excuse[2], texts)
            places[excuse] += len(found)
            excuse_of |= {number: excuse for lines in found for number in lines}
    for number, count in sorted(counts.items()):
        text, excuse = texts[number - 1], excuse_of.get(number)
        if not count and not set(text) <= set("{}() "):
            line = f"{file.relative_to(ROOT)}:{number}: {text}"
            used.add(excuse)
            print(f"{excuse[0] if excuse else 'no excuse'}: {line}")
            problems += [] if excuse or is_part else [f"not run, and no excuse in Tests/uncovered.txt: {line}"]

for excuse in excuses:
    kind, file, text = excuse
    if places[excuse] != 1 and (file != "*" or not places[excuse]):
        problems.append(f"found {places[excuse]} times, and not once: {file}: {text}")
    elif excuse not in used and kind != "race" and not is_part:
        problems.append(f"a test runs it, so it needs no excuse: {file}: {text}")
finish(problems)
