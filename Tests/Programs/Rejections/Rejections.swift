import PromiseTesting

struct OutOfPaper: Error {}

/// Drops rejected promises or leaves work, to show what a program prints by default, or with the setting that the argument
/// names.
@main
enum Rejections {
  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case "hook": Diagnostics.onUnhandledRejection { report in print("hook", report.error) }
    case "off": Diagnostics.printsUnhandledRejections = false
    case "on": Diagnostics.printsUnhandledRejections = true
    case "scope": return Diagnostics.scoped(unhandledRejection: { print("scope", $0.error) }, drop)
    case "world": return TestWorld().run(drop)
    case "work": return leaveWork()
    case "quiet work":
      Diagnostics.printsUnstoppedWork = false
      return leaveWork()
    case "handled":
      let promise = Promise<Int>.rejected(OutOfPaper())
      return print("rejected", promise.result != nil)
    default: break
    }
    drop()
  }

  /// Cancels promises, and leaves the work of their source.
  static func leaveWork() {
    let owner = Deferred<Int>(fileID: "Office/Printer.swift", line: 40)
    owner.onCancel { _ in print("stopped") }
    for _ in 0..<2 { owner.promise.map(fileID: "Office/Clerk.swift", line: 7) { $0 }.cancel() }
    owner.promise.map(fileID: "Office/Clerk.swift", line: 9) { $0 }.cancel(upstream: true)
  }

  static func drop() {
    for _ in 0..<3 { _ = Promise<Int>.rejected(OutOfPaper(), fileID: "Office/Printer.swift", line: 12) }
    _ = Deferred<Int>(fileID: "Office/Printer.swift", line: 20).promise
    Promise<Int>.rejected(OutOfPaper(), fileID: "Office/Printer.swift", line: 30).cancel()
  }
}
