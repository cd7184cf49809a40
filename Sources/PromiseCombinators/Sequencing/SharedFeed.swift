import PromiseCore

/// The elements of a sequence for several who take them, and what they make of them. Only one at a time has its turn;
/// who wants one meanwhile waits for a promise.
final class SharedFeed<Elements: Sequence, Output: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock, or by who has the turn. Under the lock nothing is released and no code of users' run.
  private let lock = ShortLock()
  private var isTaken = false
  private var waiting = Ring<Promise<Void>>()
  private var outputs: [Output?] = []

  private let feed: Feed<Elements>
  private var isExhausted = false

  init(_ elements: Elements) { feed = Feed(elements) }

  /// The turn of whoever calls, `nil`: at once.
  func takeTurn(at site: CreationSite) -> Promise<Void>? {
    if lock.locked(takeIfFree) { return nil }
    // Made, and perhaps not needed, outside the lock: those who hear of new promises may let others go, and with these code of users'.
    let turn = Promise<Void>(pendingAt: site)
    return lock.locked {
      if takeIfFree() { return nil }
      waiting.append(turn)
      return turn
    }
  }

  /// Under the lock. `false`: somebody has the turn.
  private func takeIfFree() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  /// Who has the turn gives it to the next.
  func passTurn() {
    let next = lock.locked {
      let next = waiting.popFirst()
      isTaken = next != nil
      return next
    }
    next?.fulfillIfPending(())
  }

  /// The next element, and which it is, for who has the turn.
  func next() -> (index: Int, element: Elements.Element)? {
    guard !isExhausted, let element = feed.next() else {
      isExhausted = true
      return nil
    }
    let index = lock.locked {
      outputs.append(nil)
      return outputs.count - 1
    }
    return (index, element)
  }

  func store(_ output: Output, at index: Int) { lock.locked { outputs[index] = output } }

  /// All that was made, when nobody takes any more.
  var all: [Output] { lock.locked { outputs }.compactMap(\.self) }
}
