import PromiseCore

/// The work for which promises of a traversal wait, for reports.
///
/// It is apart from the objects that have these promises, because the promises retain it.
final class AwaitedElements: AwaitedResource, @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock. Under the lock nothing is released.
  private let lock = ShortLock()
  private var running: [Int: Work] = [:]
  private var count = 0
  private let text: String
  let site: CreationSite

  /// Weak, because work that was lost must be deallocated.
  private struct Work { weak var object: AnyObject? }

  /// - Parameter text: the name of the work in reports.
  init(_ text: String, at site: CreationSite) {
    self.text = text
    self.site = site
  }

  /// Adds the promise of an element or of a Task. Returns its number.
  @discardableResult
  func begin(_ promise: AnyPromise) -> Int {
    lock.locked {
      count += 1
      running[count] = Work(object: promise)
      return count
    }
  }

  /// Notes that a promise is settled, after which something may still run.
  func settle(_ number: Int, _ promise: AnyPromise) {
    let work = Work(object: promise.unfinishedWork)
    lock.locked { running[number] = work }
  }

  func end(_ number: Int) { lock.locked { running[number] = nil } }

  func name(for promise: AnyPromise) -> String { text }

  func waitNode(for promise: AnyPromise) -> WaitNode {
    WaitNode(.gate, operation: "traverse", createdAt: site, summary: text)
  }

  var awaitedWork: [AnyObject] { lock.locked { running.keys.sorted().compactMap { running[$0]?.object } } }

  var maker: Operation { .traverse }
}
