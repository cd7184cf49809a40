import PromiseCombinators
import TestSupport

/// A promise that is made from several inputs, and the checks after a round of two operations on it and on the inputs.
final class SequenceStage: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case all, allCancelling, allWaiting, allSettled, atLeast, any, race, traverse, forEach, reduce, `repeat`, chain
  }

  let context = ManualContext()
  let census = Tracked.Census()
  let owners = (0..<3).map { _ in Deferred<Int>() }
  let result: Held<AnyPromise>
  private let kind: Kind
  /// The inputs that the closure has returned.
  private let begun = Log<Int>()

  init(_ kind: Kind) {
    self.kind = kind
    let promises = owners.map(\.promise)
    let context = context
    let begun = begun
    let next = Locked(0)
    let step: @Sendable (Int) -> Promise<Int> = { [tracked = Tracked(census)] number in
      withExtendedLifetime(tracked) { begun.append(number, returning: promises[number]) }
    }
    let result: AnyPromise =
      switch kind {
      case .all: Promise.all(promises)
      case .allCancelling: Promise.all(promises, onRejection: .cancelRemaining)
      case .allWaiting: Promise.all(promises, onRejection: .waitForAll)
      case .allSettled: Promise.allSettled(promises)
      case .atLeast: Promise.allSettled(promises, atLeast: 2)
      case .any: Promise.any(promises)
      case .race: Promise.race(promises)
      case .traverse: Promise.traverse(0..<3, concurrency: 2, on: context, step)
      case .forEach: Promise.forEach(0..<3, on: context, step)
      case .reduce: Promise.fulfilled(0).reduce(0..<3, on: context) { _, number in step(number) }
      case .repeat:
        Promise.repeat(on: context) {
          let number = next.withLock { next in
            next += 1
            return next - 1
          }
          return number < 3 ? step(number) : nil
        }
      case .chain: Promise.chain(0, (0..<3).map { number in { _ in step(number) } }, on: context)
      }
    self.result = Held(result)
    context.step()
  }

  func conclude() throws {
    context.runUntilIdle()
    if kind == .traverse, result.object?.isRejected == true {
      try Violation.unless(begun.entries.allSatisfy { !owners[$0].promise.isPending }, "a promise was not given up")
    }
    for owner in owners { owner.fulfill(1) }
    context.runUntilIdle()
    try Violation.unless(result.object?.isPending != true, "pending in the end")
    try Violation.unless(owners.allSatisfy { !$0.promise.isPending }, "an input is pending")
    try Violation.unlessFinished(owners.map(\.promise) + [result.object].compactMap(\.self))
    if let result = result.object, !result.isCancelled, let shouldFail {
      try Violation.unless(result.isRejected == shouldFail, "decided wrongly")
    }
    try Violation.unless(census.living == 0, "the closure is left")
    result.drop()
  }

  /// Whether a result that was not cancelled must be rejected, or `nil` if that depends on the order of the inputs.
  private var shouldFail: Bool? {
    switch kind {
    case .all, .allCancelling, .allWaiting: owners.contains { $0.promise.isRejected }
    case .any: owners.allSatisfy { $0.promise.isRejected }
    case .allSettled: false
    default: nil
    }
  }
}
