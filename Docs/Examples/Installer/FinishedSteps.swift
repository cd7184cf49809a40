import Synchronization

/// The steps that have come to their end, in this order.
final class FinishedSteps<Step: Sendable>: Sendable {
  private let list = Mutex<[Step]>([])

  var steps: [Step] { list.withLock { $0 } }

  func append(_ step: Step) { list.withLock { $0.append(step) } }
}
