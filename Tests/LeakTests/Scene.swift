import PromiseCombinators

/// A promise with its owner, on which an operation is called in a world of its own.
///
/// All values and errors that the operation gets are tracked, and so are all objects that its closures capture.
final class Scene: Sendable {
  let world = TestWorld()
  /// Tracks values and errors.
  let payloads = Tracked.Census()
  /// Tracks objects that closures capture.
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

  /// Returns an object for a closure to capture.
  func capture() -> Tracked { Tracked(captures) }

  func value() -> Parcel { Parcel(1, Tracked(payloads)) }

  func error() -> ParcelError { ParcelError(1, Tracked(payloads)) }

  /// The promises that the operation made.
  var results: [AnyPromise] { made.withLock(\.self) }

  /// Retains an object, such as a gate or a bag, until the test ends.
  func keep(_ object: some Sendable) { held.withLock { $0.append(object) } }

  func add(_ result: AnyPromise) { made.withLock { $0.append(result) } }

  /// The owner, until it is released.
  var deferred: Deferred<Parcel>? { owner.withLock(\.self) }

  func fulfill() { deferred?.fulfill(value()) }

  func reject() { deferred?.reject(error()) }

  func dropOwner() { withExtendedLifetime(owner.withLock { $0.take() }) {} }

  func dropResults() { withExtendedLifetime(made.withLock { $0.exchange([]) }) {} }

  func dropKept() { withExtendedLifetime(held.withLock { $0.exchange([]) }) {} }

  /// Advances the world by an hour and runs everything that is due.
  func run() { world.advance(by: .seconds(3_600)) }
}

extension Array {
  fileprivate mutating func exchange(_ new: [Element]) -> [Element] {
    defer { self = new }
    return self
  }
}
