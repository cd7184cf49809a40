import PromiseCombinators
import TestSupport

// Contains the program of Docs/Guides/OwnersAndClients.md, word for word. `Scripts/check-snippets.py` compares it.

struct OutOfPaper: Error, Equatable {}

/// A driver of another vendor. It takes a text, and calls back when the test calls the completion handler.
final class Driver: Sendable {
  typealias Work = Transfer<Int>

  private let works = Locked<[Work]>([])

  var texts: [String] { works.withLock { $0.map(\.name) } }
  var last: Work? { works.withLock { $0.last } }

  @discardableResult
  func print(_ text: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> Work {
    let work = Work(text, completion: completion)
    works.withLock { $0.append(work) }
    return work
  }

  func forgetAll() { works.withLock { $0 = [] } }
}

/// The files that wait to be printed.
final class Spool: Sendable {
  private let names = Locked<Set<String>>([])

  var files: Set<String> { names.withLock { $0 } }

  func add(_ text: String) -> String {
    names.withLock { _ = $0.insert(text) }
    return text
  }

  func remove(_ file: String) { names.withLock { _ = $0.remove(file) } }
}

struct Printer {
  let driver = Driver()
  let spool = Spool()

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

  func spooled(_ text: String) -> Promise<Int> {
    let deferred = Deferred<Int>()
    let file = spool.add(text)
    let work = driver.print(text, completion: deferred.resolve)
    deferred.onCancel { [weak work] _ in work?.stop() }
    deferred.onEnd { [spool] _ in spool.remove(file) }
    return deferred.promise
  }

  func estimate(_ text: String) -> Promise<Int> {
    let deferred = Deferred<Int>(cancelsWithoutClients: true)
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
    deferred.onCancel(on: .main) { [weak scanner] _ in scanner?.stop() }
    return deferred.promise
  }
}
