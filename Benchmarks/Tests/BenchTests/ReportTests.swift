import Foundation
import Testing

@testable import bench

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Reports of a run")
struct ReportTests {
  private let outcome = Outcome.made([(.gcd, 100), (.promise, 150), (.concurrency, 900)])
  private let figure = Figure(name: "M9 bytes", value: 72, goal: 80)

  @Test("Every row of results.json has the same fields, with null for absent values")
  func fields() throws {
    let alone = Outcome.made([(.promise, 150)])
    let data = try JSONEncoder().encode(outcome.rows + alone.rows + [figure.row])
    let rows = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    let contract: Set = [
      "workload", "subject", "n", "min_ns", "median_ns", "max_ns", "p99_ns", "user_ns", "system_ns", "switches",
      "ratio", "ratio_min", "ratio_max", "goal", "p99_ratio", "p99_goal", "verdict", "processes", "rounds", "pinned",
      "growth_bytes",
    ]
    #expect(rows.count == 5)
    #expect(rows.allSatisfy { Set($0.keys) == contract })
    #expect(rows.map { $0["ratio"] as? Double } == [1, 1.5, 9, nil, nil])
    #expect(rows.map { $0["goal"] as? Double } == [nil, 1.1, nil, 1.1, 80])
    #expect(rows.map { $0["n"] as? Int } == [10, 10, 10, 10, 72])
  }

  @Test("Both results.json and the table show the times of single trips")
  func trips() throws {
    let outcome = Outcome.made(
      [
        (.gcd, Timing(nanosecondsPerUnit: 100, trips: [200])),
        (.promise, Timing(nanosecondsPerUnit: 100, trips: [300])),
      ], goal: 1.00, p99Goal: 1.05)
    let data = try JSONEncoder().encode(outcome.rows)
    let rows = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    #expect(rows.map { $0["p99_ns"] as? Double } == [200, 300])
    #expect(rows.map { $0["p99_ratio"] as? Double } == [1, 1.5])
    #expect(rows.map { $0["p99_goal"] as? Double } == [nil, 1.05])
    let end = "| 300.0 |  |  |  | 1.00 |  | 1.50 | ≤ 1.00, p99 ≤ 1.05 | median met, p99 missed by 0.45 |"
    #expect(Table([outcome]).markdown.hasSuffix(end))
  }

  @Test("The table and results.json show the range of the ratios of all processes, and what a unit takes")
  func processes() throws {
    let cost = ProcessorCost(userNanoseconds: 30, systemNanoseconds: 4, voluntarySwitches: 0.25)
    func process(_ time: Double) -> [(Subject.Name, Timing)] {
      [(.gcd, Timing(nanosecondsPerUnit: 100)), (.promise, Timing(nanosecondsPerUnit: time, cost: cost))]
    }
    let outcome = Outcome.made([process(120), process(90), process(100)], goal: 1.10, p99Goal: nil)
    let row = try #require(outcome.rows.last)
    #expect(row.processes == 3)
    #expect(row.rounds == 3)
    #expect(row.ratio == 1)
    #expect(row.leastRatio == 0.9)
    #expect(row.mostRatio == 1.2)
    #expect(row.userNanoseconds == 30)
    #expect(row.systemNanoseconds == 4)
    #expect(row.switches == 0.25)
    let end = "| 30.0 | 4.0 | 0.250 | 1.00 | 0.90–1.20 |  | ≤ 1.10 | cannot tell |"
    #expect(Table([outcome]).markdown.hasSuffix(end))
  }

  @Test("A figure without a goal shows neither goal nor verdict, and its row has the subject that it names")
  func orientation() throws {
    let figure = Figure(name: "M9 bytes of GCD", value: 72, goal: nil, subject: .gcd)
    #expect(figure.row.goal == nil)
    #expect(figure.row.subject == "gcd")
    #expect(Table([figure]).markdown.hasSuffix("| M9 bytes of GCD | 72 |  |  |"))
  }

  @Test("The facts about the machine name the system without its kernel")
  func system() throws {
    let system = try #require(Machine.here["system"])
    #expect(!system.isEmpty)
    #expect(!system.lowercased().contains("kernel"))
  }

  @Test("The columns of a table are aligned")
  func table() {
    let lines = Table([figure, Figure(name: "M9", value: 12_345, goal: 1)]).text.split(separator: "\n")
    #expect(lines[2] == "M9 bytes             72  ≤ 80  met")
    #expect(lines[3] == "M9                12345   ≤ 1  missed by 12344")
  }

  @Test("A table can be written in Markdown")
  func markdown() {
    #expect(Table([figure]).markdown.hasSuffix("| --- | --: | --: | --- |\n| M9 bytes | 72 | ≤ 80 | met |"))
  }

  @Test("The chart is well-formed XML for every kind of report")
  func wellFormed() {
    for report in [Report.made([outcome], [figure]), .made([.made([(.promise, 150)])]), .made([], [figure])] {
      #expect(XMLParser(data: Data(Chart(report).svg.utf8)).parse())
    }
  }

  @Test("The chart shows the numbers as text, and marks each bar that is cut")
  func chart() {
    let svg = Chart(.made([outcome])).svg
    #expect(svg.contains(">1.50</text>"))
    #expect(svg.contains(">9.00</text>"))
    #expect(svg.contains(">≤ 1.10 missed by 0.40</text>"))
    #expect(svg.components(separatedBy: #"<line class="gap""#).count == 3)
  }
}
