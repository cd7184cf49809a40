import PromiseCombinators
import TestSupport

// The program of Docs/OwnersAndClients.md, word for word: `make lint` checks that it is here.

struct OutOfPaper: Error, Equatable {}

/// A driver of another vendor. It takes a text, and calls back when the test says so.
final class Driver: Sendable {
  final class Work: Sendable {
    let text: String
    let completion: @Sendable (Int?, (any Error)?) -> Void
    private let stopped = Locked(false)

    init(_ text: String, _ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
      self.text = text
      self.completion = completion
    }

    var isStopped: Bool { stopped.withLock { $0 } }
    func stop() { stopped.withLock { $0 = true } }
  }

  private let works = Locked<[Work]>([])

  var texts: [String] { works.withLock { $0.map(\.text) } }
  var last: Work? { works.withLock { $0.last } }

  @discardableResult
  func print(_ text: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> Work {
    let work = Work(text, completion)
    works.withLock { $0.append(work) }
    return work
  }

  func forgetAll() { works.withLock { $0 = [] } }
}

struct Printer {
  let driver = Driver()

  func print(_ text: String) -> Promise<Int> {
    let deferred = Deferred<Int>()
    driver.print(text, completion: deferred.resolve)
    return deferred.promise
  }

  func printed(_ text: String) -> Promise<Int> {
    Promise { deferred in driver.print(text, completion: deferred.resolve) }
  }

  func stoppable(_ text: String) -> Promise<Int> {
    let deferred = Deferred<Int>()
    let work = driver.print(text, completion: deferred.resolve)
    deferred.onCancel { [weak work] _ in work?.stop() }
    return deferred.promise
  }

  func unstoppable(_ text: String) -> Promise<Int> { stoppable(text).shielded() }

  func estimate(_ text: String) -> Promise<Int> {
    let deferred = Deferred<Int>(cancelWhenUnobserved: true)
    let work = driver.print(text, completion: deferred.resolve)
    deferred.onCancel { [weak work] _ in work?.stop() }
    return deferred.promise
  }
}

func forgetful() -> Promise<Int> {
  let deferred = Deferred<Int>()
  return deferred.promise  // the deferred is released
}

@MainActor final class Scanner {
  private(set) var isStopped = false
  private var completion: (@Sendable (Int?, (any Error)?) -> Void)?

  func start(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { self.completion = completion }
  func stop() { isStopped = true }
}

struct Office {
  @MainActor func scan(_ scanner: Scanner) -> Promise<Int> {
    let deferred = Deferred<Int>()
    scanner.start(completion: deferred.resolve)
    deferred.onCancel { [weak scanner] _ in
      _ = Promise.run(on: .main) { scanner?.stop() }
    }
    return deferred.promise
  }
}

final class PrintJob: Sendable {
  let text: String
  private let deferred = Deferred<Int>()

  /// For clients.
  var pages: Promise<Int> { deferred.promise }

  init(_ text: String) { self.text = text }

  /// For the printer.
  func end(after count: Int) { deferred.fulfill(count) }
}
