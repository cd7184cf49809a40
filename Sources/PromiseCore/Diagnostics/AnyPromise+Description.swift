import Synchronization

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
  /// one moment. If another thread is settling a promise, the promises below it are shown as "(in use)". If a promise
  /// is settled while its list is read here, this thread schedules its handlers.
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
    guard state.isDone else { return state.isClaimed ? "settling" : "pending" }
    guard let error = storedError else { return "fulfilled: \(valueText)" }
    return "\(state.isCancelled ? "cancelled" : "rejected"): \(oneLine(error, atMost: PromiseTree.longest))"
  }

  /// The pending promises below this promise.
  final var below: PromisesBelow {
    if acquiredState.isDone { return .found(promisesBelow().filter { !$0.acquiredState.isClosed }) }
    var targets: [AnyPromise] = []
    if borrowList({ list in targets = list.targets }) { return .found(targets) }
    // Either nothing was attached, or another thread owns the list.
    return acquiredState.isPruning || acquiredState.isClaimed ? .inUse : .found([])
  }

  /// Passes the list to the body, which borrows it as a pruning thread does (`StateWord`). Other threads may push
  /// reactions and settle the promise meanwhile. Returns `false` if the list is empty, or if another thread owns it.
  private final func borrowList(_ body: (borrowing ReactionList) -> Void) -> Bool {
    var old = relaxedState
    while let (new, newest) = old.beginPruning() {
      // Acquiring, so that the pushed reactions are visible. Pairs with the push in `attach(_:as:)`.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        let list = ReactionList(newest: newest)
        body(list)
        returnList(list)
        return true
      }
      old = StateWord(bits: found)
    }
    return false
  }
}

enum PromisesBelow {
  case found([AnyPromise])
  /// Another thread is settling the promise, or is pruning its list.
  case inUse
}
