import PromiseCore

/// Collects the values of a `traverse`, in the order of the elements.
final class OutputList<Output: Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`, because the array is used under the lock.
  private let lock = ShortLock()
  private var outputs: [Output?] = []

  /// Stores the value for the element of that index.
  ///
  /// - Complexity: amortized O(1), because elements are numbered in order.
  func store(_ output: Output, at index: Int) {
    lock.locked {
      while outputs.count <= index { outputs.append(nil) }
      outputs[index] = output
    }
  }

  /// The values that are stored so far, in the order of their elements.
  var all: [Output] { lock.locked { outputs }.compactMap(\.self) }
}
