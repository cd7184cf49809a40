/// A table of rows and columns, which can be printed as aligned text and as Markdown.
struct Table {
  private let header: [String]
  private let rows: [[String]]
  /// The columns of numbers, whose cells are aligned to the right.
  private let numbers: Range<Int>

  init(_ outcomes: [Outcome]) {
    header = [
      "id", "subject", "cores", "processes", "rounds", "n", "min ns", "median ns", "max ns", "p99 ns", "user ns",
      "system ns", "switches", "ratio", "range", "p99 ratio", "goal", "verdict",
    ]
    numbers = 3..<17
    rows = outcomes.flatMap { outcome in
      outcome.rows.enumerated().map { index, row in
        [
          index == 0 ? row.workload : "", row.subject,
          index == 0 ? outcome.cores : "", index == 0 ? String(outcome.sessions.count) : "",
          index == 0 ? String(outcome.rounds) : "",
          index == 0 || row.n != outcome.count ? String(row.n) : "",
          row.minNanoseconds?.asNanoseconds ?? "", row.medianNanoseconds?.asNanoseconds ?? "",
          row.maxNanoseconds?.asNanoseconds ?? "", row.p99Nanoseconds?.asNanoseconds ?? "",
          row.userNanoseconds?.asNanoseconds ?? "", row.systemNanoseconds?.asNanoseconds ?? "",
          row.switches?.formatted(places: 3) ?? "",
          row.ratio?.formatted(places: 2) ?? "", row.range, row.p99Ratio?.formatted(places: 2) ?? "", row.goals,
          row.verdict,
        ]
      }
    }
  }

  init(_ comparisons: [Comparison]) {
    header = [
      "id", "base ns", "own ns", "base cpu ns", "own cpu ns", "base switches", "own switches", "ratio", "range",
      "baseline's range", "slower in", "verdict",
    ]
    numbers = 1..<11
    rows = comparisons.map { comparison in
      [
        comparison.workload.id,
        comparison.base(\.median)?.asNanoseconds ?? "", comparison.own(\.median)?.asNanoseconds ?? "",
        comparison.base(\.cost?.nanoseconds)?.asNanoseconds ?? "",
        comparison.own(\.cost?.nanoseconds)?.asNanoseconds ?? "",
        comparison.base(\.cost?.voluntarySwitches)?.formatted(places: 3) ?? "",
        comparison.own(\.cost?.voluntarySwitches)?.formatted(places: 3) ?? "",
        comparison.ratios.medianIfAny?.formatted(places: 2) ?? "", Self.range(of: comparison.ratios),
        Self.range(of: comparison.baselineRatios), "\(comparison.slowerCount) of \(comparison.ratios.count)",
        comparison.verdict,
      ]
    }
  }

  private static func range(of ratios: [Double]) -> String {
    guard let least = ratios.min(), let most = ratios.max() else { return "" }
    return "\(least.formatted(places: 2))–\(most.formatted(places: 2))"
  }

  init(_ figures: [Figure]) {
    header = ["memory and size", "figure", "goal", "verdict"]
    numbers = 1..<3
    rows = figures.map { [$0.name, String($0.value), $0.goal.map { "≤ \($0)" } ?? "", $0.verdict] }
  }

  /// The table as text, in which each column is as wide as its widest cell.
  var text: String {
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
    let lines = ([header, widths.map { String(repeating: "─", count: $0) }] + rows).map { cells in
      cells.indices.map { cells[$0].padded(to: widths[$0], right: numbers.contains($0)) }.joined(separator: "  ")
    }
    return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
  }

  var markdown: String {
    let rule = header.indices.map { numbers.contains($0) ? "--:" : "---" }
    return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}

extension Row {
  /// The smallest and the largest ratio of a process, or an empty text if there was one process.
  fileprivate var range: String {
    guard let leastRatio, let mostRatio else { return "" }
    return "\(leastRatio.formatted(places: 2))–\(mostRatio.formatted(places: 2))"
  }

  fileprivate var goals: String {
    let goals = [goal.map { "≤ " + $0.formatted(places: 2) }, p99Goal.map { "p99 ≤ " + $0.formatted(places: 2) }]
    return goals.compactMap(\.self).joined(separator: ", ")
  }
}

extension Outcome {
  /// The cores on which the threads ran. If the threads were not pinned, the times of round trips are less reliable.
  fileprivate var cores: String { workload.pinning.rawValue + (isPinned ? "" : " (not pinned)") }
}
