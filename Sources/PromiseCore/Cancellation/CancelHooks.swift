import Synchronization

/// A closure of the owner that is called when the promise is cancelled (rule 4.5).
@usableFromInline
package typealias CancelHook = @Sendable (_ reason: any Error) -> Void

/// The hooks of one promise. They are collected while it is pending, and taken out once when it is settled.
struct CancelHooks {
  /// A structure, because in a tuple the closure would be wrapped in another closure, which takes a memory block of its
  /// own.
  struct Entry {
    /// Identifies the hook. Negative for a *leaf*: a hook that cancels no promise. (A separate field would make each
    /// entry larger.)
    let number: Int
    let hook: CancelHook

    var isLeaf: Bool { number < 0 }
  }

  private var entries: [Entry] = []
  private var count = 0
  private var isTaken = false

  var isEmpty: Bool { entries.isEmpty }

  /// Appends a hook, and returns its number. Returns `nil` if the promise is settled and the hooks were taken.
  mutating func append(_ hook: @escaping CancelHook, isLeaf: Bool) -> Int? {
    if isTaken { return nil }
    count += 1
    let number = isLeaf ? -count : count
    entries.append(Entry(number: number, hook: hook))
    return number
  }

  /// Removes and returns one hook. Returns `nil` if the hooks were taken.
  mutating func take(_ number: Int) -> CancelHook? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    return entries.remove(at: index).hook
  }

  /// Removes and returns all hooks. Later calls return none.
  mutating func takeAll() -> [Entry] {
    isTaken = true
    defer { entries = [] }
    return entries
  }
}

extension AnyPromise {
  /// Calls the hook once when this promise is cancelled, or now if it was cancelled before.
  ///
  /// - Parameter isLeaf: whether the hook is the library's own, and cancels no promise. Such a hook costs less, because
  ///   it needs no ``HookRun``.
  @usableFromInline
  final func addCancelHook(_ hook: @escaping CancelHook, isLeaf: Bool = false) {
    let table = side.getOrCreateTable()
    let number = table.locked { $0.cancelHooks.append(hook, isLeaf: isLeaf) }
    let state = stateInOrder
    guard state.isDone else { return }
    // This promise is settled, and the settling thread may have looked for the hook too early. Then this thread takes
    // the hook and runs it. Otherwise the settling thread has taken it.
    if let number, table.locked({ $0.cancelHooks.take(number) }) == nil { return }
    if state.isCancelledByCall, let error = storedError { hook(error) }
  }

  /// Runs the hooks of this settled promise if it was cancelled, and drops them otherwise. Releases the combination of
  /// which this promise is the result.
  final func runOrDropCancelHooks() {
    guard let table = side.table else { return }
    runOrDropCancelHooks(in: table)
  }

  private final func runOrDropCancelHooks(in table: SideTable) {
    let (entries, combination) = table.locked { ($0.cancelHooks.takeAll(), $0.combination.take()) }
    // Released outside the lock, after the hooks.
    defer { withExtendedLifetime(combination) {} }
    guard !entries.isEmpty, relaxedState.isCancelledByCall, let error = storedError else { return }
    if entries.allSatisfy(\.isLeaf) {
      for entry in entries { entry.hook(error) }
    } else {
      HookRun.run(entries, because: error)
    }
  }
}
