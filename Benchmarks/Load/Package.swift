// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that neither clients nor tests of the library build SwiftNIO. `make proof ONLY=load` builds
// and runs it.
let package = Package(
  name: "Load",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-promises", path: "../.."),
    // The version of Docs/Examples/WorksWith.
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .target(name: "CLoad"),
    // The sources of both are links, to the server of the tests and to the adapter of Docs/Examples/WorksWith. The
    // library also has a target with the name of the server, so it has another name here.
    .target(name: "LoadServer", path: "Sources/LoopbackServer"),
    .target(
      name: "PromiseNIO",
      dependencies: [
        .product(name: "PromiseContexts", package: "swift-promises"), .product(name: "NIOCore", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "Load",
      dependencies: [
        "CLoad", "LoadServer", "PromiseNIO",
        .product(name: "PromiseCombinators", package: "swift-promises"),
        .product(name: "PromiseGates", package: "swift-promises"),
        .product(name: "PromiseHTTP", package: "swift-promises"),
        .product(name: "PromiseProcesses", package: "swift-promises"),
        .product(name: "PromiseTesting", package: "swift-promises"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CLoad" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
