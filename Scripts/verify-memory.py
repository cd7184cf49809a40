#!/usr/bin/env python3
"""Checks the search for executions under the memory model of C11. It takes no arguments.

Fails if a litmus test does not have the verdict that RC11 gives it, and if the search and the axioms disagree about a
random program.
"""
import sys

from package import ROOT, finish

sys.path.append(str(ROOT / "Tests/Verification/Memory"))

import axioms  # noqa: E402
import executions  # noqa: E402
import litmus  # noqa: E402


def check_litmus(problems):
    """Runs the litmus tests, with the reduced search and with the other one."""
    for test in litmus.TESTS:
        for is_reduced in (True, False):
            verdict = litmus_verdict(test, executions.Search(test.program, is_reduced=is_reduced))
            if verdict != test.verdict:
                problems.append(f"litmus.py: {test.name}: expected: {test.verdict}, found: {verdict}")


def check_search(count, problems):
    """Compares the search with the axioms, on random programs."""
    for seed in range(count):
        threads = axioms.random_threads(seed)
        expected = axioms.outcomes_of(threads)
        for is_reduced in (True, False):
            search = executions.Search(axioms.program_of(threads), is_reduced=is_reduced)
            if expected != (None if search.defect else search.outcomes):
                problems.append(f"axioms.py: the search finds other results of the random program {seed}")


def litmus_verdict(test, search):
    """Returns the verdict of a litmus test, in its own words."""
    if search.defect:
        return {"a race": "races", "hangs:": "hangs"}.get(search.defect[:6], "fails")
    if test.verdict == "holds":
        return "holds"
    return "allowed" if any(test.condition(results) for results in search.outcomes) else "forbidden"


def main():
    problems = []
    check_litmus(problems)
    check_search(2_000, problems)
    finish(problems)


if __name__ == "__main__":
    main()
