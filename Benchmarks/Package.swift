// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the library do not build its benchmarks, and so that the promise subjects are
// compiled as a client's code is: in another package, with nothing but the products.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-promises", path: "..")],
  targets: [
    .target(name: "CAffinity"),
    .executableTarget(name: "bench", dependencies: ["CAffinity", .core, .contexts, .combinators]),
    .testTarget(name: "BenchTests", dependencies: ["bench", .core]),

    // What `bench` starts or weighs, and finds beside itself. A program of its own for the memory, because what counts
    // the allocator stands in for it. The counter is that of the tests, by links: a package sees nothing outside its
    // folder.
    .target(name: "CAllocations"),
    .target(name: "CHeap"),
    .executableTarget(name: "memory", dependencies: ["CAllocations", "CHeap", .core, .contexts]),
    .executableTarget(name: "size-gcd"),
    .executableTarget(name: "size-promise", dependencies: [.contexts]),
  ],
  swiftLanguageModes: [.v6]
)

extension Target.Dependency {
  static let core = product(name: "PromiseCore", package: "swift-promises")
  static let contexts = product(name: "PromiseContexts", package: "swift-promises")
  static let combinators = product(name: "PromiseCombinators", package: "swift-promises")
}

for target in package.targets where [.executable, .test].contains(target.type) {
  target.swiftSettings = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
