import PromiseContexts
import PromiseTesting
import TestSupport

/// Work of a vendor, whose progress and end the test tells.
final class Transfer<Answer: Sendable>: Sendable {
  let name: String
  let progress: @Sendable (_ done: Int, _ total: Int) -> Void
  let completion: @Sendable (Answer?, (any Error)?) -> Void
  private let stops = Log<Void>()

  init(
    _ name: String = "", progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
    completion: @escaping @Sendable (Answer?, (any Error)?) -> Void
  ) {
    (self.name, self.progress, self.completion) = (name, progress, completion)
  }

  func stop() { stops.append(()) }
  var isStopped: Bool { stops.entries.count == 1 }
}

/// Returns a text for the comparison of an error. It is the case of a `PromiseError` or the description of another
/// error.
func name(of error: (any Error)?) -> String {
  error.map { PromiseError.Code($0)?.description ?? "\($0)" } ?? "none"
}

extension TestWorld {
  /// Runs the world until the promise is settled, and returns the promise.
  func settling<Value>(_ promise: Promise<Value>) -> Promise<Value> {
    _ = try? run(until: promise)
    return promise
  }
}
