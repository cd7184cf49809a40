extension AnyPromise: CustomDebugStringConvertible {
  /// Describes the promise in one line, followed by the pending promises below it, indented:
  ///
  ///     Promise<Int>, pending, 2 consumers, Module/File.swift:10
  ///       Promise<String>, pending, Module/File.swift:12
  ///       Promise<Int>, pending, Module/File.swift:14
  ///
  /// Values and errors are described by their own `description`, shortened. Reading the description does not handle a
  /// rejection (rule 7.1). Below a settled promise, only promises that are still pending are shown. The tree is cut at
  /// a depth of 8, at 16 promises below one promise, and at 100 lines. A cut is shown as "…".
  ///
  /// May be read from any thread at any time. The promises are read one after the other, so the tree is no snapshot of
  /// one moment.
  ///
  /// - Complexity: O(*n*), where *n* is the number of links that wait for the promises shown.
  public final var debugDescription: String {
    var tree = PromiseTree()
    tree.add(resolved)
    return tree.text
  }

  /// The type, state, consumers and creation site.
  package final var line: String { "\(summary), \(CreationSite(site))" }

  /// The type, state and consumers.
  package final var summary: String {
    let state = acquiredState
    let consumers = state.consumers
    let waiting = consumers == 0 ? "" : ", \(consumers) consumer\(consumers == 1 ? "" : "s")"
    return "\(typeText), \(stateText(state))\(waiting)"
  }

  private final func stateText(_ state: StateWord) -> String {
    guard state.isDone else { return "pending" }
    guard let error = storedError else { return "fulfilled: \(valueText)" }
    return "\(state.isCancelled ? "cancelled" : "rejected"): \(oneLine(error, atMost: PromiseTree.longest))"
  }

  /// The pending promises below this promise, and those that have adopted it. At most the given number.
  final func pendingBelow(atMost count: Int) -> (promises: [AnyPromise], more: Int) {
    var found: [AnyPromise] = []
    if acquiredState.isDone {
      forEachPendingBelow { found.append($0) }
    } else {
      withState { state in
        guard state.isPending else { return }
        list.visit { entry in
          if entry.traits.contains(.follows) {
            found.append(unsafe unsafeDowncast(entry, to: Follower.self).promise)
          } else if !entry.traits.contains(.isObserver) {
            found.append(entry)
          }
          return true
        }
      }
    }
    return (Array(found.prefix(count)), max(0, found.count - count))
  }
}
