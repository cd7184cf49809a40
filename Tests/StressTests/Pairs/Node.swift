import PromiseContexts
import TestSupport

/// A promise on which one side of a race works, or both.
final class Node: Sendable {
  let stage: PromiseStage
  /// The stage's own references. An operation that is to let the last one go drops them before the race; each thread has its own.
  let promise: Held<Promise<Tracked>>
  let owner: Held<Deferred<Tracked>>?
  /// The handler that will settle the promise, if that is under way.
  let job: Locked<Job?>

  init(
    _ stage: PromiseStage, _ promise: Promise<Tracked>, owner: Deferred<Tracked>? = nil, job: Job? = nil
  ) {
    self.stage = stage
    self.promise = Held(promise)
    self.owner = owner.map { Held($0) }
    self.job = Locked(job)
  }

  func takeJob() -> Job? {
    job.withLock { job in
      defer { job = nil }
      return job
    }
  }

  var isPending: Bool { promise.object?.isPending ?? false }
}

extension Operation<Node> {
  /// An operation on the promise, to which its thread has a reference of its own.
  static func promise(
    _ name: String, _ effect: Effect = .none,
    prepare: @escaping @Sendable (Node) -> @Sendable (Promise<Tracked>) -> Witness
  ) -> Operation {
    Operation(name, effect) { node in
      let held = Held(sharing: node.promise)
      let act = prepare(node)
      return { held.take().map(act) ?? .nothing }
    }
  }

  /// An operation of the owner.
  static func owner(
    _ name: String, _ effect: Effect = .none,
    prepare: @escaping @Sendable (Node) -> @Sendable (Deferred<Tracked>) -> Witness
  ) -> Operation {
    Operation(name, effect) { node in
      let held = node.owner.map { Held(sharing: $0) }
      let act = prepare(node)
      return { held?.take().map(act) ?? .nothing }
    }
  }
}
