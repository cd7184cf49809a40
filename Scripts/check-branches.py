#!/usr/bin/env python3
"""Type-checks the code for Apple's systems on Linux, with stubs of Apple's modules, and checks the table of branches.

    check-branches --modules FOLDER           checks the code and the table
    check-branches --modules FOLDER --write   writes the table in Docs/Reference/Portability.md

The folders are in Tests/TypeCheck/Apple. Stubs contains the declarations of Apple's modules that the sources use, as
the SDKs since 2024 have them. If the SDKs disagree whether a class is `Sendable`, the stub has `#if SENDABLE`, and both
variants are checked. Only a Mac can show that an SDK has these declarations. Compiles contains more code that must
compile with a module, such as the code in comments. Refused contains code that must not compile with it, which proves
that the compiler sees the branches. A comment `// expect: text` at the end of a wrong line contains a part of the
diagnostic.

Apple's systems lack FoundationNetworking. So the script compiles copies of the sources, in which `false` replaces
`canImport(FoundationNetworking)`. On a Mac the script does nothing, because the package is built there.

The table lists the branches that Linux does not compile, and says whether they are type-checked and run. The script
adds an `#error` to each branch of a copy. The compiler reports the error only in branches that it compiles. The script
fails for a branch that is neither on Linux nor type-checked, unless ELSEWHERE contains the condition.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

from package import ROOT, SWIFTC, features

HERE = ROOT / "Tests/TypeCheck/Apple"
C_MODULE = ROOT / "Sources/CPromiseSystem/include"
STUBS = ["Darwin", "CoreFoundation", "ObjectiveC", "CoreData", "UIKit", "Combine"]
WITHOUT_FOUNDATION = ["PromiseCore", "PromiseContexts"]
MODULES = [*WITHOUT_FOUNDATION, "PromiseFoundation", "PromiseHTTP", "PromiseProcesses"]
GUIDE = ROOT / "Docs/Reference/Portability.md"
BEGIN = "<!-- branches -->\n"
END = "<!-- /branches -->\n"
FAKES = ROOT / "Tests/AppleBranchTests"
# A branch whose condition contains one of these depends on the system.
SYSTEM = re.compile(r"\b(canImport|os|targetEnvironment|arch)\(|APPLE_FAKES")
# These conditions are false both on Linux with glibc and on Apple's systems.
ELSEWHERE = {"`canImport(Musl)`", "`canImport(Android)`"}
# One variant also contains the code that only debug builds have.
VARIANTS = {"not Sendable": [], "Sendable": ["-D", "SENDABLE", "-D", "DEBUG"]}
# SwiftPM derives this name from the folder, such as swift_promises from swift-promises.
PACKAGE_NAME = re.sub(r"^\d|\W", "_", ROOT.name.lower())
LANGUAGE = ["-swift-version", "6", "-parse-as-library", "-package-name", PACKAGE_NAME]


def swiftc(arguments):
    done = subprocess.run([SWIFTC, *LANGUAGE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def as_on_apple(text):
    return text.replace("canImport(FoundationNetworking)", "false")


def sources(module, folder, change=as_on_apple):
    """Copies and changes the sources of the module. Returns the copies, and the module's files in Compiles."""
    copies = pathlib.Path(folder) / f"sources-{module}"
    for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
        copy = copies / file.relative_to(ROOT / "Sources" / module)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(change(file.read_text()))
    return sorted(copies.rglob("*.swift")) + sorted((HERE / "Compiles" / module).glob("*.swift"))


def make_stubs(folder, variant):
    for name in STUBS:
        status, output = swiftc(
            ["-emit-module", "-module-name", name, "-I", folder, "-o", f"{folder}/{name}.swiftmodule", *variant]
            + [str(HERE / f"Stubs/{name}.swift")])
        if status:
            sys.exit(f"the stub {name} does not compile:\n{output}")


