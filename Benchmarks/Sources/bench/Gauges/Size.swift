import Foundation

// S1 measures by how many bytes promises make a program larger. Both programs are built like `swift build -c release`,
// with dynamic libraries of Swift and a static library of promises, and are then stripped. On Linux the linker drops
// unused sections (`--gc-sections`), but it keeps the metadata of types, which retain the methods.

extension Gauge {
  static let s1 = Gauge(id: "S1", title: "bytes that a promise and map add to a stripped executable") { mode in
    guard let bytes = try addedBytes(path: { try Command.neighbour($0) }) else { return [] }
    if mode == .quick { try checkGrowth(to: bytes) }
    let figure = Figure(name: "S1 bytes", value: bytes)
    return try [figure] + (mode == .quick || flagsOfSmallerPrograms.isEmpty ? [] : withFlags())
  }

  /// The flags of "As small as possible" in Docs/Reference/SmallerPrograms.md, as arguments of `swift build`. The flags
  /// are for the linker of Linux. On other systems the list is empty, and the report has no row for the flags.
  #if os(Linux)
    static let flagsOfSmallerPrograms =
      frontend("-function-sections") + frontend("-internalize-at-link")
      + ["-Xswiftc", "-use-ld=lld", "-Xswiftc", "-Osize"]
      + ["--icf=all", "-z", "pack-relative-relocs"].flatMap { ["-Xlinker", $0] }
  #else
    static let flagsOfSmallerPrograms: [String] = []
  #endif

  /// The most bytes that a quick run accepts. CI makes such a run. At most 2 % more than the published figure, so that
  /// a change that makes programs larger publishes the size that they have then.
  static let mostBytes = 975_000

  private static func checkGrowth(to bytes: Int) throws {
    // Another compiler writes programs of another size.
    #if os(Linux) && arch(x86_64) && compiler(>=6.3) && compiler(<6.4)
      if bytes > mostBytes {
        throw BenchError.wrongResult("S1 has \(bytes) bytes, and Size.swift allows \(mostBytes)")
      }
    #endif
  }

  private static func frontend(_ flag: String) -> [String] { ["-Xswiftc", "-Xfrontend", "-Xswiftc", flag] }

  /// Builds both programs with the flags, in a separate folder that the next run uses again. The first build takes half
  /// a minute, because it compiles the library, so a quick run leaves it out.
  private static func withFlags() throws -> [Figure] {
    let package = Options.rootPackage.appending(path: "Benchmarks").path(percentEncoded: false)
    let folder = Options.rootPackage.appending(path: "Benchmarks/.build/smaller")
    let scratch = folder.path(percentEncoded: false)
    let command =
      [Command.swift, "build", "-c", "release", "--package-path", package, "--scratch-path", scratch]
      + flagsOfSmallerPrograms
    for product in ["size-promise", "size-gcd"] {
      guard Command.output(of: command + ["--product", product]) != nil else {
        throw BenchError.wrongResult("\(product) cannot be built with \(flagsOfSmallerPrograms.joined(separator: " "))")
      }
    }
    let bytes = try addedBytes { folder.appending(path: "release/\($0)").path(percentEncoded: false) }
    return bytes.map { [Figure(name: "S1 bytes with flags", value: $0)] } ?? []
  }

  private static func addedBytes(path: (String) throws -> String) throws -> Int? {
    guard let promise = try strippedSize(of: path("size-promise")), let gcd = try strippedSize(of: path("size-gcd"))
    else {
      return nil
    }
    return promise - gcd
  }

  /// Returns the size of a stripped copy of the program, or `nil` if this system has no `strip`.
  private static func strippedSize(of program: String) throws -> Int? {
    let copy = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    defer { try? FileManager.default.removeItem(at: copy) }
    guard Command.output(of: ["strip", "-o", copy.path(percentEncoded: false), program]) != nil else { return nil }
    return try copy.resourceValues(forKeys: [.fileSizeKey]).fileSize
  }
}
