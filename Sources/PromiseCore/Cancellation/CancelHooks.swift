import Synchronization

/// What the owner of a promise wants to be told when it is cancelled (rule 4.5).
@usableFromInline
package typealias CancelHook = @Sendable (_ reason: any Error) -> Void

/// The hooks of one promise: collected while it is pending, taken out once when it is settled.
struct CancelHooks {
  /// A structure and not a tuple, in which a closure would be wrapped, in a block of its own.
  struct Entry {
    /// Negative for a hook that cancels no promise. (A field of its own would make each entry larger.)
    let number: Int
    let hook: CancelHook

    var isLeaf: Bool { number < 0 }
  }

  private var entries: [Entry] = []
  private var count = 0
  private var isTaken = false

  /// The number of the hook; `nil`: the promise is settled, and the hooks were taken.
  mutating func append(_ hook: @escaping CancelHook, isLeaf: Bool) -> Int? {
    if isTaken { return nil }
    count += 1
    let number = isLeaf ? -count : count
    entries.append(Entry(number: number, hook: hook))
    return number
  }

  /// Takes one hook back. `nil`: all were taken.
  mutating func take(_ number: Int) -> CancelHook? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    return entries.remove(at: index).hook
  }

  /// All hooks, for the first who asks.
  mutating func takeAll() -> [Entry] {
    isTaken = true
    defer { entries = [] }
    return entries
  }
}

extension AnyPromise {
  /// Tells the hook once, inline in the call that cancels this promise, or here and now if that has happened.
  ///
  /// - Parameter isLeaf: the hook is the library's own, and cancels no promise. It costs less, since it needs no ``HookRun``.
  @usableFromInline
  final func addCancelHook(_ hook: @escaping CancelHook, isLeaf: Bool = false) {
    let table = side.getOrCreateTable()
    let number = table.locked { $0.cancelHooks.append(hook, isLeaf: isLeaf) }
    let state = cellInOrder
    guard state.isDone else { return }
    // Settled: whoever settled may have looked for the hook too early. The others are that call's to run.
    if let number, table.locked({ $0.cancelHooks.take(number) }) == nil { return }
    if state.isCancelledByCall, let error = storedError { hook(error) }
  }

  /// This promise is settled: runs its hooks if it was cancelled, and drops them else.
  final func endCancelHooks() {
    guard let entries = side.table?.locked({ $0.cancelHooks.takeAll() }), !entries.isEmpty else { return }
    guard cellHint.isCancelledByCall, let error = storedError else { return }
    if entries.allSatisfy(\.isLeaf) {
      for entry in entries { entry.hook(error) }
    } else {
      HookRun.run(entries, because: error)
    }
  }
}
