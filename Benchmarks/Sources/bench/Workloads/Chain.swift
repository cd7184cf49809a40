import PromiseContexts

/// The part of a chain that the program keeps while the chain runs.
enum Holding: Sendable, CaseIterable {
  case nothing
  case owner
  /// The owner and all promises of the chain.
  case everything
}

/// A chain of 8 links, and the part of it that the program holds.
///
/// The chain is attached to a pending promise, which is then fulfilled with 0. Each link adds 1, so the last handler
/// receives ``links`` if all links have run. The handlers capture something, as nearly all handlers do.
struct Chain {
  static let links = 8

  /// The number that each link adds. The optimiser must not know it.
  private static let step = Int.random(in: 1...1)

  private(set) var owner: Deferred<Int>?
  /// The promises of the chain, from the root on.
  private(set) var promises: [Promise<Int>] = []

  /// Builds a chain and fulfils its root. On return the program holds only the part of the chain that `holding` names.
  ///
  /// - Parameter end: receives the value of the last link, in its handler. The value must be ``links``.
  @inline(never)
  mutating func start(
    on context: any ExecutionContext, holding: Holding, end: @escaping @Sendable (Int) -> Void
  ) {
    let step = Self.step
    let deferred = Deferred<Int>()
    if holding != .nothing { owner = deferred }
    var promise = deferred.promise
    for _ in 1..<Self.links {
      let next = promise.map(on: context) { $0 &+ step }
      if holding == .everything { promises.append(promise) }
      promise = next
    }
    let last = promise.map(on: context) { value in
      end(value &+ step)
      return value &+ step
    }
    if holding == .everything {
      promises.append(promise)
      promises.append(last)
    }
    deferred.fulfill(0)
  }

  /// Releases the part that is held. Keeps the capacity of the list, so that the list costs no allocation for each
  /// chain.
  mutating func release() {
    owner = nil
    promises.removeAll(keepingCapacity: true)
  }
}
