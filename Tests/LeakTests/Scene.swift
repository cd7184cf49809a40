import LinkFamilies
import PromiseCombinators
import PromiseTesting
import TestSupport

/// A promise with its owner, for an operation to be done with, in a world of its own.
///
/// All that is handed to the operation is tracked: values and errors, and what its closures capture.
final class Scene: Sendable {
  let world = TestWorld()
  /// Of values and errors.
  let payloads = Tracked.Census()
  /// Of what closures capture.
  let captures = Tracked.Census()
  let context: any ExecutionContext

  private let owner: Locked<Deferred<Parcel>?>
  private let made = Locked<[AnyPromise]>([])
  private let held = Locked<[any Sendable]>([])

  let source: Promise<Parcel>

  init() {
    let deferred = world.run { Deferred<Parcel>() }
    (owner, source) = (Locked(deferred), deferred.promise)
    context = world.serial("handlers")
  }

  /// What a closure is to capture.
  func capture() -> Tracked { Tracked(captures) }

  func value() -> Parcel { Parcel(1, Tracked(payloads)) }

  func error() -> ParcelError { ParcelError(1, Tracked(payloads)) }

  /// The promises that the operation made.
  var results: [AnyPromise] { made.withLock(\.self) }

  /// Keeps something as long as the test goes on: what the operation belongs to, a gate, a bag.
  func keep(_ object: some Sendable) { held.withLock { $0.append(object) } }

  func add(_ result: AnyPromise) { made.withLock { $0.append(result) } }

  /// As long as there is one.
  var deferred: Deferred<Parcel>? { owner.withLock(\.self) }

  func fulfill() { deferred?.fulfill(value()) }

  func reject() { deferred?.reject(error()) }

  func dropOwner() { withExtendedLifetime(owner.withLock { $0.take() }) {} }

  func dropResults() { withExtendedLifetime(made.withLock { $0.exchange([]) }) {} }

  func dropKept() { withExtendedLifetime(held.withLock { $0.exchange([]) }) {} }

  /// All that can happen in an hour.
  func run() {
    world.advance(by: .seconds(3_600))
  }
}

extension Optional where Wrapped: Sendable {
  fileprivate mutating func take() -> Wrapped? {
    defer { self = nil }
    return self
  }
}

extension Array {
  fileprivate mutating func exchange(_ new: [Element]) -> [Element] {
    defer { self = new }
    return self
  }
}
