import Dispatch

// What Swift concurrency offers for a value that is there and steps that run one at a time: a task that calls an actor. One would
// write the pending chains as a task that waits first, and their producer could not know when it does.

extension Subject {
  /// A task that calls a method of an actor.
  static let actorCall = Subject(.concurrency) { count in
    let worker = Worker()
    return try RoundTrips.measure(count, handlers: 1, of: "1 call of an actor") { _, done in
      Task { await worker.finish(1, signalling: done) }
    }
  }

  /// A task that calls two methods of an actor, the second with what the first gave.
  static let actorCalls2 = Subject(.concurrency) { count in
    let worker = Worker()
    return try RoundTrips.measure(count, handlers: 2, of: "2 calls of an actor") { _, done in
      Task {
        let value = await worker.count(1)
        await worker.finish(value, signalling: done)
      }
    }
  }

  /// The same with three.
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

/// Stands where the serial queue stands: the tally is safe in it.
private actor Worker {
  func count(_ value: Int) -> Int { counted(value) }
  func finish(_ value: Int, signalling done: DispatchSemaphore) { bench.finish(value, signalling: done) }
}
