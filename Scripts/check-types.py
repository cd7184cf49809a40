#!/usr/bin/env python3
"""Checks that the files in Tests/TypeCheck/Compiles compile fast enough, and that the compiler rejects those in
Tests/TypeCheck/Refused.

    check-types --modules FOLDER [NAME]...   checks the files with these names, without .swift, or all

A file in Compiles must compile without a warning, within a budget of processor time. A block between
`// repeat 5 20 40` and `// end` is compiled as a chain of 5, of 20 and of 40 links. In Refused, the error of a line
must contain the text of the comment `// expect: text` above it. Another error fails, because it would mislead users.

Each of the blocks between `// case NAME: reason` and `// end cases` is compiled without the others. A comment such as
`// modes: plain swift5` replaces the modes USUAL. A file with `// on: linux` is skipped on other systems.

A file may import the modules in Stubs, which have the declarations of other promise libraries.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import typing

from package import ROOT, SWIFTC

HERE = ROOT / "Tests/TypeCheck"
STUBS = HERE / "Stubs/Sources"
# Clients of PromiseCore need the module of its C functions. SwiftPM would add this path.
C_MODULE = ROOT / "Sources/CPromiseSystem/include"
MODES = {
    "plain": ["-swift-version", "6"],
    "main-actor": ["-swift-version", "6", "-default-isolation", "MainActor"],
    "swift5": ["-swift-version", "5", "-strict-concurrency=minimal"],
    "swift5-complete": ["-swift-version", "5", "-strict-concurrency=complete"],
    "swift5-main": ["-swift-version", "5", "-default-isolation", "MainActor"],
}
USUAL = ["plain", "main-actor"]
TIMES_TRIVIAL = 8  # The budget of a chain is this many times the time of TRIVIAL.
ENOUGH_MS = 2000  # The budget is at least this time.
RETRIES = 5  # A chain is too slow if its time is above the budget this often, and once more.
SHOWN_LINES = 12
STUCK_S = 600  # Usually the compiler gives up sooner.
TRIVIAL = "import PromiseContexts\n\nfunc chain(_ start: Promise<Int>) -> Promise<Int> { start.map { $0 + 1 } }\n"


class Job(typing.NamedTuple):
    name: str
    mode: str
    links: int | None
    text: str
    isRefused: bool


def compile(text, mode, modules, scratch, name):
    """Returns (ms, status, output). Compiles to SIL, because the compiler finds data races after the type-check."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    source = folder / f"{name}.swift"
    said = folder / "said"
    source.write_text(text)
    command = [SWIFTC, "-emit-sil", "-Onone", "-o", "/dev/null", "-warnings-as-errors"]
    with said.open("wb") as output:
        command += ["-I", str(modules), "-I", str(C_MODULE), "-I", str(scratch)] + MODES[mode] + [str(source)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    stuck = threading.Timer(STUCK_S, process.kill)
    stuck.start()
    # `wait4` returns the processor time of this process alone, although other compilers run beside it.
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    stuck.cancel()
    isKilled = process.returncode == -signal.SIGKILL
    output = f"{source}: still compiling after {STUCK_S} s" if isKilled else said.read_text()
    return 1000 * (used.ru_utime + used.ru_stime), process.returncode, output


def emit_stubs(folder):
    """Compiles each module in Stubs as its library is compiled, in Swift 5 mode."""
    for stub in sorted(STUBS.iterdir()):
        command = [SWIFTC, "-swift-version", "5", "-parse-as-library", "-emit-module", "-module-name", stub.name]
        command += ["-o", str(folder / f"{stub.name}.swiftmodule"), *map(str, sorted(stub.glob("*.swift")))]
        subprocess.run(command, stdin=subprocess.DEVNULL, check=True)


def chains(template):
    """Yields (links, text) for each length in the template, or the unchanged text if it has no block to repeat."""
    found = re.search(r"^( *)// repeat ([\d ]+)\n(.*?)^ *// end\n", template, re.MULTILINE | re.DOTALL)
    if not found:
        yield None, template
        return
    links = []  # A link begins at a line that has the block's indentation and then a point.
    for line in found[3].splitlines(keepends=True):
        if line.startswith(found[1] + "."):
            links.append("")
        links[-1] += line
    for count in map(int, found[2].split()):
        block = "".join(links[i % len(links)] for i in range(count))
        yield count, template[: found.start()] + block + template[found.end() :]


def cases(name, template):
    """Yields (name, text) for each case of the template, or the unchanged name and text if it has none."""
    found = re.search(r"^ *// case [\w-]+:.*?^ *// end cases\n", template, re.MULTILINE | re.DOTALL)
    if not found:
        yield name, template
        return
    block = r"^ *// case ([\w-]+):.*\n((?:(?! *// (?:case|end cases)\b).*\n)*)"
    for case in re.finditer(block, found[0], re.MULTILINE):
        yield f"{name}-{case[1]}", template[: found.start()] + case[2] + template[found.end() :]


def expected(text):
    """Yields the line and the text of each expected error."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if found := re.match(r" *// expect: (.*)", line):
            at = number + 1
            while re.match(r" *// expect: ", lines[at - 1]):
                at += 1
            yield at, found[1]


def diagnostics(output):
    return [(int(line), text) for line, text in re.findall(r"(?m)^\S+?\.swift:(\d+):\d+: error: (.*)", output)]


def modes(text):
    """Returns the modes in which the text is compiled."""
    found = re.search(r"^// modes: (.*)", text, re.MULTILINE)
    return found[1].split() if found else USUAL


def refusal(text, status, output):
    """Returns the problems of a refusal, or an empty text."""
    if status == 0:
        return "it compiles"
    got = diagnostics(output)
    wanted = list(expected(text))
    missing = [want for want in wanted if not any(want[0] == line and want[1] in said for line, said in got)]
    others = [(line, said) for line, said in got if not any(line == at and want in said for at, want in wanted)]
    said = [f"line {line}: not said: {want}" for line, want in missing]
    said += [f"line {line}: said instead: {text}" for line, text in others]
    return "\n".join(said if wanted else ["the file expects nothing"])


def row(name, mode, links, ms, ratio, verdict):
    print(f"{name:34} {mode:10} {links:>5} {ms:>6} {ratio:>6}  {verdict}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--modules", required=True, type=pathlib.Path, help="the Modules folder of a debug build")
    options.add_argument("only", nargs="*", help="names of files, without .swift; all if none is given")
    given = options.parse_args()
    if not (given.modules / "PromiseContexts.swiftmodule").exists():
        sys.exit(f"no PromiseContexts.swiftmodule in {given.modules}: build first")

    files = {file.stem for folder in ("Compiles", "Refused") for file in (HERE / folder).glob("*.swift")}
    if unknown := set(given.only) - files:
        sys.exit(f"no such file: {' '.join(sorted(unknown))}")

    def corpora(folder):
        files = [f for f in sorted((HERE / folder).glob("*.swift")) if not given.only or f.stem in given.only]
        return [f for f in files if sys.platform == "linux" or "// on: linux\n" not in f.read_text()]

    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        emit_stubs(scratch)
        row("corpus", "mode", "links", "ms", "ratio", "verdict")
        trivial = {}
        for mode in MODES:
            # The first compilation fills the compiler's caches, and the second is measured.
            for _ in range(2):
                trivial[mode], status, output = compile(TRIVIAL, mode, given.modules, scratch, "trivial")
            if status:
                sys.exit(f"the trivial file does not compile:\n{output}")
            row("trivial", mode, 1, round(trivial[mode]), "1.0", "ok")

        def compiled(job):
            return compile(job.text, job.mode, given.modules, scratch, job.name)

        jobs = [
            Job(name, mode, links, text, isRefused=False)
            for file in corpora("Compiles") for name, template in cases(file.stem, file.read_text())
            for links, text in chains(template) for mode in modes(text)
        ] + [
            Job(name, mode, None, text, isRefused=True)
            for file in corpora("Refused") for name, text in cases(file.stem, file.read_text()) for mode in modes(text)
        ]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for job, (ms, status, output) in zip(jobs, pool.map(compiled, jobs)):
                budget = max(TIMES_TRIVIAL * trivial[job.mode], ENOUGH_MS)
                for _ in range(RETRIES):
                    if job.isRefused or status or ms <= budget:
                        break
                    # Processes that share the caches increase the processor time, also that of the trivial file. A chain
                    # that the compiler finds difficult takes a multiple each time.
                    ms = min(ms, compiled(job)[0])
                    again, _, _ = compile(TRIVIAL, job.mode, given.modules, scratch, "trivial")
                    budget = max(budget, TIMES_TRIVIAL * again)
                slow = f"{ms:.0f} ms, the budget is {budget:.0f} ms" if ms > budget else ""
                problem = refusal(job.text, status, output) if job.isRefused else output if status else slow
                verdict = "FAILED" if problem else "ok"
                row(job.name, job.mode, job.links or "", round(ms), f"{ms / trivial[job.mode]:.1f}", verdict)
                if problem:
                    said = "\n".join(problem.splitlines()[:SHOWN_LINES])
                    length = f", {job.links} links" if job.links else ""
                    failures.append(f"{job.name} ({job.mode}{length}):\n{said}")

    print()
    if failures:
        print("\n\n".join(failures), file=sys.stderr)
        sys.exit(f"\n{len(failures)} failed")
    print("all as they must be")


main()
