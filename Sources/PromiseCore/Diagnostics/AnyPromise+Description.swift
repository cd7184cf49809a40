import Synchronization

extension AnyPromise: CustomDebugStringConvertible {
  /// The promise in one line, and the pending promises that wait for it below it, indented:
  ///
  ///     Promise<Int>, pending, 2 consumers, Module/File.swift:10
  ///       Promise<String>, pending, Module/File.swift:12
  ///       Promise<Int>, pending, Module/File.swift:14
  ///
  /// Values and errors are described by their own `description`, shortened; they do not count as looked at (rule 7.1). Of a
  /// settled promise only what is still pending below it is known. The tree is cut at a depth of 8, at 16 promises below one
  /// and at 100 lines, where it says "…".
  ///
  /// May be read from any thread at any time. It is what was found on the way, not one moment's picture. Where another
  /// thread is settling a promise, what waits for it is not shown: "(in use)". If a promise is settled while its list
  /// is looked at here, its handlers are scheduled by this thread.
  ///
  /// - Complexity: O(*n*), where *n* is the number of links that wait for the promises shown.
  public final var debugDescription: String {
    var tree = PromiseTree()
    tree.add(resolved)
    return tree.text
  }

  /// Type, state, consumers and creation site.
  package final var line: String { "\(summary), \(CreationSite(site))" }

  /// Type, state and consumers.
  package final var summary: String {
    let state = cell
    let consumers = state.consumers
    let waiting = consumers == 0 ? "" : ", \(consumers) consumer\(consumers == 1 ? "" : "s")"
    return "\(typeText), \(stateText(state))\(waiting)"
  }

  private final func stateText(_ state: StateWord) -> String {
    guard state.isDone else { return state.isClaimed ? "settling" : "pending" }
    guard let error = storedError else { return "fulfilled: \(valueText)" }
    return "\(state.isCancelled ? "cancelled" : "rejected"): \(oneLine(error, atMost: PromiseTree.longest))"
  }

  /// What is found pending below.
  final var below: PromisesBelow {
    if cell.isDone { return .found(promisesBelow().filter { !$0.cell.isClosed }) }
    var targets: [AnyPromise] = []
    if borrowList({ list in targets = list.targets }) { return .found(targets) }
    // Nothing was attached, or somebody else has the list.
    return cell.isPruning || cell.isClaimed ? .inUse : .found([])
  }

  /// Shows the list to the body, as who prunes it has it (`StateWord`): others may push and settle meanwhile. `false`:
  /// it is empty, or not to be had.
  private final func borrowList(_ body: (borrowing ReactionList) -> Void) -> Bool {
    var old = cellHint
    while let (new, newest) = old.beginPruning() {
      // Acquiring: the links become ours.
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
  /// Another thread is settling the promise, or pruning its list.
  case inUse
}
