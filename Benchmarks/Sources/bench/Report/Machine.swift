import Foundation

/// The properties of the machine that a reader must know. A time is meaningless without them, and a ratio means less.
struct Machine: Sendable {
  let facts: [(name: String, value: String)]

  /// The current properties of this machine.
  static var here: Machine {
    Machine(facts: [
      ("date", Date.now.formatted(.iso8601)),
      ("system", system),
      ("processor", processor),
      ("cores", String(ProcessInfo.processInfo.activeProcessorCount)),
      ("load before", load),
      ("Swift", swiftVersion),
    ])
  }

  subscript(name: String) -> String? { facts.first { $0.name == name }?.value }

  /// Returns the distribution without the kernel, whose name identifies the machine of one user and tells a reader
  /// nothing.
  private static var system: String {
    let name = lines(of: "/etc/os-release").first { $0.hasPrefix("PRETTY_NAME=") }?
      .dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
    return name ?? ProcessInfo.processInfo.operatingSystemVersionString
  }

  private static var processor: String {
    let model = lines(of: "/proc/cpuinfo").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    #if arch(x86_64)
      let architecture = "x86_64"
    #elseif arch(arm64)
      let architecture = "arm64"
    #else
      let architecture = "other"
    #endif
    return [architecture, model?.trimmingCharacters(in: .whitespaces)].compactMap(\.self).joined(separator: ", ")
  }

  /// The load of the last minute. It shows other work on the same machine.
  private static var load: String {
    lines(of: "/proc/loadavg").first?.split(separator: " ").first.map(String.init) ?? "unknown"
  }

  /// The version in the output of `swift --version`, which has the patch level. A program cannot get it from its
  /// compiler.
  private static var swiftVersion: String {
    let text = Command.output(of: [Command.swift, "--version"]) ?? ""
    for line in text.split(separator: "\n") {
      if let range = line.range(of: "Swift version ") { return String(line[range.upperBound...]) }
    }
    return "6 or later"
  }

  private static func lines(of path: String) -> [String] {
    ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }
}
