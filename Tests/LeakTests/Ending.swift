/// The ways in which a promise and the promises derived from it come to their end.
enum Ending: CaseIterable, Sendable {
  case fulfilled, rejected
  /// The client cancels the results, before or after the promise is settled.
  case cancelled, cancelledAfter
  /// The client cancels the source promise.
  case cancelledAbove
  case givenUp
  /// The owner is deallocated.
  case ownerDropped
  /// The client releases the results, and the promise is fulfilled later.
  case resultDropped

  /// Whether the ending applies to the results, so that the operation must have one.
  var needsResult: Bool { [.cancelled, .cancelledAfter, .givenUp].contains(self) }

  func apply(to scene: Scene) {
    switch self {
    case .fulfilled: scene.fulfill()
    case .rejected: scene.reject()
    case .cancelled:
      for result in scene.results { result.cancel() }
      // A rejection handler stays until its source is settled (rule 2.5), so the source must be fulfilled, too.
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
