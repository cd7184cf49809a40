#!/usr/bin/env python3
"""Breaks the library in small ways, and checks that a test fails each time.

    mutate [which]...          judges the mutations whose name or file contains one of the given texts, or all
    mutate --tsan [which]...   judges the weakened memory orderings, under the thread sanitizer
    mutate --random [which]... lets only the random programs look for the planted faults, a part of the mutations
    mutate --find              only checks that the lists are up to date, and that each mutation still has its place
    mutate --check             checks that, and that each mutation compiles

The files in Tests/Verification/Mutants list the mutations. The README there explains their syntax and the verdicts. The
script applies all mutations at once to a copy of the tree, each behind a switch that the process reads from its
environment, so that one build contains all of them. Then the tests run once for each mutation until a test fails.
"""
import collections
import concurrent.futures
import contextlib
import os
import re
import resource
import select
import signal
import subprocess
import sys
import threading
import zlib

from package import ROOT, SWIFT, finish, output_of

LISTS = ROOT / "Tests/Verification/Mutants"
FOLDER = ROOT / ".build/mutants"
TREE = FOLDER / "tree"
PLANTED = LISTS / "Planted.md"
TARGETS = (
    "PromiseCoreTests,PromisesAPlusTests,PromiseCombinatorsTests,PromiseGatesTests,PromiseContextsTests,"
    "PromiseTestingTests,PromiseRecordingTests,PromiseFoundationTests,PromiseHTTPTests,PromiseProcessesTests,"
    "ProgramTests,StressTests"
)

# The stages, cheapest first: the name, the suites that run, the suites that are skipped, and the modules whose
# mutations the stage can notice.
LONG = r"(AfterDelay|ShortLivedLink|RetryLimits|OneAtATime|Unobserved|Inputs|CombinedProgress|Loop|Traverse)Tests/"
RACES = r"^StressTests\.Stress/\w*(Race|Storm|RandomProgram|Permutation|Concurrent)Tests/"
# A browser needs more address space than MEMORY.
BROWSER = r"\.Page(Causes|InBrowser|Task)Tests/"
POOL = r"^StressTests\.Stress/(Pool|SuspendedQueue)Tests/"
STAGES = [
    ("core", r"^(PromiseCoreTests|PromisesAPlusTests)\.", LONG, "Core"),
    ("combinators", r"^Promise(Combinators|Gates)Tests\.", LONG, "Core Combinators Gates"),
    ("contexts", r"^PromiseContextsTests\.", None, "Core Contexts"),
    ("testing", r"^Promise(Testing|Recording)Tests\.", BROWSER, "Core Contexts Waiting Testing Recording"),
    ("foundation", r"^Promise(Foundation|HTTP|Processes)Tests\.", None, "Foundation HTTP Processes"),
    ("pool", POOL, None, "Contexts"),
    ("programs", r"^ProgramTests\.", None, "Contexts Waiting Testing"),
    ("long", rf"^Promise(Core|Combinators|Gates)Tests\..*{LONG}", None, "Core Combinators Gates"),
    ("races", RACES, None, "Core Contexts Combinators Gates"),
    ("depth", r"^StressTests\.", rf"{RACES}|{POOL}|SoakTests", "Core Combinators Gates"),
]
# These take minutes if no test fails. So they do not judge a mutation that has a reason to survive.
SLOW_STAGES = ("long", "races", "depth")
# First the suites that notice most within a few seconds.
TELLING = r"(Attach|SettleCancel|Visibility|Adoption|Await|HandlerCancel)RaceTests"
TSAN_STAGES = [
    ("telling races", rf"^StressTests\..*{TELLING}", None, "Core"),
    ("races", r"^StressTests\..*(Race|Storm)Tests", TELLING, "Core"),
]
# How many programs may look for a planted fault. A quarter of this number of programs runs over all modules.
PLANTED_PROGRAMS = 24_000
PATIENCE = 300  # seconds without output
MEMORY = 6 << 30
FAILURE = re.compile(r"recorded an issue.*|ThreadSanitizer:.*")

SWITCH = """\
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@usableFromInline package let activeMutant: Int = getenv("PROMISE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
"""


