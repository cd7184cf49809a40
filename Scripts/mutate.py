#!/usr/bin/env python3
"""Breaks the library in small ways, and checks that a test fails each time.

Usage: mutate [--check | --list | --tsan] [--stages=<names>] [<which>...]
--check    only checks that each mutation still applies and compiles.
--list     prints the mutations with their numbers.
--tsan     judges the weakened orderings, which no test of behaviour notices, with the races under the thread sanitizer
           (release).
--stages=  runs only some of core, combinators, contexts, testing, foundation, pool, programs, long, races, depth.
<which>    numbers, ranges such as 3-17, or parts of names or paths; all by default.
JOBS=1     in the environment: one mutation at a time instead of two.
TEST_TARGETS=PromiseCoreTests,…  in the environment: builds only these targets, for a run of few stages.

The files in Tests/Verification/Mutants list the mutations. The README there explains their syntax and the verdicts. The script applies
all mutations at once to a copy of the tree, each behind a switch that the process reads from its environment, so that
one build contains all of them. Then the tests run once for each mutation until a test fails. The suites that notice
most run first.
"""
import collections
import concurrent.futures
import graphlib
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

from package import ROOT, SWIFT, SWIFTC, compiler_options

LISTS = ROOT / "Tests/Verification/Mutants"
FOLDER = ROOT / ".build/mutants"
TARGETS = (
    "PromiseCoreTests PromisesAPlusTests PromiseCombinatorsTests PromiseContextsTests PromiseTestingTests PromiseFoundationTests "
    "ProgramTests StressTests"
)

# The stages, cheapest first: the name, the suites that run, the suites that are skipped, and the modules whose
# mutations the stage can notice.
LONG = (
    r"(CancelOrder|AfterDelay|ShortLivedLink|RetryLimits|OneAtATime|Unobserved|JoinRelay|Inputs|CombinedProgress|Loop|"
    r"TraverseLimits)Tests/"
)
RACES = r"^StressTests\.Stress/\w*(Race|Storm|RandomProgram|Permutation|Concurrent)Tests/"
POOL = r"^StressTests\.Stress/(Pool|Blocking|SuspendedQueue|ManyPending)Tests/"
STAGES = [
    ("core", r"^(PromiseCoreTests|PromisesAPlusTests)\.", LONG, "Core"),
    ("combinators", r"^PromiseCombinatorsTests\.", LONG, "Core Combinators"),
    ("contexts", r"^PromiseContextsTests\.", None, "Core Contexts"),
    ("testing", r"^PromiseTestingTests\.", None, "Core Contexts Waiting Testing"),
    ("foundation", r"^PromiseFoundationTests\.", None, "Foundation"),
    ("pool", POOL, None, "Contexts"),
    ("programs", r"^ProgramTests\.", None, "Contexts Waiting Testing"),
    ("long", rf"^Promise(Core|Combinators)Tests\..*{LONG}", None, "Core Combinators"),
    ("races", RACES, None, "Core Contexts Combinators"),
    ("depth", r"^StressTests\.", rf"{RACES}|{POOL}|SoakTests", "Core Combinators"),
]
# First the suites that notice most within a few seconds, last the table of all pairs.
TSAN_TELLING = r"(Attach|SettleCancel|Visibility|AdoptionCancel|Await|HandlerCancel)RaceTests"
TSAN_TABLE = r"(Pair|Table)RaceTests"
TSAN_STAGES = [
    ("telling races", rf"^StressTests\..*{TSAN_TELLING}", None, "Core"),
    ("races", r"^StressTests\..*(Race|Storm)Tests", f"{TSAN_TELLING}|{TSAN_TABLE}", "Core"),
    ("table", rf"^StressTests\..*{TSAN_TABLE}", None, "Core"),
]
MEMORY = 6 << 30
# Suites with the trait `.bounded` fail a test that takes longer. So a hanging test reports itself before `run` ends it.
MINUTES = 1


