import PromiseCombinators
import TestSupport

/// A resource that is acquired and released by owners of the test. It logs what happens to it.
final class Room: Sendable {
  let entering = Deferred<Int>()
  let leaving = Deferred<Void>()
  let work = Deferred<Int>()
  let log = Log<String>()

  init() {
    entering.onCancel(on: .atOnce) { [log] _ in log.append("entering was stopped") }
    leaving.onCancel(on: .atOnce) { [log] _ in log.append("leaving was stopped") }
    work.onCancel(on: .atOnce) { [log] _ in log.append("stopped") }
  }

  @Sendable func enter() -> Promise<Int> {
    log.append("enter")
    return entering.promise
  }

  @Sendable func leave(_ number: Int) -> Promise<Void> {
    log.append("leave \(number)")
    return leaving.promise
  }

  @Sendable func use(_ number: Int) -> Promise<Int> {
    log.append("use \(number)")
    return work.promise
  }

  /// Settles what is still pending.
  func end() {
    if entering.promise.isPending { entering.fulfill(0) }
    if work.promise.isPending { work.fulfill(0) }
    if leaving.promise.isPending { leaving.fulfill() }
  }
}