class Mutation:
    def __init__(self, name, file):
        self.name = name
        self.file = file
        self.text = ""
        self.notes = {}
        self.module = file.removeprefix("Sources/Promise").partition("/")[0]

    def locate(self):
        """Finds the marked text: `«a ⇒ b»` replaces an expression, and `⟦a ⇒ b⟧` replaces statements. Returns a problem
        or `None`."""
        match = re.fullmatch(r"(.*?)([«⟦])(.*?)⇒(.*?)([»⟧])(.*)", self.text.strip(), re.S)
        if not match or match[2] + match[5] not in ("«»", "⟦⟧"):
            return f"{self.name}: no «original ⇒ mutant» or ⟦original ⇒ mutant⟧ in its text"
        before, _, original, mutant, self.close, after = match.groups()
        self.mutant = mutant.strip()
        pattern = rf"{any_space(before)}\s*({any_space(original)})\s*{any_space(after)}"
        file = ROOT / self.file
        found = list(re.finditer(pattern, file.read_text())) if file.is_file() else []
        if len(found) != 1:
            return f"{self.name}: its text is found {len(found)} times in {self.file}, and not once"
        self.place = found[0].span()
        self.span = found[0].span(1)

    def guarded(self, original):
        if self.close == "»":
            return f"(activeMutant == {self.number} ? /* {self.name} */ ({self.mutant}) : ({original}))"
        return f"if activeMutant == {self.number} {{\n{self.mutant} // {self.name}\n}} else {{\n{original}\n}}\n"

    @property
    def excuse(self):
        return self.notes.get("equivalent") or self.notes.get("explained")


def any_space(text):
    return re.sub(r"(\\\s|\s)+", r"\\s+", re.escape(text.strip()))


def read_mutations():
    found = []
    file = None
    sections = set()
    problems = []
    for path in sorted(LISTS.rglob("*.mutants")):
        for line in path.read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("== "):
                file = line[3:].strip()
                sections.add(file)
            elif line.startswith("! "):
                kind, _, reason = line[2:].partition(":")
                if kind.strip() not in ("equivalent", "explained", "tsan"):
                    problems.append(f"{path.name}: unknown note: {line}")
                found[-1].notes[kind.strip()] = reason.strip() or "no reason"
            elif line.startswith("  "):
                found[-1].text += line + "\n"
            else:
                name, _, defect = line.partition(": ")
                if not defect or any(other.name == name for other in found):
                    problems.append(f"{path.name}: has no defect, or a name that is used twice: {line}")
                found.append(Mutation(name, file))
    for mutation in found:
        mutation.number = zlib.crc32(mutation.name.encode())
        problems += filter(None, [mutation.locate()])
    modules = {module for stage in STAGES for module in stage[3].split()}
    used = {mutation.module for mutation in found}
    problems += [f"STAGES: no stage judges the mutations of {module}" for module in used - modules]
    problems += [f"STAGES: {module} has no mutations" for module in modules - used]
    problems += [f"no mutation is below: == {section}" for section in sections - {m.file for m in found}]
    lists = {str(path.relative_to(LISTS).with_suffix("")) for path in LISTS.rglob("*.mutants")}
    listed = set(re.findall(r"(?m)^\| `(.*?)` \|", (LISTS / "README.md").read_text()))
    problems += [f"the table in {LISTS.relative_to(ROOT)}/README.md, or the folder, lacks {n}" for n in lists ^ listed]
    names = {mutation.name for mutation in found}
    problems += [f"{PLANTED.name}: no mutation has the name {row[0]}" for row in read_planted() if row[0] not in names]
    if problems:
        finish(problems)
    return found


def read_planted():
    """Returns the name, the rule and the rest of the row of each planted fault."""
    return re.findall(r"(?m)^\| `([\w-]+)` \| (\S+) \|(.*)", PLANTED.read_text())


def mutate(text, mutations, start, end):
    """Returns the text from `start` to `end`, with each mutation guarded by its switch. Mutations may be nested."""
    result = ""
    position = start
    for outer in sorted(mutations, key=lambda m: (m.span[0], -m.span[1])):
        if outer.span[1] > end or outer.span[0] < position < outer.span[1]:
            sys.exit(f"{outer.name} overlaps another mutation")
        if outer.span[0] >= position:
            within = [m for m in mutations if m is not outer and outer.span[0] <= m.span[0] < outer.span[1]]
            result += text[position:outer.span[0]] + outer.guarded(mutate(text, within, *outer.span))
            position = outer.span[1]
    return result + text[position:end]


