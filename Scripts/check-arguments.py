#!/usr/bin/env python3
"""Fails for unsafe code and for `@unchecked Sendable` without an argument, and for another spelling of one. It takes no
arguments.

A type that is `@unchecked Sendable` has the comment “`@unchecked Sendable`, because …” above it or in its first lines.
A file with unsafe code has a comment “Safe, because …” at the code, or “`@safe`, because …” at the type. The comment of
`Entry` argues for all uses of its pointer `link`.
"""
import re

from package import ROOT, finish

# Each must be necessary.
EXCEPTIONS = {
    "Sources/PromiseRecording/Page/PageSource.swift": "the text of a page, which forbids unsafe scripts",
}
BECAUSE = "`@unchecked Sendable`, because "
OTHER = re.compile(
    r"//.*(?:\b[Ss]afe(?: because|:)|`@safe` because|`@unchecked`|`@unchecked Sendable`(?:: | is | because))"
)
UNSAFE = re.compile(r"\bunsafe\b(?!.*\blink\.pointee\b)")
ABOVE = 14  # A comment above a type may have this many lines.
BELOW = 8


def problems_in(lines):
    """Yields the number of each line with a problem, and the problem."""
    code = [line.partition("//")[0] for line in lines]
    comments = [line.partition("//")[2] for line in lines]
    for number, line in enumerate(lines):
        if OTHER.search(line):
            yield number, "not the usual spelling: “Safe, because …” or “`@unchecked Sendable`, because …”"
        if "@unchecked Sendable" in code[number]:
            near = comments[max(0, number - ABOVE) : number + BELOW]
            if not any(BECAUSE in comment for comment in near):
                yield number, "no comment “`@unchecked Sendable`, because …” says why"
    is_argued = any(re.search(r"\bSafe, |`@safe`, because ", comment) for comment in comments)
    unsafe = [number for number, line in enumerate(code) if UNSAFE.search(line)]
    if unsafe and not is_argued:
        yield unsafe[0], "no comment “Safe, because …” says why"


problems = []
for path in sorted((ROOT / "Sources").rglob("*.swift")):
    name = str(path.relative_to(ROOT))
    found = [f"{name}:{number + 1}: {problem}" for number, problem in problems_in(path.read_text().splitlines())]
    if name not in EXCEPTIONS:
        problems += found
    elif not found:
        problems.append(f"{name}: needs no exception")
problems += [f"{name}: there is no such file" for name in EXCEPTIONS if not (ROOT / name).is_file()]
finish(problems)
