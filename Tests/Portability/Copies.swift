// A program that contains a copy of the library, and loads two plug-ins that contain one each.
import Glibc
import PromiseContexts

struct Problem: Error {}

// The output on standard error is compared too.
dup2(1, 2)

// prints: Promises: unhandled rejection: Problem(), of the promise made at program/Copies.swift:11. Handle it with `catch` or `recover`, or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
_ = Promise<Int>.rejected(Problem())

// prints: Promises: unhandled rejection: Problem(), of the promise made at program/Plugin.swift:9. Handle it with `catch` or `recover`, or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
// prints: hooks run on the pool
// prints: Promises: unhandled rejection: Problem(), of the promise made at program/Plugin.swift:9. Handle it with `catch` or `recover`, or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
// prints: hooks run on the pool
for name in ["libone.so", "libtwo.so"] {
  guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL), let function = dlsym(library, "rejectAndCancel") else {
    fatalError(String(cString: dlerror()))
  }
  unsafeBitCast(function, to: (@convention(c) () -> Void).self)()
}
