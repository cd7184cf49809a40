import PromiseCore

/// The type, label and creation site of a gate, for descriptions.
struct GateIdentity: Sendable {
  /// The type of the gate, as in "ConcurrencyLimit".
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
    let (taken, waiting, paused) = lock.locked { (queue.holderCount, queue.waitingCount, admitsNone) }
    let state = "\(inside(taken)), \(waiting) waiting\(paused ? ", paused" : "")"
    return "\(identity.text), \(state), made at \(identity.createdAt)"
  }

  private func inside(_ count: Int) -> String { count == 1 ? "1 operation inside" : "\(count) operations inside" }

  fileprivate func waitNode(_ summary: String, _ taken: Int, _ paused: Bool) -> WaitNode {
    WaitNode(
      .gate, operation: identity.type, createdAt: identity.createdAt, label: identity.label,
      summary: "\(summary), with \(inside(taken))\(paused ? ", paused" : "")")
  }
}

extension AdmissionControl: AwaitedResource {
  var maker: Operation { .gate }

  func name(for promise: AnyPromise) -> String { "a place in the \(identity.text) made at \(identity.createdAt)" }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    let (before, taken, paused) = lock.locked {
      (queue.countWaiting(before: promise), queue.holderCount, admitsNone)
    }
    let place =
      before == 0 ? "the next in its queue" : "behind \(before) \(before == 1 ? "other" : "others") in its queue"
    return waitNode("\(name(for: promise)), \(place)", taken, paused)
  }

  var holders: [AnyPromise] { lock.locked { queue.holders.map(\.admitted) } }

  var isItselfCause: Bool { keepsFreePlaces }

  func causeName(for promise: AnyPromise) -> String { "the \(identity.text) made at \(identity.createdAt)" }

  func causeSummary(for promise: AnyPromise) -> String {
    let (holders, waiting, paused) = lock.locked { (queue.holders, queue.waitingCount, admitsNone) }
    var sites: [CreationSite] = []
    for site in holders.lazy.map(\.admitted.createdAt) where sites.count <= 3 && !sites.contains(site) {
      sites.append(site)
    }
    let shown = sites.prefix(3).map(\.description).joined(separator: ", ")
    let more = sites.count > 3 ? ", …" : ""
    let operations = inside(holders.count) + (holders.isEmpty ? "" : ", run at \(shown)\(more),")
    return "\(causeName(for: promise)), with \(operations) and \(waiting) waiting\(paused ? ", paused" : "")"
  }
}

/// The end of operations of a gate, or room in its queue, for which a promise of ``AdmissionControl/when(_:_:_:)``
/// waits.
final class EndOfOperations: AwaitedResource {
  private let gate: AdmissionControl
  private let calm: WaitQueue.Calm

  init(of gate: AdmissionControl, _ calm: WaitQueue.Calm) {
    self.gate = gate
    self.calm = calm
  }

  var maker: Operation { .gate }

  func name(for promise: AnyPromise) -> String {
    let awaited =
      switch calm {
      case .idle: "the end of all operations of"
      case .empty: "the end of the operations inside"
      case .room: "room in the queue of"
      }
    return "\(awaited) the \(gate.identity.text) made at \(gate.identity.createdAt)"
  }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    let (waiting, taken, paused) = gate.lock.locked {
      (gate.queue.waitingCount, gate.queue.holderCount, gate.admitsNone)
    }
    return gate.waitNode("\(name(for: promise)), \(waiting) waiting", taken, paused)
  }

  var holders: [AnyPromise] { gate.holders }

  var sharedResource: any AwaitedResource { gate }
}
