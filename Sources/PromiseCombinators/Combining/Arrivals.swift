import PromiseCore

/// The inputs of a combinator that are settled, in the order in which they have arrived.
final class Arrivals: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are read and written under the lock only.

  /// The decision of an input.
  enum End {
    /// As many inputs as are needed are fulfilled.
    case enough([AnyPromise])
    /// So many inputs are rejected that the others are too few.
    case tooFew([AnyPromise])
  }

  private let lock = ShortLock()
  private let countNeeded: Int
  /// The number of inputs that may be rejected.
  private let countSpare: Int
  private var fulfilled: [AnyPromise] = []
  private var rejected: [AnyPromise] = []

  init(of count: Int, needing countNeeded: Int) {
    self.countNeeded = countNeeded
    countSpare = count - countNeeded
  }

  /// Records an input that is settled. Returns the end for the input that decides, and `nil` for each other one.
  func record(_ input: AnyPromise) -> End? {
    lock.locked {
      if input.isRejected {
        if rejected.isEmpty { rejected.reserveCapacity(countSpare + 1) }
        rejected.append(input)
        return rejected.count == countSpare + 1 ? .tooFew(rejected) : nil
      }
      if fulfilled.isEmpty { fulfilled.reserveCapacity(countNeeded) }
      fulfilled.append(input)
      return fulfilled.count == countNeeded ? .enough(fulfilled) : nil
    }
  }
}
