#!/usr/bin/env python3
"""Fails if the engine may retain a promise that it reads uncounted, under a stripe. It takes no arguments.

A reader under the stripe of a family reads marks of promises that only another thread retains. That thread may release
such a promise at any moment. If the reader has retained it in the meantime, the reader's release may be the last one.
Then `deinit` hangs, because it waits for the stripe that the reader holds.
The source does not show whether a reference is counted. In a debug build, capturing a variable or converting its type
retains the object. Therefore this script reads unoptimised SIL. It starts at the closures that
`PromisePointer.withUncounted` calls, follows them into the functions of PromiseCore that take a promise, and fails if
one of them counts a reference to a promise.
"""
import re

from package import ROOT, SWIFTC, compiler_options, finish, output_of

SOURCES = ROOT / "Sources/PromiseCore"
READER = "PromisePointer.withUncounted<A>(_:)"
# A function with its title, its name, its type and its instructions.
FUNCTION = re.compile(r"(?m)^// (.*)\n(?://.*\n)*sil .*?@(\S+) : (.*) \{\n((?:.*\n)*?)^\}")
COUNTING = re.compile(r"\b((strong_|unmanaged_)?retain(_value)?|copy_value|strong_copy_unmanaged_value) ")


# Unoptimised SIL of PromiseCore, compiled as in a debug build.
how = ["-emit-sil", "-Onone", "-D", "DEBUG", *compiler_options(), "-module-name", SOURCES.name]
sil = output_of(SWIFTC, *how, *sorted(SOURCES.rglob("*.swift")))
functions = {name: (title, type, body) for title, name, type, body in FUNCTION.findall(sil)}


def callees(body, prefix=""):
    """Returns the functions with such a title, and with a promise as a parameter, to which the instructions refer."""
    for name in re.findall(r"function_ref @(\S+) :", body):
        title, type, _ = functions.get(name, ("", "", ""))
        if title.startswith(prefix) and re.search(r"\b(?:AnyPromise|Promise|Entry)\b", type.rpartition(" -> ")[0]):
            yield name


reader = next((name for name, (title, _, _) in functions.items() if title == READER), None)
readers = [body for _, _, body in functions.values() if f"function_ref @{reader} :" in body]
pending = [name for body in readers for name in callees(body, "closure #")]
problems = [] if pending else [f"no closure of {READER} found"]
followed = set()
while pending:
    name = pending.pop()
    if name not in followed:
        followed.add(name)
        title, _, body = functions[name]
        counting = [line.strip() for line in body.splitlines() if COUNTING.search(line)]
        problems += [f"{title}: counts a promise that it reads uncounted: {line}" for line in counting]
        pending += callees(body)
finish(problems)
