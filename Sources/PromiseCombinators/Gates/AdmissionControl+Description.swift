import PromiseCore

/// The name of a gate, for descriptions.
struct GateName: Sendable {
  /// The type of the gate, as in "Limit".
  let type: String
  let label: String?
  let createdAt: CreationSite

  init(_ type: String, _ label: String?, _ fileID: StaticString, _ line: UInt) {
    self.type = type
    self.label = label
    createdAt = CreationSite(fileID: fileID, line: line)
  }

  var text: String { type + (label.map { " \"\(oneLine($0, atMost: 60))\"" } ?? "") }
}

extension AdmissionControl {
  /// Describes the gate: its type, label, places, queue and creation site.
  var description: String {
    let (taken, waiting) = lock.locked { (queue.holders.count, queue.waitingCount) }
    return "\(name.text), \(inside(taken)), \(waiting) waiting, made at \(name.createdAt)"
  }

  private func inside(_ count: Int) -> String { count == 1 ? "1 operation inside" : "\(count) operations inside" }
}

extension AdmissionControl: AwaitedResource {
  func waitNode(for promise: AnyPromise) -> WaitNode {
    let (before, taken) = lock.locked { (queue.countWaiting(before: promise), queue.holders.count) }
    let place = before == 0 ? "the next in its queue" : "behind \(before) others in its queue"
    return WaitNode(
      .gate, operation: name.type, createdAt: name.createdAt, label: name.label,
      summary: "a place in the \(name.text) made at \(name.createdAt), \(place), with \(inside(taken))")
  }

  func holders(before promise: AnyPromise) -> [AnyPromise] { lock.locked { queue.holders.map(\.admitted) } }
}
