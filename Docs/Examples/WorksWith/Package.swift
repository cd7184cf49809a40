// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no client of the library resolves or builds the packages that it works with. Each
// target of Sources is the adapter for one package, and Tests has a file for each. `make works-with` builds and tests
// it.
let package = Package(
  name: "WorksWith",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-promises", path: "../../.."),
    // Docs/WorksWith.md names these versions.
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-service-context", exact: "1.5.1"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .target(name: "PromiseNIO", dependencies: [.contexts, .nio]),
    .target(
      name: "PromiseTracing",
      dependencies: [
        .contexts, .recording, .tracing, .serviceContext, .logging,
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    .target(name: "PromiseHTTPClient", dependencies: [.contexts, .httpClient, .nio, .http1]),
    // The sources of PromiseFoundation for Combine, compiled with OpenCombine.
    .target(
      name: "PromiseOpenCombine", dependencies: [.contexts, .openCombine],
      swiftSettings: [.unsafeFlags(["-module-alias", "Combine=OpenCombine"])]),
    .target(name: "PromiseGRDB", dependencies: [.contexts, .grdb]),
    .target(name: "PromiseHummingbird", dependencies: [.contexts, .hummingbird]),
    .target(name: "PromiseServices", dependencies: [.contexts, .lifecycle]),
    // Keeps the notes of the example Notes in a database.
    .target(name: "NotesDatabase", dependencies: ["PromiseGRDB", .contexts, .grdb]),
    // Compares the links of promises with those of EventLoopFuture. Docs/WorksWith.md shows the result.
    .executableTarget(name: "bench-nio", dependencies: ["PromiseNIO", .contexts, .nio, .posix]),
    .testTarget(
      name: "WorksWithTests",
      dependencies: [
        "PromiseNIO", "PromiseTracing", "PromiseHTTPClient", "PromiseOpenCombine", "PromiseGRDB", "PromiseHummingbird",
        "PromiseServices", "NotesDatabase", .contexts, .recording, .nio, .posix, .http1, .tracing, .serviceContext,
        .logging, .httpClient, .openCombine, .grdb, .hummingbird, .lifecycle,
        .product(name: "PromiseCore", package: "swift-promises"),
        .product(name: "PromiseCombinators", package: "swift-promises"),
        .product(name: "PromiseGates", package: "swift-promises"),
        .product(name: "PromiseHTTP", package: "swift-promises"),
        .product(name: "PromiseProcesses", package: "swift-promises"),
        .product(name: "PromiseTesting", package: "swift-promises"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

extension Target.Dependency {
  static let contexts = product(name: "PromiseContexts", package: "swift-promises")
  static let recording = product(name: "PromiseRecording", package: "swift-promises")
  static let nio = product(name: "NIOCore", package: "swift-nio")
  static let posix = product(name: "NIOPosix", package: "swift-nio")
  static let http1 = product(name: "NIOHTTP1", package: "swift-nio")
  static let tracing = product(name: "Tracing", package: "swift-distributed-tracing")
  static let serviceContext = product(name: "ServiceContextModule", package: "swift-service-context")
  static let logging = product(name: "Logging", package: "swift-log")
  static let httpClient = product(name: "AsyncHTTPClient", package: "async-http-client")
  static let openCombine = product(name: "OpenCombine", package: "OpenCombine")
  static let grdb = product(name: "GRDB", package: "GRDB.swift")
  static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
  static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
}

package.products = package.targets.filter { $0.type == .regular }.map {
  .library(name: $0.name, targets: [$0.name])
}

for target in package.targets {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
