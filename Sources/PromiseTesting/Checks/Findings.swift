import PromiseCore

/// What went wrong in a world.
final class Findings: Sendable {
  struct Content {
    var rejections: [UnhandledRejection] = []
    var settlements: [SecondSettlement] = []
    var failures: [String] = []
  }

  private let content = Locked(Content())

  func add(_ rejection: UnhandledRejection) { content.withLock { $0.rejections.append(rejection) } }
  func add(_ settlement: SecondSettlement) { content.withLock { $0.settlements.append(settlement) } }
  func add(failure: String) { content.withLock { $0.failures.append(failure) } }

  /// Everything so far, which is then forgotten.
  func take() -> Content {
    content.withLock { content in
      defer { content = Content() }
      return content
    }
  }
}
