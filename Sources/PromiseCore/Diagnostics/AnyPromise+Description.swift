extension AnyPromise: CustomDebugStringConvertible {
  /// Describes the promise in one line, followed by everything for which it waits, and by everything that waits for it:
  ///
  ///     Promise<Int> "total", pending, 2 consumers, map at Shop/Cart.swift:12
  ///       waits for Promise<[Int]>, all at Shop/Cart.swift:11, 1 of 2 inputs are settled
  ///         waits for Promise<Int> "price", Shop/Server.swift:40
  ///           waits for its owner, made at Shop/Server.swift:40, which is alive and has not settled it
  ///       Promise<String>, pending, map at Shop/Cart.swift:14
  ///       onFulfilled, on the main queue
  ///
  /// For the part above, see ``waitsFor``. Below are the promises that links, combinators and owners derive from this
  /// one, observers, and Tasks that wait for the value.
  /// Values and errors are described by their own `description`, shortened. Reading the description does not handle a
  /// rejection (rule 7.1). Below a settled promise, only promises that are still pending are shown. The tree is cut at
  /// a depth of 8, at 16 promises below one promise, and at 100 lines. A cut is shown as "…".
  ///
  /// May be read from any thread at any time. The promises are read one after the other, so the tree is no snapshot of
  /// one moment.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises above this one, and of links that wait for the
  ///   promises shown.
  public final var debugDescription: String {
    var tree = PromiseTree()
    tree.add(resolved)
    return tree.text
  }

  /// The type, label, state, consumers, operator and creation site.
  package final var line: String { "\(summary), \(origin)" }

  /// The type and the label.
  final var name: String { typeText + (label.map { " \"\(oneLine($0, atMost: PromiseTree.longest))\"" } ?? "") }

  /// The operator and the creation site.
  final var origin: String { (operation.map { "\($0.name) at " } ?? "") + createdAt.description }

  /// The operator that made this promise. `nil` if an owner settles it.
  final var operation: Operation? { relaxedState.isEntry ? traits.operation : combination?.operation }

  /// The type, label, state and consumers.
  package final var summary: String {
    let state = acquiredState
    let consumers = state.consumers
    let waiting = consumers == 0 ? "" : ", \(consumers) consumer\(consumers == 1 ? "" : "s")"
    return "\(name), \(stateText(state))\(waiting)"
  }

  private final func stateText(_ state: StateWord) -> String {
    guard state.isDone else { return "pending" }
    guard let error = storedError else { return "fulfilled: \(valueText)" }
    return "\(state.isCancelled ? "cancelled" : "rejected"): \(oneLine(error, atMost: PromiseTree.longest))"
  }

  /// The things that wait for this promise, in the order of attachment. At most the given number.
  final func waiting(atMost count: Int) -> (consumers: [Waiting], more: Int) {
    var found: [Waiting] = []
    var entries: [AnyPromise] = []
    if acquiredState.isDone {
      forEachPendingBelow { found.append(.promise($0)) }
    } else {
      withState { state in
        guard state.isPending else { return }
        list.visit { entry in
          entries.append(entry)
          return true
        }
      }
    }
    found += entries.compactMap(\.asWaiting)
    return (Array(found.prefix(count)), max(0, found.count - count))
  }

  /// Something that waits for a promise.
  enum Waiting {
    case promise(AnyPromise)
    /// An observer or a Task, in words.
    case other(String)
  }

  /// This entry, as it is shown below its source. `nil` for an observer of the library, which is not shown.
  private final var asWaiting: Waiting? {
    if traits.contains(.follows) { return .promise(unsafe unsafeDowncast(self, to: Follower.self).promise) }
    if !traits.contains(.isObserver) { return .promise(self) }
    if let input = self as? InputObserver { return input.combined.map { .promise($0) } }
    if self is Waiter { return .other("a Task that waits for the value") }
    guard let operation = traits.operation else { return nil }
    let context = locked { unsafe link.pointee.context }
    return .other(operation.name + (context.map { ", on \($0.nameInReports)" } ?? ""))
  }
}
