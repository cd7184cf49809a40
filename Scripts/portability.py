#!/usr/bin/env python3
"""Builds the library in several configurations, runs a small program in each, and compares the lines that it prints.

    portability           fails if a configuration does not work, or if the table in Docs/Reference/Portability.md
                          differs
    portability --write   writes the table

The programs are in Tests/Portability. Each program must print the lines of its comments `// prints: …`.

The modules are compiled with swiftc, one after another, with the options that SwiftPM would pass. Only Linux has all
the configurations. On other systems the script does nothing.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from package import ROOT, SWIFTC, compiler_options, output_of

GUIDE = ROOT / "Docs/Reference/Portability.md"
PROGRAMS = ROOT / "Tests/Portability"
COMMON = ["-package-name", "swift_promises", "-I", str(ROOT / "Sources/CPromiseSystem/include")]
ALL = ["PromiseCore", "PromiseContexts", "PromiseCombinators", "PromiseFoundation"]
WITHOUT_FOUNDATION = ALL[:3]
DEBUG, STATIC = ["-Onone", "-D", "DEBUG"], ["-static-stdlib"]
SWIFT_5, SWIFT_6, ON_MAIN = ["-swift-version", "5"], ["-swift-version", "6"], ["-default-isolation", "MainActor"]
CLIENTS = {
    "a client in Swift 5 mode": SWIFT_5,
    "a client in Swift 5 mode, complete concurrency checks": [*SWIFT_5, "-strict-concurrency=complete"],
    "a client in Swift 5 mode, `-default-isolation MainActor`": SWIFT_5 + ON_MAIN,
    "a client in Swift 6 mode": SWIFT_6,
    "a client in Swift 6 mode, `-default-isolation MainActor`": SWIFT_6 + ON_MAIN,
    "a client with C++ interoperability": [*SWIFT_6, "-cxx-interoperability-mode=default"],
}


def toolchain():
    """Returns the folder with the libraries of the toolchain."""
    return pathlib.Path(json.loads(output_of(SWIFTC, "-print-target-info"))["paths"]["runtimeResourcePath"])


def compile_module(folder, module, options):
    sources = sorted((ROOT / "Sources" / module).rglob("*.swift"))
    how = [*compiler_options(), "-I", folder, *options, "-module-name", module]
    products = ["-emit-module-path", folder / f"{module}.swiftmodule", "-o", folder / f"{module}.o"]
    output_of(SWIFTC, *how, "-emit-module", *products, "-c", *sources)


def build(folder, name, modules, options, product, linking=()):
    """Compiles a file of PROGRAMS without warnings, and links it with the modules."""
    source, program = PROGRAMS / f"{name}.swift", product.with_suffix(".o")
    objects = [folder / f"{module}.o" for module in [*modules, "CPromiseSystem"]]
    how = ["-Onone", "-warnings-as-errors", *COMMON, "-I", folder, *options, "-module-name", "program"]
    # Compiling and linking are separate, because the linker warns of Foundation's own use of the C library.
    output_of(SWIFTC, *how, "-c", source, "-o", program)
    output_of(SWIFTC, *options, *linking, program, *objects, "-L", folder, "-o", product)


def run_program(folder, name, modules, options, libraries=None):
    """Builds the program, compares the lines that it prints, and returns it."""
    source, program = PROGRAMS / f"{name}.swift", pathlib.Path(tempfile.mkdtemp(dir=folder)) / name
    build(folder, name, modules, options, program)
    printed = output_of(program, env=os.environ | {"LD_LIBRARY_PATH": str(libraries or "")}, timeout=300)
    wanted = "".join(line + "\n" for line in re.findall(r"// prints: (.*)", source.read_text()))
    if printed != wanted:
        sys.exit(f"{name}, built with {' '.join(map(str, options))}:\nwanted:\n{wanted}printed:\n{printed}")
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
        loaded = output_of("ldd", program)
        if swift := re.findall(r"(?m)^\s*(libswift\S*|libFoundation\S*|libdispatch\S*)", loaded):
            sys.exit(f"{name} is not statically linked, but needs {', '.join(swift)}")
        yield "static linking, `-static-stdlib`", modules, "no library of Swift is loaded"
    for title, options in CLIENTS.items():
        run_program(folder, "Client", WITHOUT_FOUNDATION, options)
        yield title, WITHOUT_FOUNDATION, "no warning"


def unchecked(folder):
    for module in WITHOUT_FOUNDATION:
        compile_module(folder, module, ["-Ounchecked"])
    run_program(folder, "Client", WITHOUT_FOUNDATION, SWIFT_6)
    result = "optimised, without the checks for overflow and bounds"
    yield "`-Ounchecked` for the library", WITHOUT_FOUNDATION, result


def copies(folder):
    modules = WITHOUT_FOUNDATION[:2]
    for module in modules:
        compile_module(folder, module, DEBUG)
    for plugin in "libone.so", "libtwo.so":
        build(folder, "Plugin", modules, [*SWIFT_6, "-parse-as-library"], folder / plugin, ["-emit-library"])
    run_program(folder, "Copies", modules, SWIFT_6, libraries=folder)
    yield "three copies in one process, two of them in plug-ins", modules, "each prints unhandled rejections"


def without_dispatch(folder):
    """Compiles with a copy of the toolchain's library folder, made of symbolic links, that omits Dispatch."""
    original, hidden = toolchain(), folder / "toolchain"
    shutil.copytree(original, hidden, ignore=shutil.ignore_patterns("*ispatch*"), copy_function=os.symlink)
    options = ["-resource-dir", hidden]
    compile_module(folder, "PromiseCore", DEBUG + options)
    # The program runs on Linux, where the runtime of Swift concurrency needs Dispatch.
    run_program(folder, "CoreAlone", ["PromiseCore"], [*SWIFT_6, *options], libraries=original / "linux")
    yield "Dispatch hidden from the compiler", ["PromiseCore"], "only the runtime of Swift concurrency loads Dispatch"
    try:
        compile_module(folder, "PromiseContexts", DEBUG + options)
        sys.exit("PromiseContexts compiles without Dispatch: the table can say so")
    except SystemExit as failure:
        if "no such module 'Dispatch'" not in str(failure):
            raise
    result = "**do not compile**: PromiseContexts imports Dispatch"
    yield "Dispatch hidden from the compiler", ["the other modules"], result


