/// A request to cancel what is below a promise, left in the list of that promise for the thread that is settling it.
///
/// That thread carries the request out before its own call returns (rule 4.3). The request applies to the reactions
/// before it in the list. Those after it were attached later.
///
/// `@unchecked Sendable`: `isDone` belongs to the owner of the list, and all else is constant.
final class CancelRequest: Reaction, @unchecked Sendable {
  let reason: any Error
  let call: CancelCall
  /// Accessed by the owner of the list only.
  var isDone = false

  init(_ reason: any Error, by call: CancelCall) {
    self.reason = reason
    self.call = call
    super.init(from: nil, to: nil, on: nil, traits: .requests, body: nil)
  }
}

extension Reaction {
  /// This reaction as a request. Safe, because the trait is set for that class only.
  final var asRequest: CancelRequest { unsafe unsafeDowncast(self, to: CancelRequest.self) }
}

extension ReactionList {
  /// Returns each request, with the promises below that the reactions before it would settle.
  func requests() -> [(CancelRequest, targets: [AnyPromise])] {
    var requests: [(CancelRequest, targets: [AnyPromise])] = []
    var targets: [AnyPromise] = []
    forEach { reaction in
      if reaction.traits.contains(.requests) {
        requests.append((reaction.asRequest, targets))
      } else if let target = reaction.targetBelow {
        targets.append(target)
      }
    }
    return requests
  }
}