def compile(module, files, modules, *options):
    return swiftc(
        ["-wmo", "-emit-sil", "-Onone", "-o", "/dev/null", "-module-name", module, "-I", str(modules)]
        + ["-I", str(C_MODULE), *features(), *options, *map(str, files)])


def check(module, files, folder, modules, *options):
    # No stub can replace Foundation. Every file imports ObjectiveC, which declares what only Apple's Foundation has.
    uses_foundation = module not in WITHOUT_FOUNDATION
    implicit = ["-Xfrontend", "-import-module", "-Xfrontend", "ObjectiveC"] if uses_foundation else []
    return compile(module, files, modules, "-I", folder, *implicit, *options)


def missing(file, output):
    """Yields the expected diagnostics that the compiler has not reported."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        for wanted in re.findall(r"// expect: (.*)", line):
            said = re.findall(rf"{re.escape(file.name)}:{number}:\d+: (?:error|warning): (.*)", output)
            if not any(wanted in text for text in said):
                yield f"line {number}: not said: {wanted}"


class Branch(typing.NamedTuple):
    file: str
    condition: str
    number: int


def branches(file, text, first):
    """Returns the branches that depend on the system, numbered from `first`, and the text with an error in each."""
    found = []
    open_chains = []
    lines = []
    for line in text.splitlines(keepends=True):
        lines.append(line)
        directive = re.match(r"\s*#(if|elseif|else|endif)\b *(.*?)\s*(?://.*)?$", line)
        if not directive:
            continue
        kind, condition = directive.groups()
        if kind == "endif":
            open_chains.pop()
            continue
        if kind == "if":
            open_chains.append([])
        chain = open_chains[-1]
        title = f"`{condition}`" if condition else "else of " + ", ".join(chain)
        chain.append(title)
        if SYSTEM.search(" ".join(chain)):
            branch = Branch(file, title, first + len(found))
            found.append(branch)
            lines.append(f'#error("branch {branch.number}")\n')
    return found, "".join(lines)


def seen(output):
    return set(map(int, re.findall(r"error: branch (\d+)", output)))


def survey(modules):
    """Returns all branches, and the numbers of those on Linux, with stubs, and on Linux only with stand-ins."""
    all = []
    linux = set()
    apple = set()
    fakes = set()

    def marked(file, text):
        known = [branch for branch in all if branch.file == file]
        found, text = branches(file, text, known[0].number if known else len(all))
        all.extend([] if known else found)
        return text

    with tempfile.TemporaryDirectory() as folder:
        make_stubs(folder, [])
        for module in sorted(path.name for path in (ROOT / "Sources").iterdir() if path.name != "CPromiseSystem"):
            paths = sorted((ROOT / "Sources" / module).rglob("*.swift"))
            files = [path.relative_to(ROOT / "Sources").as_posix() for path in paths]
            names = iter(files)
            plain = sources(module, f"{folder}/linux", lambda text: marked(next(names), text))
            names = iter(files)
            changed = sources(module, f"{folder}/apple", lambda text: as_on_apple(marked(next(names), text)))
            linux |= seen(compile(module, plain, modules)[1])
            apple |= seen(check(module, changed, folder, modules)[1])
        tested = [path.resolve().relative_to(ROOT / "Sources") for path in sorted(FAKES.glob("Branches/*.swift"))]
        copies = [f"{folder}/linux/sources-{path}" for path in tested]
        fakes |= seen(compile("AppleBranchTests", copies, modules, "-D", "APPLE_FAKES")[1])
    return all, linux, apple, fakes - linux


def branch_table(modules):
    """Returns the table of the branches that Linux does not compile, and the problems."""
    all, linux, apple, fakes = survey(modules)
    rows = {}
    problems = []
    stale = ELSEWHERE - {branch.condition for branch in all if branch.number not in linux}
    problems += [f"ELSEWHERE: no branch has this condition: {condition}" for condition in sorted(stale)]
    for branch in all:
        if branch.number in linux:
            continue
        elsewhere = branch.condition in ELSEWHERE
        if elsewhere == (branch.number in apple):
            problem = "needs no exception" if elsewhere else "no check compiles this branch"
            problems.append(f"{branch.file}: {branch.condition}: {problem}")
        run = "with stand-ins" if branch.number in fakes else "no"
        row = branch.file, branch.condition, "yes" if branch.number in apple else "no", run
        rows[row] = rows.get(row, 0) + 1
    lines = ["| file | branch | type-checked with stubs | run on Linux |", "| --- | --- | --- | --- |"]
    for (file, condition, checked, run), count in rows.items():
        # A bar ends a cell even in a code span.
        condition = condition.replace("|", r"\|")
        lines.append(f"| {file} | {condition}{f' ({count} times)' if count > 1 else ''} | {checked} | {run} |")
    return "".join(line + "\n" for line in lines), problems


def stale_names():
    """Returns a problem for each stub and for each folder of code that no module uses."""
    texts = "".join(file.read_text() for file in (ROOT / "Sources").rglob("*.swift"))
    stubs = {file.stem for file in (HERE / "Stubs").glob("*.swift")}
    problems = [f"STUBS and the folder Stubs differ: {name}" for name in sorted(stubs ^ set(STUBS))]
    # ObjectiveC is imported by an option.
    unused = [name for name in STUBS if name != "ObjectiveC" and not re.search(rf"\bimport {name}\b", texts)]
    problems += [f"the stub {name} is imported by no source" for name in unused]
    folders = [*HERE.glob("Compiles/*"), *HERE.glob("Refused/*")]
    return problems + [f"no module is checked with {f.relative_to(ROOT)}" for f in folders if f.name not in MODULES]


def check_table(modules, write):
    made, problems = branch_table(modules)
    before, begin, rest = GUIDE.read_text().partition(BEGIN)
    written, end, after = rest.partition(END)
    if not end:
        return [*problems, f"{GUIDE.name} has no place for the table: {BEGIN.strip()} … {END.strip()}"]
    if write:
        GUIDE.write_text(before + begin + made + end + after)
    elif written != made:
        changes = difflib.unified_diff(written.splitlines(), made.splitlines(), "written", "found", n=0, lineterm="")
        problem = f"The table of branches in {GUIDE.relative_to(ROOT)} is out of date: make typecheck WRITE=yes"
        problems.append("\n".join([problem, *changes]))
    return problems


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--modules", required=True, type=pathlib.Path, help="the Modules folder of a debug build")
    options.add_argument("--write", action="store_true", help="write the table of branches, and check nothing else")
    given = options.parse_args()
    if sys.platform == "darwin":
        return print("Apple's branches: built here, not checked with stubs")
    if not (given.modules / "PromiseContexts.swiftmodule").exists():
        sys.exit(f"no PromiseContexts.swiftmodule in {given.modules}: build first")
    failures = stale_names() + check_table(given.modules, given.write)
    print(f"Apple's branches: {'FAILED' if failures else 'all are in the table'}", flush=True)
    for name, variant in (VARIANTS.items() if not given.write else []):
        with tempfile.TemporaryDirectory() as folder:
            make_stubs(folder, variant)
            for module in MODULES:
                files = sources(module, folder)
                status, output = check(module, files, folder, given.modules, *variant, "-warnings-as-errors")
                if status:
                    failures.append(f"Apple's branches of {module} ({name}):\n{output}")
                for file in sorted((HERE / "Refused" / module).glob("*.swift")):
                    status, output = check(module, [*files, file], folder, given.modules, *variant)
                    lacking = list(missing(file, output))
                    if not status or lacking:
                        problem = f"{module}/{file.name} ({name}) is not refused as it must be:"
                        failures.append("\n".join([problem, *lacking, output]))
        print(f"Apple's branches, where the SDK's classes are {name}: {'FAILED' if failures else 'ok'}", flush=True)
    if failures:
        sys.exit("\n\n".join(failures))


main()
