#!/usr/bin/env python3
"""Prints the Swift code of each step of the models, with its lines in the model and in the sources.

    map-models [--check] [model...]   with --check, prints only the problems

In a model, `S: File.function: text` maps a step to the line with `text` in that function of
Sources/PromiseCore/**/File.swift (or of the MODULES). The script searches for the current line, so the mapping
cannot be out of date. Fails if a file, a function or a text is missing, or if an atomic operation of the engine is
neither a step of a model nor in `UNMODELLED`.
"""
import re
import sys

from package import ROOT, finish

MODELS = ROOT / "Tests/Verification/Models"

# The reasons why some atomic operations are in no model. A key is a file, or a file and a function.
UNMODELLED = {
    "AnyPromise.init": "no other thread knows the promise yet",
    "AnyPromise.acquiredState": "the models contain the loads where the functions of the engine use them",
    "AnyPromise.relaxedState": "as `acquiredState`",
    "AnyPromise.tryLock": "a section under the lock bit is one step, or the models have a bit for it",
    "AnyPromise.lockContended": "as `tryLock`",
    "AnyPromise.unlock": "as `tryLock`",
    "AnyPromise.show": "the step of `Tour.place`, which is one section of the stripe",
    "Entry.init": "no other thread knows the entry yet",
    "Finish.isUsed": "is written before an edge, under the lock of which a search reads it",
    "Finish.noteUse": "as `isUsed`",
    "ExclusiveExecution": "one thread at a time runs on the context that it describes",
    "GlobalQueueNotice": "only chooses the caller that prints",
    "Pool+Searching.search": "ends a search early, and in the model a search may end at any time",
    "Pool+Watching.beginWatching": "a section under the lock of the pool is one step",
    "PoolContext": "a switch, and no other memory depends on it",
    "PoolLimitNotice": "as `GlobalQueueNotice`",
    "PoolWorker": "counts jobs for the watcher, which in the model may find at any time that a worker is stuck",
    "QueuePriority": "a gate reads this number, and no other memory depends on it",
    "ShortLock": "a section under this lock is one step",
    "UnnestedWork": "belongs to one thread or Task",
}
UNCHECKED = "Contexts", "Diagnostics", "Progress"  # folders of PromiseCore
ATOMIC = re.compile(r"\.(compareExchange|exchange|load|store|bitwise(Or|Xor|And)"
                    r"|(wrapping)?(Add|Subtract|add|subtract))\((?=.*[oO]rdering|$)")

MODULES = "PromiseCombinators", "PromiseContexts", "PromiseGates", "PromiseCore"

texts = {file.stem: (file.relative_to(ROOT), file.read_text().splitlines())
         for module in MODULES
         for file in sorted((ROOT / "Sources" / module).rglob("*.swift"))}


def bodies(lines, name):
    """Yields the lines, from 0, of each function, initialiser or property of that name. Indentation shows its end."""
    declaration = re.compile(rf"^\s*[^/]*\b(?:func {name}\b|var {name}\b|(?<!\.){name}\??\()" if name == "init" else
                             rf"^\s*deinit\b" if name == "deinit" else rf"^\s*(?:[@\w()]+ )*(?:func|var) {name}\b")
    for start, line in enumerate(lines):
        if not declaration.match(line):
            continue
        margin = re.match(r"\s*", line).group()
        end = start
        if not line.rstrip().endswith("}") or line.count("{") != line.count("}"):
            end = next(n for n in range(start + 1, len(lines)) if lines[n].startswith(margin + "}"))
        yield range(start, end + 1)


problems = []
covered = set()
rows = []
only = {name.removesuffix(".pml") for name in sys.argv[1:] if name != "--check"}
for model in sorted(MODELS.glob("*.pml")):
    for number, line in enumerate(model.read_text().splitlines(), 1):
        for step in re.findall(r"S: (.*?)(?= S: |\s*\*/|$)", line):
            place = f"{model.name}:{number}"
            parts = re.fullmatch(r"([\w+]+)\.(\w+): (.+?);?", step)
            if not parts:
                problems.append(f"{place}: not `S: File.function: text`: {step}")
                continue
            file, function, text = parts.groups()
            path, lines = texts.get(file, (None, []))
            ranges = list(bodies(lines, function))
            found = [n for body in ranges for n in body if text in lines[n]]
            if not found:
                missing = "no such file" if not path else "no such function" if not ranges else "not in that function"
                problems.append(f"{place}: {missing}: {step}")
                continue
            covered.update((file, n) for body in ranges for n in body)
            rows.append((model.stem, place, f"{path}:{found[0] + 1}", f"{function}: {lines[found[0]].strip()}"))

used = set()
for file, (path, lines) in texts.items():
    for number, line in enumerate(lines):
        if not ATOMIC.search(line) or (file, number) in covered:
            continue
        if "PromiseCore" in path.parts and path.parent.name in UNCHECKED:
            used.add(path.parent.name)
            continue
        reasons = [key for key in UNMODELLED if key == file or key.startswith(file + ".")
                   and any(number in body for body in bodies(lines, key.rpartition(".")[2]))]
        used.update(reasons)
        if not reasons:
            problems.append(f"{path}:{number + 1}: an atomic operation that no model has: {line.strip()}")
problems += [f"UNMODELLED is out of date: {key}" for key in UNMODELLED.keys() - used]
problems += [f"UNCHECKED is out of date: {folder}" for folder in set(UNCHECKED) - used]

if "--check" not in sys.argv:
    for model, place, source, code in rows:
        if not only or model in only:
            print(f"{place:20} {source.removeprefix('Sources/'):62} {code[:90]}")
finish(problems)
