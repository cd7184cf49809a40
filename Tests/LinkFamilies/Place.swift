package import Dispatch
import TestSupport

/// Where code runs, as far as these tests can tell.
package enum Place: Sendable {
  case main, actor, queue, test, elsewhere

  private static let key = DispatchSpecificKey<Place>()

  private static let mainQueue: DispatchQueue = {
    let queue = DispatchQueue.main
    queue.setSpecific(key: key, value: Place.main)
    return queue
  }()

  /// A queue that is known to be this place.
  package func makeQueue() -> DispatchQueue {
    let queue = DispatchQueue(label: "\(self)")
    queue.setSpecific(key: Place.key, value: self)
    return queue
  }

  /// Where the calling code runs.
  package static var current: Place {
    _ = mainQueue
    return DispatchQueue.getSpecific(key: key) ?? .elsewhere
  }
}
