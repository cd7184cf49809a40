import Dispatch
import PromiseFoundation
import TestSupport

/// What an observer of a promise was shown, in order, on a serial queue, and what it became.
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

  /// The first progress that is shown. If the promise is settled without any this waits for ever.
  var first: Promise<Double> { seen.promise }

  /// What was shown, once the promise is settled and the queue has nothing more to show.
  func whole() async throws -> [Entry] {
    try await settled.promise.value
    return log.entries
  }

  /// The same, numbers only.
  func numbers() async throws -> [Double] {
    try await whole().compactMap { if case .progress(let number) = $0 { number } else { nil } }
  }
}
