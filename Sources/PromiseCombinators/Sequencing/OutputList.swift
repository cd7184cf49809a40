import PromiseCore

/// The values that a `traverse` has collected, each in the place of its element.
final class OutputList<Output: Sendable>: @unchecked Sendable {
  // `@unchecked`: the array is used under the lock.
  private let lock = ShortLock()
  private var outputs: [Output?] = []

  /// - Complexity: O(1), amortised: elements are numbered in order.
  func store(_ output: Output, at index: Int) {
    lock.locked {
      while outputs.count <= index { outputs.append(nil) }
      outputs[index] = output
    }
  }

  /// The values so far, in the order of their elements.
  var all: [Output] { lock.locked { outputs }.compactMap(\.self) }
}
