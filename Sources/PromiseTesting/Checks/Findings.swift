import PromiseCore

/// The failures of a world that have happened and are not yet reported.
final class Findings: Sendable {
  struct Content {
    var rejections: [UnhandledRejection] = []
    var settlements: [SecondSettlement] = []
    var works: [UnstoppedWork] = []
    var failures: [String] = []
  }

  private let content = Locked(Content())

  func add(_ rejection: UnhandledRejection) { content.withLock { $0.rejections.append(rejection) } }
  func add(_ settlement: SecondSettlement) { content.withLock { $0.settlements.append(settlement) } }
  func add(_ work: UnstoppedWork) { content.withLock { $0.works.append(work) } }
  func add(failure: String) { content.withLock { $0.failures.append(failure) } }

  /// Removes and returns the findings that the checks ask for, and all failed expectations.
  func take(_ checks: TestWorld.Checks) -> Content {
    content.withLock { content in
      var taken = Content()
      swap(&taken.failures, &content.failures)
      if checks.contains(.unhandledRejections) { swap(&taken.rejections, &content.rejections) }
      if checks.contains(.secondSettlements) { swap(&taken.settlements, &content.settlements) }
      if checks.contains(.unstoppedWork) { swap(&taken.works, &content.works) }
      return taken
    }
  }
}
