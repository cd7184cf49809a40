import PromiseCore

/// The type, label and creation site of a gate, for descriptions.
struct GateIdentity: Sendable {
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
    return "\(identity.text), \(inside(taken)), \(waiting) waiting, made at \(identity.createdAt)"
  }

  private func inside(_ count: Int) -> String { count == 1 ? "1 operation inside" : "\(count) operations inside" }
}

extension AdmissionControl: AwaitedResource {
  func name(for promise: AnyPromise) -> String { "a place in the \(identity.text) made at \(identity.createdAt)" }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    let (before, taken) = lock.locked { (queue.countWaiting(before: promise), queue.holders.count) }
    let place =
      before == 0 ? "the next in its queue" : "behind \(before) \(before == 1 ? "other" : "others") in its queue"
    return WaitNode(
      .gate, operation: identity.type, createdAt: identity.createdAt, label: identity.label,
      summary: "\(name(for: promise)), \(place), with \(inside(taken))")
  }

  var holders: [AnyPromise] { lock.locked { queue.holders.map(\.admitted) } }
}