class Mutation:
    def __init__(self, name, why, file):
        self.name, self.why, self.file = name, why, file
        self.text, self.notes, self.number = "", {}, 0

    def parse(self):
        """Locates the marked text: `«a ⇒ b»` replaces an expression, and `⟦a ⇒ b⟧` replaces statements."""
        match = re.fullmatch(r"(.*?)([«⟦])(.*?)⇒(.*?)([»⟧])(.*)", self.text.strip(), re.S)
        if not match or match[2] + match[5] not in ("«»", "⟦⟧"):
            raise Stale(f"{self.name}: no «original ⇒ mutant» or ⟦original ⇒ mutant⟧ in its text")
        before, _, self.original, self.mutant, close, after = match.groups()
        self.original, self.mutant = self.original.strip(), self.mutant.strip()
        self.isExpression = close == "»"
        if not (ROOT / self.file).is_file():
            raise Stale(f"{self.name}: there is no file {self.file}")
        pattern = rf"{anySpace(before.strip())}\s*({anySpace(self.original)})\s*{anySpace(after.strip())}"
        found = list(re.finditer(pattern, (ROOT / self.file).read_text()))
        if len(found) != 1:
            raise Stale(f"{self.name}: its text is found {len(found)} times in {self.file}, and not once")
        self.span = found[0].span(1)

    def guarded(self, original):
        if self.isExpression:
            return f"(activeMutant == {self.number} ? ({self.mutant}) : ({original}))"
        return f"if activeMutant == {self.number} {{\n{self.mutant}\n}} else {{\n{original}\n}}\n"

    @property
    def change(self):
        def flat(text): return re.sub(r"\s+", " ", text) or "nothing"
        return f"{flat(self.original)} ⇒ {flat(self.mutant)}"

    @property
    def line(self): return (ROOT / self.file).read_text().count("\n", 0, self.span[0]) + 1

    @property
    def place(self): return f"{self.file.removeprefix('Sources/')}:{self.line}"

    @property
    def module(self): return self.file.removeprefix("Sources/Promise").partition("/")[0]

    @property
    def excuse(self): return next((f"{key}: {self.notes[key]}" for key in ("equivalent", "explained") if key in self.notes), None)


class Stale(Exception):
    pass


def anySpace(text): return re.sub(r"(\\\s|\s)+", r"\\s+", re.escape(text))


