import PromiseCore
import TestSupport

/// How a promise comes to its end, and what was made from it.
enum Ending: CaseIterable, Sendable {
  case fulfilled, rejected
  /// Of the result, before the promise is settled, and after that.
  case cancelled, cancelledAfter
  /// Of the promise that it was made from.
  case cancelledAbove
  case givenUp
  /// The owner goes.
  case ownerDropped
  /// Whoever has the result lets it go; later the promise is fulfilled.
  case resultDropped

  /// Whether something happens to the result, so that there must be one.
  var needsResult: Bool { [.cancelled, .cancelledAfter, .givenUp].contains(self) }

  func apply(to scene: Scene) {
    switch self {
    case .fulfilled: scene.fulfill()
    case .rejected: scene.reject()
    case .cancelled:
      for result in scene.results { result.cancel() }
      // A handler for errors waits for its own promise (rule 2.5).
      scene.run()
      scene.fulfill()
    case .cancelledAfter:
      scene.fulfill()
      for result in scene.results { result.cancel() }
    case .cancelledAbove: scene.source.cancel()
    case .givenUp: for result in scene.results { result.cancel(upstream: true) }
    case .ownerDropped: scene.dropOwner()
    case .resultDropped:
      scene.dropResults()
      scene.run()
      scene.fulfill()
    }
  }
}
