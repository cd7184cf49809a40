// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because a program that migrates has a target `PromiseKit` or `Promises` already. SwiftPM refuses
// two targets of one name.
let package = Package(
  name: "stubs",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "PromiseKit", targets: ["PromiseKit"]),
    .library(name: "Promises", targets: ["Promises"]),
  ],
  targets: [
    .target(name: "PromiseKit"),
    .target(name: "Promises"),
  ],
  // As the libraries themselves.
  swiftLanguageModes: [.v5]
)
