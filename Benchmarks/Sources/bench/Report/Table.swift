/// A table of rows and columns, which can be printed as aligned text and as Markdown.
struct Table {
  private let header: [String]
  private let rows: [[String]]
  /// The columns of numbers, whose cells are aligned to the right.
  private let numbers: Range<Int>

  init(_ outcomes: [Outcome]) {
    header = [
      "id", "subject", "cores", "rounds", "n", "min ns", "median ns", "max ns", "p99 ns", "ratio", "p99 ratio", "goal",
      "verdict",
    ]
    numbers = 3..<12
    rows = outcomes.flatMap { outcome in
      outcome.rows.enumerated().map { index, row in
        [
          index == 0 ? row.workload : "", row.subject,
          index == 0 ? outcome.cores : "", index == 0 ? String(outcome.rounds) : "",
          index == 0 || row.n != outcome.count ? String(row.n) : "",
          row.minNanoseconds?.asNanoseconds ?? "", row.medianNanoseconds?.asNanoseconds ?? "",
          row.maxNanoseconds?.asNanoseconds ?? "", row.p99Nanoseconds?.asNanoseconds ?? "",
          row.ratio?.formatted(places: 2) ?? "", row.p99Ratio?.formatted(places: 2) ?? "", row.goals,
          row.subject == Subject.Name.promise.rawValue ? outcome.verdict : "",
        ]
      }
    }
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
  fileprivate var goals: String {
    let goals = [goal.map { "≤ " + $0.formatted(places: 2) }, p99Goal.map { "p99 ≤ " + $0.formatted(places: 2) }]
    return goals.compactMap(\.self).joined(separator: ", ")
  }
}

extension Outcome {
  /// The cores on which the threads ran. If the threads were not pinned, the times of round trips are less reliable.
  fileprivate var cores: String { workload.pinning.rawValue + (isPinned ? "" : " (not pinned)") }
}
