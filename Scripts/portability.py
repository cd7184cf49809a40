#!/usr/bin/env python3
"""Builds the library in several configurations, runs a small program in each, and compares the lines that it prints. It
takes no arguments.

The programs are in Tests/Portability. Each program must print the lines of its comments `// prints: …`. The table in
Docs/Reference/Portability.md has the configurations. The modules are compiled with swiftc, one after another, with the
options that SwiftPM would pass. Only Linux has all the configurations. On other systems the script does nothing.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import sys
import tempfile

import package
from package import ROOT, SWIFTC, compiler_options

PROGRAMS = ROOT / "Tests/Portability"
ALL = ["PromiseCore", "PromiseContexts", "PromiseCombinators", "PromiseFoundation"]
WITHOUT_FOUNDATION = ALL[:3]
DEBUG, STATIC = ["-Onone", "-D", "DEBUG"], ["-static-stdlib"]
SWIFT_5, SWIFT_6, ON_MAIN = ["-swift-version", "5"], ["-swift-version", "6"], ["-default-isolation", "MainActor"]
CLIENTS = [
    SWIFT_5, [*SWIFT_5, "-strict-concurrency=complete"], SWIFT_5 + ON_MAIN, SWIFT_6, SWIFT_6 + ON_MAIN,
    [*SWIFT_6, "-cxx-interoperability-mode=default"],
]  # fmt: skip
# A command that hangs fails, with its name.
output_of = functools.partial(package.output_of, timeout=300)


def toolchain():
    """Returns the folder with the libraries of the toolchain."""
    return pathlib.Path(json.loads(output_of(SWIFTC, "-print-target-info"))["paths"]["runtimeResourcePath"])


def compile_module(folder, module, options):
    sources = sorted((ROOT / "Sources" / module).rglob("*.swift"))
    products = ["-emit-module-path", folder / f"{module}.swiftmodule", "-o", folder / f"{module}.o"]
    options = [*compiler_options(), "-I", folder, *options, "-module-name", module]
    output_of(SWIFTC, *options, "-emit-module", *products, "-c", *sources)


def build(folder, name, modules, options, product, linking=()):
    """Compiles a file of PROGRAMS without warnings, and links it with the modules."""
    functions, system = ROOT / "Sources/CPromiseSystem", folder / "CPromiseSystem.o"
    clang = pathlib.Path(SWIFTC).resolve().parent / "clang"
    output_of(clang, "-fPIC", "-c", functions / "CPromiseSystem.c", "-I", functions / "include", "-o", system)
    program = product.with_suffix(".o")
    included = ["-I", folder, "-I", functions / "include"]
    strict = ["-Onone", "-warnings-as-errors", "-module-name", "program", *included]
    # Compiling and linking are separate, because the linker warns of Foundation's own use of the C library.
    output_of(SWIFTC, *strict, *options, "-c", PROGRAMS / f"{name}.swift", "-o", program)
    objects = [program, system, *(folder / f"{module}.o" for module in modules)]
    output_of(SWIFTC, *options, *linking, *objects, "-L", folder, "-o", product)


def run_program(folder, name, modules, options, libraries=""):
    """Builds the program, compares the lines that it prints, and returns it."""
    program = pathlib.Path(tempfile.mkdtemp(dir=folder)) / name
    build(folder, name, modules, options, program)
    printed = output_of(program, env=os.environ | {"LD_LIBRARY_PATH": str(libraries)})
    wanted = "".join(line + "\n" for line in re.findall(r"// prints: (.*)", (PROGRAMS / f"{name}.swift").read_text()))
    if printed != wanted:
        sys.exit(f"{name}, built with {options}\nwanted:\n{wanted}printed:\n{printed}")
    return program


def statically_linked(folder):
    for module in ALL:
        compile_module(folder, module, DEBUG + STATIC)
    # FoundationNetworking needs libcurl. Its development package may be missing, but the library itself is installed.
    needed = output_of("ldd", toolchain() / "linux/libFoundationNetworking.so")
    if curl := re.search(r"libcurl\.so\S* => (\S+)", needed):
        (folder / "libcurl.so").symlink_to(curl[1])
    for name, modules in {"Client": WITHOUT_FOUNDATION, "Foundation": ALL}.items():
        program = run_program(folder, name, modules, [*SWIFT_6, *STATIC])
        if loaded := re.findall(r"libswift\S*|libFoundation\S*|libdispatch\S*", output_of("ldd", program)):
            sys.exit(f"{name} is not statically linked, but needs {', '.join(loaded)}")
    for options in CLIENTS:
        run_program(folder, "Client", WITHOUT_FOUNDATION, options)


def unchecked(folder):
    for module in WITHOUT_FOUNDATION:
        compile_module(folder, module, ["-Ounchecked"])
    run_program(folder, "Client", WITHOUT_FOUNDATION, SWIFT_6)


def copies(folder):
    modules = WITHOUT_FOUNDATION[:2]
    for module in modules:
        compile_module(folder, module, DEBUG)
    for plugin in "libone.so", "libtwo.so":
        build(folder, "Plugin", modules, [*SWIFT_6, "-parse-as-library"], folder / plugin, ["-emit-library"])
    run_program(folder, "Copies", modules, SWIFT_6, libraries=folder)


def without_dispatch(folder):
    """Compiles with a copy of the toolchain's library folder, made of symbolic links, that omits Dispatch."""
    original, hidden = toolchain(), folder / "toolchain"
    (hidden / "linux").mkdir(parents=True)
    for file in [*original.iterdir(), *(original / "linux").iterdir()]:
        place = hidden / file.relative_to(original)
        if "ispatch" not in file.name and not place.exists():
            place.symlink_to(file)
    options = ["-resource-dir", hidden]
    compile_module(folder, "PromiseCore", DEBUG + options)
    # The program runs on Linux, where the runtime of Swift concurrency needs Dispatch.
    run_program(folder, "CoreAlone", ["PromiseCore"], [*SWIFT_6, *options], libraries=original / "linux")
    try:
        compile_module(folder, "PromiseContexts", DEBUG + options)
    except SystemExit as failure:
        if "no such module 'Dispatch'" not in str(failure):
            raise
    else:
        sys.exit("PromiseContexts compiles without Dispatch. Correct Docs/Reference/Portability.md")


def check(configuration):
    with tempfile.TemporaryDirectory() as folder:
        configuration(pathlib.Path(folder))
    print(f"portability: {configuration.__name__} works", flush=True)


if sys.platform.startswith("linux"):
    # The slowest configuration starts first.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check, [statically_linked, unchecked, copies, without_dispatch]))
