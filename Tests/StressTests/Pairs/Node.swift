import TestSupport

/// A promise on which one or both sides of a race work.
final class Node: Sendable {
  let stage: PromiseStage
  /// The references of the stage. Each thread has its own references, so an operation that is to release the last
  /// reference drops these before the race.
  let promise: Held<Promise<Tracked>>
  let owner: Held<Deferred<Tracked>>?
  /// The job of the handler that will settle the promise, if any.
  let job: Locked<Job?>

  init(_ stage: PromiseStage, _ promise: Promise<Tracked>, owner: Deferred<Tracked>? = nil, job: Job? = nil) {
    self.stage = stage
    self.promise = Held(promise)
    self.owner = owner.map { Held($0) }
    self.job = Locked(job)
  }

  func takeJob() -> Job? { job.withLock { $0.take() } }

  var isPending: Bool { promise.object?.isPending ?? false }
}

extension Operation<Node> {
  /// Returns an operation on the promise. Its thread has its own reference to the promise.
  static func promise(
    _ name: String, _ effect: Effect = .none,
    prepare: @escaping @Sendable (Node) -> @Sendable (Promise<Tracked>) -> SeenSettlement
  ) -> Operation {
    Operation(name, effect) { node in
      let held = Held(sharing: node.promise)
      let act = prepare(node)
      return { held.take().map(act) ?? .nothing }
    }
  }

  /// Returns an operation of the owner.
  static func owner(
    _ name: String, _ effect: Effect = .none,
    prepare: @escaping @Sendable (Node) -> @Sendable (Deferred<Tracked>) -> SeenSettlement
  ) -> Operation {
    Operation(name, effect) { node in
      let held = node.owner.map { Held(sharing: $0) }
      let act = prepare(node)
      return { held?.take().map(act) ?? .nothing }
    }
  }
}
