// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Programs that the tests run as separate processes. Some differ in the kind of main thread.
let programs = [
  "BlockedMain", "DispatchMain", "RunLoopMain", "AsyncMain", "WaitingMain", "GlobalQueue", "Rejections", "BlockedPool",
  "ReusedCell",
]

// Only apps for Apple's systems need the manifest. For a resource, SwiftPM adds code to the module that imports
// Foundation.
#if canImport(Darwin)
  let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
#else
  let privacyManifest: [Resource] = []
#endif

// The examples of the documentation, which the tests run as well.
let examples = ["digest-folder", "notes", "tokens", "link-checker", "http-cache", "resumable-upload", "installer"]

let package = Package(
  name: "swift-promises",
  // The first systems that ship `Synchronization`, whose `Atomic` and, on these systems, `Mutex` are the engine's primitives.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PromiseCore", targets: ["PromiseCore"]),
    .library(name: "PromiseContexts", targets: ["PromiseContexts"]),
    .library(name: "PromiseCombinators", targets: ["PromiseCombinators"]),
    .library(name: "PromiseGates", targets: ["PromiseGates"]),
    .library(name: "PromiseFoundation", targets: ["PromiseFoundation"]),
    .library(name: "PromiseHTTP", targets: ["PromiseHTTP"]),
    .library(name: "PromiseProcesses", targets: ["PromiseProcesses"]),
    .library(name: "PromiseRecording", targets: ["PromiseRecording"]),
    .library(name: "PromiseWaiting", targets: ["PromiseWaiting"]),
    .library(name: "PromiseTesting", targets: ["PromiseTesting"]),
  ],
  targets: [
    // The C functions that the library calls. The target is in no product, so clients do not see it.
    .target(name: "CPromiseSystem"),
    .target(name: "PromiseCore", dependencies: ["CPromiseSystem"], resources: privacyManifest),
    .target(name: "PromiseContexts", dependencies: ["PromiseCore", "CPromiseSystem"]),
    .target(name: "PromiseCombinators", dependencies: ["PromiseContexts"]),
    .target(name: "PromiseGates", dependencies: ["PromiseContexts"]),
    .target(name: "PromiseFoundation", dependencies: ["PromiseContexts"]),
    .target(name: "PromiseHTTP", dependencies: ["PromiseFoundation"]),
    .target(name: "PromiseProcesses", dependencies: ["PromiseFoundation", "CPromiseSystem"]),
    .target(
      name: "PromiseRecording", dependencies: ["PromiseContexts", "CPromiseSystem"],
      // Scripts/generate-page.py makes Swift of them.
      exclude: ["Page/Web"]),
    .target(name: "PromiseWaiting", dependencies: ["PromiseContexts"]),
    .target(name: "PromiseTesting", dependencies: ["PromiseRecording", "PromiseWaiting"]),

    .executableTarget(
      name: "digest-folder", dependencies: ["PromiseProcesses"], path: "Docs/Examples/DigestFolder"),

    .executableTarget(
      name: "notes", dependencies: ["PromiseHTTP", "LoopbackServer"], path: "Docs/Examples/Notes"),
    .executableTarget(name: "tokens", dependencies: ["PromiseCombinators"], path: "Docs/Examples/Tokens"),
    .target(name: "RunRecording", dependencies: ["PromiseRecording"], path: "Docs/Examples/RunRecording"),

    .executableTarget(
      name: "link-checker",
      dependencies: [
        "PromiseCombinators", "PromiseGates", "PromiseHTTP", "PromiseProcesses", "RunRecording", "LoopbackServer",
      ],
      path: "Docs/Examples/LinkChecker", exclude: ["README.md"]),
    .executableTarget(
      name: "http-cache",
      dependencies: ["PromiseCombinators", "PromiseGates", "PromiseHTTP", "RunRecording", "LoopbackServer"],
      path: "Docs/Examples/HTTPCache", exclude: ["README.md"]),
    .executableTarget(
      name: "resumable-upload", dependencies: ["PromiseCombinators", "PromiseGates"],
      path: "Docs/Examples/ResumableUpload", exclude: ["README.md"]),
    .executableTarget(
      name: "installer",
      dependencies: ["PromiseCombinators", "PromiseHTTP", "PromiseProcesses", "LoopbackServer"],
      path: "Docs/Examples/Installer", exclude: ["README.md"]),

    .target(name: "TestSupport", dependencies: ["PromiseTesting"], path: "Tests/TestSupport"),
    .target(name: "TestedCalls", dependencies: ["PromiseCombinators", "TestSupport"], path: "Tests/TestedCalls"),
    .target(name: "OperatorTestSupport", dependencies: ["TestSupport"], path: "Tests/OperatorTestSupport"),
    .target(
      name: "FoundationTestSupport", dependencies: ["PromiseProcesses", "TestSupport"],
      path: "Tests/FoundationTestSupport"),
    .target(name: "LoopbackServer", path: "Tests/LoopbackServer"),
    .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer", "TestSupport"]),
    .testTarget(name: "PromiseCoreTests", dependencies: ["PromiseCore", "TestedCalls", "TestSupport"]),
    .testTarget(name: "PromiseContextsTests", dependencies: ["PromiseContexts", "TestedCalls", "TestSupport"]),
    // Some tests compare operators of both modules, and combine promises of gates.
    .testTarget(
      name: "PromiseCombinatorsTests",
      dependencies: ["PromiseCombinators", "PromiseGates", "OperatorTestSupport", "TestedCalls", "TestSupport"]),
    .testTarget(
      name: "PromiseGatesTests",
      dependencies: ["PromiseGates", "PromiseCombinators", "OperatorTestSupport", "TestSupport"]),
    .testTarget(
      name: "PromiseFoundationTests",
      dependencies: ["PromiseFoundation", "PromiseCombinators", "FoundationTestSupport", "TestSupport"]),
    .testTarget(
      name: "PromiseHTTPTests",
      dependencies: [
        "PromiseHTTP", "PromiseProcesses", "PromiseCombinators", "FoundationTestSupport", "LoopbackServer",
        "TestSupport",
      ]),
    .testTarget(
      name: "PromiseProcessesTests",
      dependencies: [
        "PromiseProcesses", "PromiseCombinators", "PromiseGates", "FoundationTestSupport", "TestSupport",
      ]),
    .testTarget(
      name: "PromiseRecordingTests",
      dependencies: ["PromiseRecording", "PromiseCombinators", "PromiseGates", "TestSupport"]),
    .testTarget(
      name: "PromiseTestingTests",
      dependencies: ["PromiseTesting", "PromiseCombinators", "PromiseGates", "PromiseRecording", "TestSupport"]),
    .testTarget(
      name: "GuideTests",
      dependencies: [
        "PromiseHTTP", "PromiseProcesses", "PromiseCombinators", "PromiseGates", "PromiseRecording", "PromiseWaiting",
        "PromiseTesting", "TestedCalls", "TestSupport",
      ]),
    .testTarget(name: "PromisesAPlusTests", dependencies: ["PromiseContexts", "TestSupport"]),
    .testTarget(
      name: "LeakTests",
      dependencies: [
        "PromiseHTTP", "PromiseCombinators", "PromiseGates", "TestedCalls", "LoopbackServer", "TestSupport",
      ]),
    .testTarget(
      name: "StressTests", dependencies: ["PromiseCombinators", "PromiseGates", "TestedCalls", "TestSupport"]),
    .target(name: "CAllocations", path: "Tests/CAllocations"),
    .testTarget(
      name: "ProgramTests",
      dependencies: ["PromiseProcesses", "PromiseCombinators", "LoopbackServer", "TestSupport"]
        + (programs + examples).map { .init(stringLiteral: $0) }),
    .testTarget(
      name: "AllocationTests",
      dependencies: ["PromiseCombinators", "PromiseGates", "PromiseRecording", "CAllocations", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

package.targets += programs.map {
  .executableTarget(
    name: $0, dependencies: ["PromiseCombinators", "PromiseFoundation", "PromiseTesting", "PromiseWaiting"],
    path: "Tests/Programs/\($0)")
}

// Sources of Apple's branches that need only a few of Apple's methods, compiled with fakes of these methods, so that
// the branches run in tests. On Apple's systems, PromiseFoundation contains them.
#if !canImport(Darwin)
  package.targets.append(
    .testTarget(
      name: "AppleBranchTests", dependencies: ["PromiseContexts", "TestSupport"],
      swiftSettings: [.define("APPLE_FAKES")]))
#endif

// A test with a type of C++. Without the headers of C++ it is built without the type, and says so.
let hasCxx = !["/usr/include/c++", "/usr/local/include/c++"].allSatisfy { !FileManager.default.fileExists(atPath: $0) }
#if canImport(Darwin)
  let usesCxx = true
#else
  let usesCxx = hasCxx
#endif
if usesCxx { package.targets.append(.target(name: "CxxValue", path: "Tests/CxxValue")) }
package.targets.append(
  .testTarget(
    name: "CxxValueTests", dependencies: ["PromiseContexts", "TestSupport"] + (usesCxx ? ["CxxValue"] : []),
    swiftSettings: usesCxx ? [.interoperabilityMode(.Cxx)] : []))

// Optimising all tests takes minutes. To build only some test targets, set TEST_TARGETS:
// TEST_TARGETS=AllocationTests swift test -c release
if let wanted = Context.environment["TEST_TARGETS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { target in
    programs.contains(target.name)
      ? !wanted.contains("ProgramTests") : target.type == .test && !wanted.contains(target.name)
  }
}

// Apple's simulators run apps but no command-line programs. For a simulator, set EXAMPLES=none, and TEST_TARGETS to
// targets that start no program.
if Context.environment["EXAMPLES"] == "none" {
  package.targets.removeAll { $0.type == .executable }
}

// All Swift targets use the same language features.
for target in package.targets where !["CAllocations", "CPromiseSystem", "CxxValue"].contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .strictMemorySafety(),
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// Optimising all tests takes ten minutes. `make test-release` optimises only the library.
if Context.environment["OPTIMIZED_TESTS"] == "none" {
  for target in package.targets where target.type == .test {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
  }
}
