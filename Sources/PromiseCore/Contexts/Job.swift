/// One handler whose turn has come, handed to an ``ExecutionContext``.
///
/// It runs once. A job that is released unrun rejects the promise derived by its handler with
/// ``PromiseError/contextDropped(createdAt:)``; a job that is run again does nothing (rules 2.1 and 6.2).
public struct Job: Sendable {
  let link: Link

  init(_ link: consuming Link) { self.link = link }

  /// Runs the handler in the calling thread, then settles the promise derived by it.
  public func run() { link.run() }
}

extension Link {
  fileprivate final func run() {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    // No reference to the target outlives these calls: a promise that is about to adopt must be known to be unique.
    switch runBody() {
    case .settled: publishTarget()
    case .nothing: endTarget()
    case .adopts(let inner, let copy): asAdopting.adopt(inner, copyingBy: copy)
    }
  }

  /// Runs the body and releases it with all it captured, before the target is published (rule 2.4).
  private func runBody() -> Verdict {
    guard let source, let body = takeBody() else { return .nothing }
    return body(source, target ?? source)
  }

  private func publishTarget() {
    guard let target else { return }
    target.publish()
    end(target)
  }

  private func endTarget() {
    if let target { end(target) }
  }
}
