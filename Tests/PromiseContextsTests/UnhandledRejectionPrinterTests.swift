import TestSupport
import Testing

@Suite("Unhandled rejections that are printed") struct UnhandledRejectionPrinterTests {
  private let lines = Log<String>()

  /// Returns the report of an unhandled rejection.
  private func report(_ error: any Error, line: UInt) -> UnhandledRejection? {
    let reports = Log<UnhandledRejection>()
    Diagnostics.scoped(unhandledRejection: reports.append) {
      _ = Promise<Int>.rejected(error, fileID: "Office/Printer.swift", line: line)
    }
    return reports.entries.first
  }

  @Test("The printed line names the error, the place and the remedy", .rule("7.1"))
  func text() throws {
    let printer = UnhandledRejectionPrinter { [lines] in lines.append($0) }
    printer.print(try #require(report("out of\npaper", line: 12)))
    #expect(
      lines.entries == [
        """
        Promises: unhandled rejection: out of paper, of the promise made at Office/Printer.swift:12. Handle it with `catch` or \
        `recover`, or turn this message off: `Diagnostics.printsUnhandledRejections = false`.

        """
      ])
  }

  @Test("Each place is printed once, whatever the error")
  func once() throws {
    let printer = UnhandledRejectionPrinter { [lines] in lines.append($0) }
    for line in [1, 2, 1, 2, 3] as [UInt] {
      printer.print(try #require(report("error \(lines.entries.count)", line: line)))
    }
    #expect(lines.entries.map { $0.contains(":1.") } == [true, false, false])
  }

  @Test("Hints of each kind about one place are printed once", .rule("4.4"))
  func hints() throws {
    let printer = UnhandledRejectionPrinter { [lines] in lines.append($0) }
    let report = try #require(self.report(TestError(1), line: 1))
    let site = report.createdAt
    for _ in 0..<2 {
      printer.print(report)
      printer.print("unread", of: .unreadMapResult, about: site)
      printer.print("unstopped", of: .unstoppedWork, about: site)
    }
    #expect(lines.entries == ["Promises: \(report.hint)\n", "Promises: unread\n", "Promises: unstopped\n"])
  }

  @Test("Only one of two threads that report promises of the same place prints a line")
  func together() throws {
    let report = try #require(self.report(TestError(1), line: 1))
    for _ in 0..<100 {
      let lines = Log<String>()
      let printer = UnhandledRejectionPrinter { lines.append($0) }
      race(Array(repeating: { printer.print(report) }, count: 2))
      #expect(lines.entries.count == 1)
    }
  }
}
