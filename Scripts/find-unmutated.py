#!/usr/bin/env python3
"""Lists the conditions that were added to the sources, and that are in the text of no mutation.

    find-unmutated            lists those that the last commit does not have
    find-unmutated COMMIT     lists those that this commit or branch does not have

It never fails, because some conditions need no mutation. Tests/Verification/Mutants has the mutations.
"""
import re
import sys

from mutate import read_mutations
from package import ROOT, git

CONDITION = re.compile(r"\b(?:if|guard|while|switch)\b|&&|\|\|| \? |\?\?")


def added_lines(commit):
    """Yields the lines that were added to the sources since a commit, as pairs of a file and a number from 1."""
    for file in git("ls-files", "--others", "--exclude-standard", "Sources").splitlines():
        yield from ((file, number) for number, _ in enumerate((ROOT / file).open(), 1))
    file = None
    for line in git("diff", "--unified=0", "--no-color", commit, "--", "Sources").splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ ").removeprefix("b/")
        elif hunk := re.match(r"@@ .* \+(\d+)(?:,(\d+))? @@", line):
            first = int(hunk[1])
            yield from ((file, number) for number in range(first, first + int(hunk[2] or 1)))


mutations = read_mutations()
for file, number in sorted(added_lines(*(sys.argv[1:] or ["HEAD"]))):
    if not file.endswith(".swift") or "/Families/" in file:
        continue
    lines = (ROOT / file).read_text().splitlines(keepends=True)
    start = sum(map(len, lines[: number - 1]))
    end = start + len(lines[number - 1])
    code = lines[number - 1].partition("//")[0]
    places = [mutation.place for mutation in mutations if mutation.file == file]
    if CONDITION.search(code) and not any(first < end and start < last for first, last in places):
        print(f"{file}:{number}: {code.strip()}")