def write_copy(mutations):
    """Writes a copy with all mutations. Writes only changed files, so that a build that is kept compiles only these."""
    texts = {"Sources/PromiseCore/activeMutant.swift": SWITCH.encode()}
    for file in {mutation.file for mutation in mutations}:
        text = (ROOT / file).read_text()
        mutated = mutate(text, [m for m in mutations if m.file == file], 0, len(text))
        needs_import = "/PromiseCore/" not in file and not re.search(r"(?m)^(public )?import PromiseCore$", text)
        texts[file] = ("import PromiseCore\n" * needs_import + mutated).encode()
    originals = [path for folder in ("Sources", "Tests", "Docs") for path in (ROOT / folder).rglob("*")]
    for path in [ROOT / "Package.swift", *originals]:
        if path.is_file():
            texts.setdefault(str(path.relative_to(ROOT)), path.read_bytes())
    for name, text in texts.items():
        copy = TREE / name
        if not copy.exists() or copy.read_bytes() != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text)
    for path in list(TREE.rglob("*")):
        if path.is_file() and str(path.relative_to(TREE)) not in texts:
            path.unlink()


def build(kind, *more):
    """Builds the copy. If it does not compile, comments in the lines that the compiler prints name the mutations."""
    is_sanitized = kind == "tsan"
    configuration, scratch = "debug" if kind == "debug" else "release", FOLDER / kind
    options = ["--package-path", TREE, "--scratch-path", scratch, "-c", configuration, *more]
    compiler = "-disable-batch-mode -wmo -num-threads 2 -suppress-warnings".split()
    options += [word for option in compiler for word in ("-Xswiftc", option)]
    options += ["--sanitize=thread"] * is_sanitized
    only_stress = {"TEST_TARGETS": "StressTests", "EXAMPLES": "none"}
    environment = os.environ | ({"TEST_TARGETS": TARGETS} if kind == "debug" else only_stress)
    output_of(SWIFT, "build", *options, env=environment)
    return scratch / configuration


def run(program, stage, number, is_sanitized):
    """Runs the tests of a stage up to the first failure. Returns a verdict with its reason, or `None` if all pass."""
    _, wanted, unwanted, _ = stage
    # Runs one test at a time, so that the crashing or hanging test is known and an early failure ends the run at once.
    command = [program, "--testing-library", "swift-testing", "--no-parallel", "--filter", wanted]
    command += ["--skip", unwanted] if unwanted else []
    # Suites with the trait `.bounded` fail a test that takes longer than a minute, and a wait for another thread ends
    # after ten seconds.
    environment = os.environ | {"PROMISE_MUTANT": str(number), "PROMISE_TIME_LIMIT": "1", "PROMISE_HANG_LIMIT": "10"}
    environment["TSAN_OPTIONS"] = f"halt_on_error=1:suppressions='{ROOT}/Scripts/Settings/ThreadSanitizer.txt'"

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not is_sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, preexec_fn=limit,
    )  # fmt: skip
    output = ""
    failure = None
    is_hung = True
    while not failure and select.select([process.stdout], [], [], PATIENCE)[0]:
        data = os.read(process.stdout.fileno(), 1 << 16)
        if not data:
            is_hung = False
            break
        output += data.decode(errors="replace")
        failure = FAILURE.search(output)
    if not failure and not is_hung:
        process.wait()
    # Ends also the programs that the tests have started.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    tests = re.findall(r"Test (?!run\b)(.*) started", output)
    test = tests[-1] if tests else "no test"
    if failure:
        return "killed", f"{test}: {failure[0]}"
    if is_hung:
        return "HUNG", f"{test}: prints nothing for {PATIENCE} s"
    if status:
        fatal = re.findall(r"Fatal error:.*", output)
        return "crashed", f"{test}: {fatal[-1] if fatal else f'status {status}'}"
    return None if tests else ("ran no test", stage[0])


