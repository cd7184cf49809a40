import Dispatch

// These subjects nest `queue.async` inside `queue.async`, which google/promises publishes as the baseline of its
// chains. They are the baseline of the pending chains, and are printed beside the settled chains. The queue stays awake
// from one hop to the next.

extension Subject {
  /// The subject for W2, in which it is not the baseline.
  static let nested2 = nested2(as: .gcdNested)
  /// The subject for W3, in which it is not the baseline.
  static let nested3 = nested3(as: .gcdNested)

  static func nested1(as name: Name) -> Subject {
    Subject(name) {
      try RoundTrips.measure($0, handlers: 1, of: "1 queue.async") { queue, done in
        queue.async { finish(1, signalling: done) }
      }
    }
  }

  static func nested2(as name: Name) -> Subject {
    Subject(name) {
      try RoundTrips.measure($0, handlers: 2, of: "2 nested queue.async") { queue, done in
        queue.async {
          _ = counted(1)
          queue.async { finish(1, signalling: done) }
        }
      }
    }
  }

  static func nested3(as name: Name) -> Subject {
    Subject(name) {
      try RoundTrips.measure($0, handlers: 3, of: "3 nested queue.async") { queue, done in
        queue.async {
          _ = counted(1)
          queue.async {
            _ = counted(1)
            queue.async { finish(1, signalling: done) }
          }
        }
      }
    }
  }
}
