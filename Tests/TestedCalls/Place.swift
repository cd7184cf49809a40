package import Dispatch
import TestSupport

/// The places where code can run, as far as these tests can distinguish them.
package enum Place: Sendable {
  case main, actor, queue, test, elsewhere

  private static let key = DispatchSpecificKey<Place>()

  private static let mainQueue: DispatchQueue = {
    let queue = DispatchQueue.main
    queue.setSpecific(key: key, value: Place.main)
    return queue
  }()

  /// Returns a new queue that marks its code as running in this place.
  package func makeQueue() -> DispatchQueue {
    let queue = DispatchQueue(label: "\(self)")
    queue.setSpecific(key: Place.key, value: self)
    return queue
  }

  /// The place in which the calling code runs.
  package static var current: Place {
    _ = mainQueue
    return DispatchQueue.getSpecific(key: key) ?? .elsewhere
  }
}
