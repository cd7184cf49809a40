import Dispatch

// These subjects do the work of settled chains in Swift concurrency. A Task calls an actor, because the value exists
// and the steps run one at a time. Pending chains have no such subject. Their Task would wait first, and the producer
// could not know when it waits.

extension Subject {
  /// A task that calls a method of an actor.
  static let actorCall = Subject(.concurrency) { count in
    let worker = Worker()
    return try RoundTrips.measure(count, handlers: 1, of: "1 call of an actor") { _, done in
      Task { await worker.finish(1, signalling: done) }
    }
  }

  /// A task that calls two methods of an actor, and passes the result of the first call to the second.
  static let actorCalls2 = Subject(.concurrency) { count in
    let worker = Worker()
    return try RoundTrips.measure(count, handlers: 2, of: "2 calls of an actor") { _, done in
      Task {
        let value = await worker.count(1)
        await worker.finish(value, signalling: done)
      }
    }
  }

  /// A task that calls three methods of an actor in the same way.
  static let actorCalls3 = Subject(.concurrency) { count in
    let worker = Worker()
    return try RoundTrips.measure(count, handlers: 3, of: "3 calls of an actor") { _, done in
      Task {
        let first = await worker.count(1)
        let second = await worker.count(first)
        await worker.finish(second, signalling: done)
      }
    }
  }
}

/// An actor in place of the serial queue. Its methods may change the tally, because they run one at a time.
private actor Worker {
  func count(_ value: Int) -> Int { counted(value) }
  func finish(_ value: Int, signalling done: DispatchSemaphore) { bench.finish(value, signalling: done) }
}
