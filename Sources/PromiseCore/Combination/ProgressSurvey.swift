/// All that the result of a combination waits for, up to what is looked after already: for the first who asks how far it has come.
///
/// A loop. Each promise is visited once, however many ways lead there; and where ways meet a watch is wanted, beyond which the
/// watches of those below need not look. So ten thousand inputs that all hang on one chain walk up that chain once.
struct ProgressSurvey {
  private enum Step {
    case enter(AnyPromise)
    /// All that it waits for has been visited.
    case leave(AnyPromise)
  }

  private var steps: [Step] = []
  /// How many of the steps lead to a promise.
  private var ways = 0
  private var visited: Set<ObjectIdentifier> = []
  /// Where ways meet.
  private var joints: Set<ObjectIdentifier> = []
  /// Results of combinations, and what may turn out to be a joint. Each after all that it waits for.
  private(set) var left: [AnyPromise] = []

  /// - Complexity: O(*n*), where *n* is the number of promises that are visited.
  init(of result: AnyPromise) {
    // Some room at once: mostly it is enough.
    steps.reserveCapacity(4)
    go(to: result)
    while let step = steps.popLast() {
      switch step {
      case .leave(let promise): left.append(promise)
      case .enter(let promise):
        ways -= 1
        visit(promise)
      }
    }
  }

  /// Ways meet at this promise, so a watch is wanted there.
  func isJoint(_ promise: AnyPromise) -> Bool { joints.contains(ObjectIdentifier(promise)) }

  private mutating func go(to promise: AnyPromise) {
    steps.append(.enter(promise))
    ways += 1
  }

  private mutating func visit(_ promise: AnyPromise) {
    // A ring that is being broken has been claimed somewhere.
    if promise.isProgressOver || promise.isProgressWatched { return }
    let combination = promise.combination
    if let combination, combination.isProgressWatched { return }
    // An owner's: there is nothing beyond.
    if combination == nil, promise.producer.isEmpty, !promise.cell.isForwarded { return }
    // Needed only where ways part and may meet again.
    let mayMeet = ways > 0 || !visited.isEmpty
    if mayMeet, !visited.insert(ObjectIdentifier(promise)).inserted {
      joints.insert(ObjectIdentifier(promise))
      return
    }
    if mayMeet || combination != nil { steps.append(.leave(promise)) }
    if promise.cell.isForwarded { go(to: promise.forwardee) }
    if let combination { for input in combination.inputs { go(to: input) } }
    for above in promise.upstream { go(to: above) }
  }
}
