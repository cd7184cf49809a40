import Foundation

/// The report of a run, for readers and for programs.
struct Report {
  let machine: Machine
  let mode: Mode
  let outcomes: [Outcome]
  let figures: [Figure]

  /// The text for the terminal.
  var text: String {
    let width = machine.facts.map(\.name.count).max() ?? 0
    let facts = machine.facts.map { "\($0.name.padded(to: width, right: false))  \($0.value)" }
    return joined([facts.joined(separator: "\n"), timed?.text, growths, legend, counted?.text, quickWarning])
  }

  /// The text for the README and for comparisons of two runs.
  var markdown: String {
    let facts = machine.facts.map { "- \($0.name): \($0.value)" }.joined(separator: "\n")
    let workloads = outcomes.map(\.workload).map { workload in
      "- **\(workload.id)**: \(workload.title); per \(workload.unit). Baseline: \(workload.baseline)."
    }
    let parts: [String?] = [
      "# Benchmarks", quickWarning, facts, timed?.markdown, growths, legend, workloads.joined(separator: "\n"),
      counted?.markdown,
    ]
    return joined(parts) + "\n"
  }

  private func joined(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private var timed: Table? { outcomes.isEmpty ? nil : Table(outcomes) }
  private var counted: Table? { figures.isEmpty ? nil : Table(figures) }

  /// The growth of the process, which loops must keep small.
  private var growths: String? {
    let parts = outcomes.compactMap { outcome in
      outcome.growth.map { "\(outcome.workload.id) \((Double($0) / 1_048_576).formatted(places: 2)) MiB" }
    }
    return parts.isEmpty ? nil : "Most growth of the process in a round: " + parts.joined(separator: ", ") + "."
  }

  private var legend: String? { outcomes.isEmpty ? nil : Self.legend }

  private static let legend = """
    Times are nanoseconds per unit. The ratio is to `gcd` (W10: `concurrency`; W12, W13: `baseline`; `objects`: \
    `objects-baseline`). A process compares medians of its rounds, in which the subjects take turns; the columns show \
    the median over all processes, and the range of their ratios. If the range contains the goal, the verdict is \
    "cannot tell". user, system: processor time of all threads; switches: how often a thread gave its core away. n: \
    units in each round. cores: where the threads of the process were. p99: the 99th percentile of single round trips, \
    where a caller waits for each. Min, median and max of W14 are of single round trips too.
    """

  private var quickWarning: String? {
    mode == .quick ? "A quick run: few and small rounds. Do not quote it." : nil
  }

  func write(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(outcomes.flatMap(\.rows) + figures.map(\.row)).write(to: folder.appending(path: "results.json"))
    try Data(markdown.utf8).write(to: folder.appending(path: "report.md"))
    try Data(Chart(self).svg.utf8).write(to: folder.appending(path: "chart.svg"))
  }
}
