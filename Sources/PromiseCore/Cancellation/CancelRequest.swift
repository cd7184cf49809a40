/// A cancellation that is left in the list of a promise which another thread is settling: that thread carries it out before its
/// own call returns (rule 4.3). It is meant for the reactions before it in the list; those after it were attached later.
///
/// `@unchecked Sendable`: `isDone` is handed on with the list, all else is constant.
final class CancelRequest: Reaction, @unchecked Sendable {
  let reason: any Error
  let call: CancelCall
  /// Belongs to whoever owns the list.
  var isDone = false

  init(_ reason: any Error, by call: CancelCall) {
    self.reason = reason
    self.call = call
    super.init(from: nil, to: nil, on: nil, traits: .requests, body: nil)
  }
}

extension Reaction {
  /// Safe: the trait is set for that class only.
  final var asRequest: CancelRequest { unsafe unsafeDowncast(self, to: CancelRequest.self) }
}

extension ReactionList {
  /// Each request, with the promises below that the reactions before it would settle.
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
