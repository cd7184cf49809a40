// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the library builds its benchmarks, and so that the promise subjects are
// compiled as a client's code is: in another package, with nothing but the products.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Promises", path: "..")],
  targets: [
    .target(name: "CAffinity"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CAffinity",
        .product(name: "PromiseCore", package: "Promises"),
        .product(name: "PromiseContexts", package: "Promises"),
        .product(name: "PromiseCombinators", package: "Promises"),
      ],
      swiftSettings: [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
