import PromiseCore

/// The value that the attempts of one `retry` hand on.
///
/// `@unchecked Sendable`, because the variables are accessed only under the lock.
final class CarriedValue<Carried: Sendable>: @unchecked Sendable {
  private let lock = ShortLock()
  private var value: Carried
  /// The number of the attempt that has begun last.
  private var number = 1

  init(_ value: Carried) { self.value = value }

  var current: Carried { lock.locked { value } }

  /// Accepts values only from this attempt from now on.
  func begin(_ number: Int) { lock.locked { self.number = number } }

  /// Replaces the value, unless a later attempt has begun.
  func replace(by value: Carried, of number: Int) -> Bool {
    // Released outside the lock, because a release may run other code (rule 6.5).
    let former: Carried? = lock.locked {
      guard self.number == number else { return nil }
      let former = self.value
      self.value = value
      return former
    }
    return former != nil
  }
}
