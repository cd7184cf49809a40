import PromiseHTTP

/// Records the progress that an observer of a promise receives on a serial queue, in order, and the outcome of the
/// promise.
final class ProgressLog: Sendable {
  enum Entry: Equatable, Sendable {
    case progress(Double)
    case fulfilled
    case rejected
  }

  let queue = DispatchQueue(label: "progress")
  private let log = Log<Entry>()
  private let seen = Deferred<Double>()
  private let settled = Deferred<Void>()

  init<Value>(of promise: Promise<Value>) {
    promise.onProgress(on: queue) { [log, seen] progress in
      log.append(.progress(progress))
      if seen.promise.isPending { seen.fulfill(progress) }
    }
    promise.onSettled(on: queue) { [log, settled] result in
      if case .success = result { log.append(.fulfilled) } else { log.append(.rejected) }
      settled.fulfill()
    }
  }

  /// A promise for the first progress that the observer receives. A test uses it only if the observed promise reports
  /// progress before it settles.
  var first: Promise<Double> { seen.promise }

  /// Returns all entries after the promise is settled and the queue has run the observers.
  func whole() async throws -> [Entry] {
    try await settled.promise.value
    return log.entries
  }

  /// Returns the progress values of all entries.
  func numbers() async throws -> [Double] {
    try await whole().compactMap { if case .progress(let number) = $0 { number } else { nil } }
  }
}
