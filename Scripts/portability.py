#!/usr/bin/env python3
"""Builds the library in several configurations, and runs a small program in each. The table in
Docs/Reference/Portability.md describes the configurations. It takes no arguments.

The programs are in Tests/Portability. They must compile without warnings, and print the lines of their comments
`// prints: …`. The modules are compiled with swiftc, one after another, with the options that SwiftPM would pass. Only
Linux has all the configurations. On other systems the script does nothing.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

from package import ROOT, SWIFTC, compiler_options, finish, output_of

GUIDE = (ROOT / "Docs/Reference/Portability.md").read_text()
PROGRAMS = ROOT / "Tests/Portability"
COMMON = ["-package-name", "swift_promises", "-I", str(ROOT / "Sources/CPromiseSystem/include")]
WITHOUT_FOUNDATION = ["PromiseCore", "PromiseContexts", "PromiseCombinators", "PromiseGates"]
ALL = [*WITHOUT_FOUNDATION, "PromiseFoundation", "PromiseHTTP", "PromiseProcesses"]
# The modules that each program is linked with.
MODULES_OF = {
    "Client": WITHOUT_FOUNDATION,
    "Copies": WITHOUT_FOUNDATION[:2],
    "Foundation": ALL,
    "Plugin": WITHOUT_FOUNDATION[:2],
}
DEBUG = ["-Onone", "-D", "DEBUG"]
STATIC = ["-static-stdlib"]
SWIFT_5 = ["-swift-version", "5"]
SWIFT_6 = ["-swift-version", "6"]
ON_MAIN = ["-default-isolation", "MainActor"]
CLIENTS = {
    "a client in Swift 5 mode": SWIFT_5,
    "a client in Swift 5 mode, complete concurrency checks": [*SWIFT_5, "-strict-concurrency=complete"],
    "a client in Swift 5 mode, `-default-isolation MainActor`": SWIFT_5 + ON_MAIN,
    "a client in Swift 6 mode": SWIFT_6,
    "a client in Swift 6 mode, `-default-isolation MainActor`": SWIFT_6 + ON_MAIN,
    "a client with C++ interoperability": [*SWIFT_6, "-cxx-interoperability-mode=default"],
}


# Each configuration that was tried, with its modules.
tried = set()


def compile_modules(folder, modules, options):
    for module in modules:
        sources = sorted((ROOT / "Sources" / module).rglob("*.swift"))
        how = [*compiler_options(), "-I", folder, *options, "-module-name", module]
        products = ["-emit-module-path", folder / f"{module}.swiftmodule", "-o", folder / f"{module}.o"]
        output_of(SWIFTC, *how, "-emit-module", *products, "-c", *sources)


def build(folder, name, options, product, linking=()):
    """Compiles a file of PROGRAMS without warnings, and links it with the modules in the folder."""
    source = PROGRAMS / f"{name}.swift"
    program = product.with_suffix(".o")
    objects = [object for module in [*MODULES_OF[name], "CPromiseSystem"] for object in folder.glob(f"{module}.o")]
    how = ["-Onone", "-warnings-as-errors", *COMMON, "-I", folder, *options, "-module-name", "program"]
    # Compiling and linking are separate, because the linker warns of Foundation's own use of the C library.
    output_of(SWIFTC, *how, "-c", source, "-o", program)
    output_of(SWIFTC, *options, *linking, program, *objects, "-L", folder, "-o", product)


def check(title, folder, name, options, libraries=None):
    """Builds the program, compares the lines that it prints, and returns it."""
    source = PROGRAMS / f"{name}.swift"
    program = pathlib.Path(tempfile.mkdtemp(dir=folder)) / name
    build(folder, name, options, program)
    printed = output_of(program, env=os.environ | {"LD_LIBRARY_PATH": str(libraries or "")}, timeout=300)
    wanted = "".join(line + "\n" for line in re.findall(r"// prints: (.*)", source.read_text()))
    if printed != wanted:
        sys.exit(f"{name}, {title}:\nwanted:\n{wanted}printed:\n{printed}")
    tried.add((title, ", ".join(MODULES_OF[name])))
    print(f"{name}: {title}")
    return program


def statically_linked(folder):
    compile_modules(folder, ALL, DEBUG + STATIC)
    # FoundationNetworking needs libcurl. Its development package may be missing, but the library itself is installed.
    toolchain = json.loads(output_of(SWIFTC, "-print-target-info"))["paths"]["runtimeResourcePath"]
    needed = output_of("ldd", f"{toolchain}/linux/libFoundationNetworking.so")
    if curl := re.search(r"libcurl\.so\S* => (\S+)", needed):
        (folder / "libcurl.so").symlink_to(curl[1])
    for name in "Client", "Foundation":
        program = check("static linking, `-static-stdlib`", folder, name, [*SWIFT_6, *STATIC])
        loaded = output_of("ldd", program)
        if swift := re.findall(r"(?m)^\s*(libswift\S*|libFoundation\S*|libdispatch\S*)", loaded):
            sys.exit(f"{name} is not statically linked, but needs {', '.join(swift)}")
    for title, options in CLIENTS.items():
        check(title, folder, "Client", options)


def unchecked(folder):
    compile_modules(folder, WITHOUT_FOUNDATION, ["-Ounchecked"])
    check("`-Ounchecked` for the library", folder, "Client", SWIFT_6)


def copies(folder):
    compile_modules(folder, MODULES_OF["Copies"], DEBUG)
    for plugin in "libone.so", "libtwo.so":
        build(folder, "Plugin", [*SWIFT_6, "-parse-as-library"], folder / plugin, ["-emit-library"])
    check("three copies in one process, two of them in plug-ins", folder, "Copies", SWIFT_6, libraries=folder)


def run(configuration):
    with tempfile.TemporaryDirectory() as folder:
        # All configurations link the library's C functions.
        source = ROOT / "Sources/CPromiseSystem/CPromiseSystem.c"
        product = f"{folder}/CPromiseSystem.o"
        clang = pathlib.Path(SWIFTC).resolve().parent / "clang"
        output_of(clang, "-fPIC", "-c", source, "-I", source.parent / "include", "-o", product)
        configuration(pathlib.Path(folder))


if sys.platform.startswith("linux"):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, [statically_linked, unchecked, copies]))
    section = GUIDE.partition("\n## Configurations\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"(?m)^\| (.*?) \| (Promise.*?) \|", section))
    problems = [f"the table lacks: {title} | {modules}" for title, modules in tried - listed]
    problems += [f"nothing tries this row: {title} | {modules}" for title, modules in listed - tried]
    finish([f"Docs/Reference/Portability.md: {problem}" for problem in sorted(problems)])