def rows_of(configuration):
    with tempfile.TemporaryDirectory() as folder:
        # All configurations link the library's C functions.
        source, product = ROOT / "Sources/CPromiseSystem/CPromiseSystem.c", f"{folder}/CPromiseSystem.o"
        clang = pathlib.Path(SWIFTC).resolve().parent / "clang"
        output_of(clang, "-fPIC", "-c", source, "-I", source.parent / "include", "-o", product)
        return list(configuration(pathlib.Path(folder)))


def table():
    # The slowest configuration starts early, but the table begins with the configurations that a reader looks for.
    configurations = (statically_linked, unchecked, copies, without_dispatch)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [pool.submit(rows_of, configuration) for configuration in configurations]
    if failures := [str(one.exception()) for one in running if one.exception()]:
        sys.exit("\n\n".join(failures))
    rows = [row for one in running for row in one.result()]
    lines = [f"| {title} | {', '.join(modules)} | {result} |\n" for title, modules, result in rows]
    return "| configuration | modules | result |\n| --- | --- | --- |\n" + "".join(lines)


if not sys.platform.startswith("linux"):
    print("portability: the configurations are those of Linux")
    sys.exit()
made = table()
print(made, end="")
page = GUIDE.read_text()
place = r"(?s)(?<=<!-- portability -->\n).*?(?=<!-- /portability -->\n)"
changed, count = re.subn(place, lambda _: made, page)
if not count:
    sys.exit(f"{GUIDE.relative_to(ROOT)} has no place for the table: <!-- portability --> … <!-- /portability -->")
if "--write" in sys.argv:
    GUIDE.write_text(changed)
elif changed != page:
    sys.exit(f"{GUIDE.relative_to(ROOT)} does not have this table: Scripts/portability.py --write")
