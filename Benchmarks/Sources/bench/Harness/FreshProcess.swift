import Foundation

/// A program of this package, or of the same package at another commit, that measures one workload in a process of its
/// own.
struct FreshProcess: Sendable {
  let program: String

  /// This program.
  static let own = FreshProcess(
    program: (Bundle.main.executableURL?.path(percentEncoded: false)) ?? CommandLine.arguments[0])

  /// Runs a workload in a new process and returns what it has measured.
  ///
  /// - Parameters:
  ///   - share: which of how many processes it is. It determines the order of the subjects and the number of rounds.
  ///   - mode: the mode in which it measures.
  ///   - rounds: the number of rounds, or `nil` if the share determines it.
  func measure(_ workload: Workload, share: Share, mode: Mode, rounds: Int?) throws -> Session {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var arguments = ["--share", "\(share.number)/\(share.count)", "--output", folder.path(percentEncoded: false)]
    if mode == .quick { arguments.append("--quick") }
    if let rounds { arguments += ["--rounds", String(rounds)] }
    if workload.subjects.count == 1 { arguments += ["--subject", workload.subjects[0].name.rawValue] }
    try run(arguments + [workload.id])
    let results = try Data(contentsOf: folder.appending(path: "results.json"))
    return try Session(JSONDecoder().decode([Row].self, from: results), of: workload)
  }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let command = ([program] + arguments).joined(separator: " ")
      throw BenchError.process("\(command) ended with \(process.terminationStatus): \(text.suffix(2_000))")
    }
  }
}

/// The part of a measurement that one of several processes does.
struct Share: Sendable, Equatable {
  /// From 1.
  var number: Int
  var count: Int

  static let whole = Share(number: 1, count: 1)

  /// Parses a text such as `3/12`.
  init?(_ text: String) {
    let parts = text.split(separator: "/").compactMap { Int($0) }
    guard parts.count == 2, parts[0] >= 1, parts[0] <= parts[1] else { return nil }
    self.init(number: parts[0], count: parts[1])
  }

  init(number: Int, count: Int) {
    self.number = number
    self.count = count
  }

  /// Returns how many rounds of all processes this one runs. With fewer than three rounds, one disturbance is a third
  /// of the result.
  func rounds(of all: Int) -> Int { count == 1 ? all : max(3, (all + count - 1) / count) }
}