def judge(program, mutation, stages, is_sanitized):
    # The suites of the mutated module run first.
    able = [stage for stage in stages if mutation.module in stage[3].split()]
    if mutation.excuse:
        able = [stage for stage in able if stage[0] not in SLOW_STAGES]
    verdict = None
    for stage in sorted(able, key=lambda stage: stage[0] != mutation.module.lower()):
        verdict = verdict or run(program, stage, mutation.number, is_sanitized)
    verdict, reason = verdict or ("SURVIVED", mutation.excuse or "")
    print(f"{mutation.name}: {verdict} {reason}", flush=True)
    return verdict


def find(program, number):
    """Runs the random programs. Returns what the test prints about the program that finds the mutation, or a reason."""
    command = [program, "--testing-library", "swift-testing", "--no-parallel", "--filter", "PlantedFaultTests/"]
    environment = os.environ | {"PROMISE_MUTANT": str(number), "PROMISE_PLANTED": str(PLANTED_PROGRAMS)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    is_late = threading.Event()
    timer = threading.Timer(PATIENCE, lambda: [is_late.set(), process.kill()])
    timer.start()
    try:
        # The fault may keep the process from ending, so it ends here.
        for line in process.stdout:
            if found := re.match(r"Found \| (.*)", line):
                return found[1]
        status = process.wait()
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    if is_late.is_set():
        return f"hangs for {PATIENCE} s"
    return f"crashes with status {status}" if status else "not found"


def judge_planted(mutations, texts):
    """Prints the row of each planted fault for the table in `PLANTED`, whose first two columns name them."""
    numbers = {mutation.name: mutation.number for mutation in mutations}
    chosen = [row for row in read_planted() if any(text in row[0] for text in texts)]
    if not chosen:
        sys.exit(f"no such planted fault: {' '.join(texts)}")
    write_copy(mutations)
    program = next(build("random", "--build-tests").glob("*PackageTests.xctest"))
    if (found := find(program, 0)) != "not found":
        sys.exit(f"the random programs fail without a mutation: {found}")

    def judge_row(row):
        name, rule, note = row
        found = find(program, numbers[name])
        print(f"| `{name}` | {rule} | {found} |", flush=True)
        return [f"{name}: {found}"] if "|" not in found and "not found:" not in note else []

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        finish([problem for problems in pool.map(judge_row, chosen) for problem in problems])


def main(arguments):
    mutations = read_mutations()
    if arguments == ["--find"]:
        return
    if arguments == ["--check"]:
        write_copy(mutations)
        return build("debug")
    if arguments[:1] == ["--random"]:
        return judge_planted(mutations, arguments[1:] or [""])
    is_sanitized = arguments[:1] == ["--tsan"]
    texts = arguments[is_sanitized:] or [""]
    chosen = [m for m in mutations if any(text in m.name or text in m.file for text in texts)]
    # Only ThreadSanitizer notices a mutation with the note `tsan`. The tests judge all others.
    chosen = [m for m in chosen if ("tsan" in m.notes) == is_sanitized]
    modules = {mutation.module for mutation in chosen}
    stages = [s for s in (TSAN_STAGES if is_sanitized else STAGES) if modules & set(s[3].split())]
    if not stages:
        sys.exit(f"no such mutation: {' '.join(texts)}")
    write_copy(mutations)
    program = next(build("tsan" if is_sanitized else "debug", "--build-tests").glob("*PackageTests.xctest"))
    for stage in stages:
        if failure := run(program, stage, 0, is_sanitized):
            sys.exit(f"the tests fail without a mutation: {': '.join(failure)}")

    # Two at a time, because the tests of one mutation do not use all cores.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda mutation: judge(program, mutation, stages, is_sanitized), chosen))
    print(", ".join(f"{count} {verdict}" for verdict, count in collections.Counter(verdicts).most_common()))
    # A hang that only this script ends would block a developer's own run indefinitely, so it counts as a survivor.
    judged = list(zip(chosen, verdicts))
    problems = [f"{m.name}: {v}" for m, v in judged if v in ("SURVIVED", "HUNG") and not m.excuse]
    problems += [f"{m.name}: a test notices it: {v}" for m, v in judged if v != "SURVIVED" and "equivalent" in m.notes]
    finish(problems)


if __name__ == "__main__":
    main(sys.argv[1:])
