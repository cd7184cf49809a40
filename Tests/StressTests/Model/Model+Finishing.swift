// The end of the work behind a settled promise (rule 2.11).
//
// The model does not compute which promises have finished. It notes what each of them counts, and examines whether the
// answers of all promises agree with that.

extension Model {
  /// Notes what a promise counts that is about to be settled.
  mutating func noteCounted(by promise: Int, isCancelled: Bool) {
    let node = nodes[promise]
    let handler = node.producer.map { handlers[$0] }
    let waitedFor = node.adopted.union(node.combination?.inputs ?? []).union([handler?.source].compactMap(\.self))
    nodes[promise].perhapsCounted.formUnion(waitedFor)
    nodes[promise].counted.formUnion(waitedFor.filter { !isPending($0) })
    guard isCancelled, let handler else { return }
    nodes[promise].countsHandler =
      switch handler.state {
      case .waiting: handler.kind == .always
      case .ready(.failure), .decided: hearsOfErrorsWhenCancelled(handler)
      case .ready(.value): handler.kind == .always
      case .started: true
      case .ready(.start), .gone: false
      }
  }

  /// Returns how the answers differ from this model, or `nil` if they do not.
  ///
  /// - Parameter isFinished: The answer of each promise. It is `nil` for a pending promise and for one that is released.
  func differenceOfFinishes(_ isFinished: [Bool?]) -> String? {
    for (number, node) in nodes.enumerated() {
      guard let hasFinished = isFinished[number] else { continue }
      let handler = node.producer.map { handlers[$0] }
      if handler?.kind == .shielded, brokenRule != .shieldWaits {
        if !hasFinished { return "shield \(number) has not finished" }
        continue
      }
      if hasFinished {
        if node.countsHandler, let handler, handler.state.isUnderWay {
          return "promise \(number) does not count its handler"
        }
        if let other = node.counted.first(where: { isFinished[$0] == false }) {
          return "promise \(number) has finished, and \(other), which it counts, has not"
        }
      } else {
        let isHandlerUnderWay = brokenRule != .handlerIsNotCounted && handler?.state.isUnderWay ?? false
        // A released promise gives no answer.
        let waits = node.counted.union(node.perhapsCounted).contains { other in
          brokenRule != .sourceIsNotCounted && isFinished[other] != true && !isPending(other)
        }
        if !isHandlerUnderWay, !waits { return "promise \(number) has not finished, and counts nothing" }
      }
    }
    return nil
  }
}

extension Model.Handler.State {
  /// Whether the handler may run or is running.
  fileprivate var isUnderWay: Bool { isToCome || isStarted }

  private var isStarted: Bool { if case .started = self { true } else { false } }
}