def mutations():
    all, file, problems = [], None, []
    for path in sorted(LISTS.rglob("*.mutants")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("== "):
                file = line[3:].strip()
            elif line.startswith("! "):
                key, _, value = line[2:].partition(":")
                if key.strip() not in ("equivalent", "explained", "tsan"):
                    problems.append(f"{path.name}:{number}: what is '{key}'?")
                all[-1].notes[key.strip()] = value.strip()
            elif line.startswith("  "):
                all[-1].text += line + "\n"
            else:
                name, _, why = line.partition(": ")
                if any(other.name == name for other in all) or not why:
                    problems.append(f"{path.name}:{number}: '{name}' is named twice, or says no reason")
                all.append(Mutation(name, why, file))
    for number, mutation in enumerate(all, 1):
        mutation.number = number
        try:
            mutation.parse()
        except Stale as error:
            problems.append(str(error))
    if problems:
        sys.exit("\n".join(problems))
    return all


# MARK: - The copy


def mutate(text, mutations, start, end):
    """Returns the text from `start` to `end`, with each mutation guarded by its switch. Mutations may be nested."""
    result, position = "", start
    inside = sorted((m for m in mutations if start <= m.span[0] and m.span[1] <= end), key=lambda m: (m.span[0], -m.span[1]))
    while inside:
        outer, inside = inside[0], inside[1:]
        within = [m for m in inside if m.span[1] <= outer.span[1]]
        inside = [m for m in inside if m not in within]
        if any(m.span[0] < outer.span[1] for m in inside):
            sys.exit(f"{outer.name} overlaps another mutation")
        result += text[position:outer.span[0]] + outer.guarded(mutate(text, within, *outer.span))
        position = outer.span[1]
    return result + text[position:end]


def copy(mutations, name="tree", folders=("Sources", "Tests", "Docs")):
    """Writes the copy with all mutations. Writes only changed files, so that the last build can be reused."""
    tree, wanted = FOLDER / name, set()

    def write(name, data):
        wanted.add(tree / name)
        target = tree / name
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    for folder in folders:
        for path in (p for p in (ROOT / folder).rglob("*") if p.is_file()):
            write(path.relative_to(ROOT), path.read_bytes())
    write("Package.swift", (ROOT / "Package.swift").read_bytes())
    for file in {m.file for m in mutations}:
        text = (ROOT / file).read_text()
        mutated = mutate(text, [m for m in mutations if m.file == file], 0, len(text))
        if "/PromiseCore/" not in file and not re.search(r"(?m)^(public )?import PromiseCore$", text):
            mutated = f"import PromiseCore\n{mutated}"
        write(file, mutated.encode())
    write("Sources/PromiseCore/activeMutant.swift", b"""\
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@usableFromInline package let activeMutant: Int = getenv("PROMISE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
""")
    for path in [p for p in tree.rglob("*") if p.is_file()]:
        if path not in wanted and ".build" not in path.relative_to(tree).parts:
            path.unlink()
    return tree


# MARK: - The check


def modules(tree):
    """Returns the Swift modules of a tree with their files, each after its imports."""
    files = {folder.name: sorted(folder.rglob("*.swift")) for folder in (tree / "Sources").iterdir()}
    files = {name: paths for name, paths in files.items() if paths}
    imported = {
        name: files.keys() & set(re.findall(r"(?m)^(?:\w+ )?import (\w+)$", "\n".join(p.read_text() for p in paths)))
        for name, paths in files.items()}
    return [(name, files[name]) for name in graphlib.TopologicalSorter(imported).static_order()]


def compilerErrors(tree, mutations):
    """Returns the errors of the first module that does not compile, each with the mutation that probably caused it.

    Generates SIL but no code. The type-check alone does not suffice, because the compiler finds a missing `return` in
    SIL.
    """
    for name, files in modules(tree):
        compiled = FOLDER / "modules" / f"{name}.swiftmodule"
        compiled.parent.mkdir(parents=True, exist_ok=True)
        # Not `-o /dev/null`: with `-emit-module-path`, a failing compiler removes its outputs, and root may remove the
        # device.
        done = subprocess.run(
            [SWIFTC, "-emit-sil", "-Onone", "-D", "DEBUG", *compiler_options(), "-I", compiled.parent,
             "-module-name", name, "-emit-module-path", compiled, "-o", compiled.with_suffix(".sil"), *files],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            found = re.findall(r"(?m)^(/.+?):(\d+):\d+: error: (.*)", done.stderr)
            return [f"{culprit(file, int(line), mutations)}: {said} ({file}:{line})" for file, line, said in found] or [done.stderr]
    return []


def culprit(file, line, mutations):
    """Returns the name of the mutation at a line of the copy, or of the last mutation before it."""
    numbers = re.findall(r"activeMutant == (\d+)", "\n".join(pathlib.Path(file).read_text().splitlines()[:line]))
    return mutations[int(numbers[-1]) - 1].name if numbers else "no mutation"


def check(mutations):
    if errors := compilerErrors(copy(mutations, "check", ["Sources"]), mutations):
        sys.exit("the mutations do not compile:\n" + "\n".join(sorted(set(errors))))


def build(tree, isSanitized):
    options = ["-c", "release", "--sanitize=thread"] if isSanitized else ["-c", "debug"]
    scratch = FOLDER / ("tsan" if isSanitized else "debug")
    command = [SWIFT, "build", "--build-tests", "--package-path", str(tree), "--scratch-path", str(scratch), "-j", "2", *options]
    targets = os.environ.get("TEST_TARGETS") or ("StressTests" if isSanitized else TARGETS.replace(" ", ","))
    environment = dict(os.environ, TEST_TARGETS=targets)
    began = time.monotonic()
    if subprocess.run(["nice", *command], env=environment, stdout=(log := open(FOLDER / "build.log", "w")), stderr=log).returncode:
        sys.exit(f"the mutants do not build:\n{os.popen(f'grep -a error: {FOLDER}/build.log | sort -u | head -40').read()}")
    print(f"built in {time.monotonic() - began:.0f} s", flush=True)
    return next((scratch / ("release" if isSanitized else "debug")).glob("*PackageTests.xctest"))


# MARK: - Running

Outcome = collections.namedtuple("Outcome", "verdict detail")


def limits():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(10)


def boundedMemory():
    limits()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(program, stage, number, patience, isSanitized, silences=None):
    """Runs the tests of a stage up to the first failure. Returns `None` if all pass.

    A run without output for `patience` seconds hangs. Appends the length of each silence, in seconds, to `silences`.
    """
    _, wanted, unwanted, _ = stage
    # Runs one test at a time, so that the crashing or hanging test is known and an early failure ends the run at once.
    command = [str(program), "--testing-library", "swift-testing", "--no-parallel", "--filter", wanted]
    if unwanted:
        command += ["--skip", unwanted]
    environment = dict(os.environ, PROMISE_MUTANT=str(number), PROMISE_TIME_LIMIT=str(MINUTES), TSAN_OPTIONS=f"halt_on_error=1:suppressions={ROOT}/Scripts/Settings/ThreadSanitizer.txt")
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", preexec_fn=limits if isSanitized else boundedMemory)
    timedOut = threading.Event()

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    heard = [time.monotonic()]

    def watch():
        while process.poll() is None:
            if time.monotonic() - heard[0] > patience:
                timedOut.set()
                return end()
            time.sleep(0.2)

    threading.Thread(target=watch, daemon=True).start()
    running, last, failure, count = {}, "", None, 0
    try:
        for line in process.stdout:
            if silences is not None:
                silences.append(time.monotonic() - heard[0])
            heard[0] = time.monotonic()
            line = re.sub(r"\x1b\[[0-9;]*m", "", line)
            if match := re.match(r"\W*Test (\".*?\"|\S+\(.*?\)|`.*?`\(\))(?: with \d+ test cases?)? (started|passed|recorded an issue)(.*)", line):
                name, event, rest = match.groups()
                running[name] = running.get(name, 0) + (1 if event == "started" else -1)
                count += event == "passed"
                if event == "recorded an issue":
                    place = re.search(r"at (\S+\.swift):(\d+)", rest)
                    failure = Outcome("killed", f"{name} ({place[1] + ':' + place[2] if place else '?'})")
                    break
            if "ThreadSanitizer:" in line:
                failure = Outcome("killed", f"{line.strip().strip('= ')} while {names(running)}")
                break
            if re.search(r"Fatal error:|Crash:|terminate called|Program crashed", line):
                last = re.sub(r"^.*?/(?=[^/]+\.swift:\d+)", "", line.strip())[:160]
    finally:
        end()
        process.stdout.close()
    status = process.wait()
    if failure:
        return failure
    if timedOut.is_set():
        return Outcome("HUNG", f"nothing for {patience:.0f} s, in {names(running)}")
    if status:
        return Outcome("crashed", f"{last or (signal.Signals(-status).name if status < 0 else f'status {status}')}, in {names(running)}")
    if not count:
        return Outcome("no tests", stage[0])
    return None


def names(running):
    open = [name for name, count in running.items() if count > 0]
    return ", ".join(open[-2:]) + (f" or {len(open) - 2} more" if len(open) > 2 else "") if open else "no test"


def judge(program, mutation, stages, clean, isSanitized):
    began = time.monotonic()
    # The suites of the mutated module run first.
    able = [stage for stage in stages if mutation.module in stage[3].split()]
    for stage in sorted(able, key=lambda stage: stage[0] != mutation.module.lower()):
        outcome = run(program, stage, mutation.number, clean[stage[0]], isSanitized)
        if outcome:
            detail = f"{stage[0]}: {outcome.detail}"
            if outcome.verdict == "HUNG" and mutation.excuse:
                detail += f"; {mutation.excuse}"
            return Outcome(outcome.verdict, detail), time.monotonic() - began
    return Outcome("SURVIVED", mutation.excuse or ""), time.monotonic() - began


def selected(all, which):
    if not which:
        return all

    def isMeant(mutation, word):
        if match := re.fullmatch(r"(\d+)(?:-(\d+))?", word):
            return int(match[1]) <= mutation.number <= int(match[2] or match[1])
        return word in mutation.name or word in mutation.file
    return [m for m in all if any(isMeant(m, word) for word in which)]


def main(arguments):
    options = {a for a in arguments if a.startswith("--") and not a.startswith("--stages=")}
    wanted = [a.removeprefix("--stages=").split(",") for a in arguments if a.startswith("--stages=")]
    if unknown := options - {"--check", "--list", "--tsan"}:
        sys.exit(f"unknown: {' '.join(unknown)}\n\n{__doc__}")
    all = mutations()
    if "--check" in options:
        return check(all)
    isSanitized = "--tsan" in options
    chosen = selected(all, [a for a in arguments if not a.startswith("--")])
    if "--list" in options:
        for m in chosen:
            print(f"{m.number:3} {m.name}{' [tsan]' if 'tsan' in m.notes else ''}: {m.why}\n    {m.place}: {m.change}")
        return
    # Only ThreadSanitizer notices a mutation with the note `tsan`. The tests judge all others.
    chosen = [m for m in chosen if ("tsan" in m.notes) == isSanitized]
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = build(copy(all), isSanitized)

    stages = TSAN_STAGES if isSanitized else [s for s in STAGES if not wanted or s[0] in wanted[0]]
    stages = [stage for stage in stages if any(m.module in stage[3].split() for m in chosen)]
    if not stages or not chosen:
        sys.exit("nothing to run: no such stage, or no such mutation")
    clean, started = {}, time.monotonic()
    for stage in stages:
        began, silences = time.monotonic(), []
        if outcome := run(program, stage, 0, 1800, isSanitized, silences):
            sys.exit(f"not even without a mutation do the tests pass: {stage[0]}: {outcome.verdict}: {outcome.detail}")
        clean[stage[0]] = max(90 * MINUTES, 8 * max(silences))
        print(f"no mutation: {stage[0]} passed in {time.monotonic() - began:.0f} s", flush=True)

    results, lock = [], threading.Lock()

    def work(mutation):
        outcome, seconds = judge(program, mutation, stages, clean, isSanitized)
        with lock:
            results.append((mutation, outcome))
            print(f"{mutation.number:3} {mutation.name}: {outcome.verdict} ({seconds:.0f} s) {outcome.detail}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        list(pool.map(work, chosen))
    report(results, time.monotonic() - started, "mutants-tsan.md" if isSanitized else "mutants.md")
    # A hang that only this script ends would block a developer's own run indefinitely, so it counts as a survivor.
    survivors = [m for m, outcome in results if outcome.verdict in ("SURVIVED", "HUNG") and not m.excuse]
    wrong = [m for m, outcome in results if outcome.verdict != "SURVIVED" and "equivalent" in m.notes]
    for m in wrong:
        print(f"{m.name} is said to be equivalent, and a test has noticed it")
    if survivors or wrong or any(outcome.verdict == "no tests" for _, outcome in results):
        sys.exit(f"{len(survivors)} survived, or hung a suite, without an explanation")


def report(results, seconds, name):
    def cell(text): return text.replace("|", "\\|")
    counts = collections.Counter(outcome.verdict for _, outcome in results)
    summary = f"{len(results)} mutants, {', '.join(f'{count} {verdict}' for verdict, count in counts.most_common())}, {seconds:.0f} s"
    lines = [summary, "", "| | mutant | where | change | verdict |", "|--:|---|---|---|---|"]
    for m, outcome in sorted(results, key=lambda result: result[0].number):
        lines.append(f"| {m.number} | {m.name} | {m.place} | `{cell(m.change)}` | {outcome.verdict} {cell(outcome.detail)} |")
    (FOLDER / name).write_text("\n".join(lines) + "\n")
    print(f"\n{summary}: {FOLDER.relative_to(ROOT)}/{name}")


if __name__ == "__main__":
    main(sys.argv[1:])
