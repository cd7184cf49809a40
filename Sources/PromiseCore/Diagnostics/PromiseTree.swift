/// The text of a tree of promises, built without recursion and of bounded size.
struct PromiseTree {
  /// The maximum number of characters that are shown of a value.
  static let longest = 60
  private static let deepest = 8
  private static let broadest = 16
  private static let mostLines = 100
  /// The maximum number of lines on what the promise waits for, so that there is room for what waits for it.
  private static let mostWaitLines = 60

  private var lines: [String] = []
  /// Promises and texts that are still to be shown. The next one is the last of the array.
  private var waiting: [(item: AnyPromise.Waiting, depth: Int)] = []

  var text: String { lines.joined(separator: "\n") }

  /// Adds a promise and the promises below it.
  mutating func add(_ promise: AnyPromise) {
    waiting.append((.promise(promise.resolved), 0))
    while let (item, depth) = waiting.popLast() {
      if lines.count >= Self.mostLines {
        lines.append("…")
        return
      }
      let indent = String(repeating: "  ", count: depth)
      switch item {
      case .other(let text): lines.append(indent + text)
      case .promise(let promise):
        lines.append(indent + promise.line)
        // Above a promise that is shown below another there is only that one, unless it is an input of a combinator.
        if depth == 0 { addWaits(of: promise) }
        open(promise, at: depth + 1)
      }
    }
  }

  private mutating func addWaits(of promise: AnyPromise) {
    let waits = promise.waitLines
    lines += waits.prefix(Self.mostWaitLines).map { "  " + $0 }
    if waits.count > Self.mostWaitLines { lines.append("  …") }
  }

  private mutating func open(_ promise: AnyPromise, at depth: Int) {
    let (below, more) = promise.waiting(atMost: Self.broadest)
    if below.isEmpty { return }
    if depth > Self.deepest { return waiting.append((.other("…"), depth)) }
    if more > 0 { waiting.append((.other("… \(more) more"), depth)) }
    for consumer in below.reversed() { waiting.append((consumer, depth)) }
  }
}

extension AnyPromise {
  /// The lines of a report on what this promise waits for: the causes, and then the tree of ``waitsFor``. Empty if the
  /// promise has finished.
  package final var waitLines: [String] {
    let nodes = waitsFor
    let causes = nodes.showCausesAtOnce ? [] : self.causes.lines(atMost: 8)
    return causes + nodes.flatMap { $0.lines() }.map { String(repeating: "  ", count: $0.depth) + $0.text }
  }
}

extension [WaitNode] {
  /// Whether the causes are the first lines, or the second line of two. Then a report does not name them twice.
  fileprivate var showCausesAtOnce: Bool {
    if allSatisfy(\.isEnd) { return true }
    return count == 1 && self[0].waitsFor.count == 1 && self[0].waitsFor[0].isEnd
  }
}

extension WaitNode {
  fileprivate var isEnd: Bool { waitsFor.isEmpty && kind != .promise && kind != .omitted }
}

/// The label of a promise as reports show it.
package func quotedLabel(_ label: String) -> String { "\"\(oneLine(label, atMost: PromiseTree.longest))\"" }
