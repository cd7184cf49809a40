// Retained promises, and the source that a promise shows (rules 6.1 and 6.3).

extension Model {
  /// Returns the promises that `parent` may be. In the result, `nil` stands for no parent.
  func parents(of promise: Int) -> [Int?] {
    guard let producer = nodes[promise].producer, handlers[producer].kind != .shielded,
      let source = handlers[producer].source
    else { return [nil] }
    return isPending(promise) && handlers[producer].state != .gone ? [source] : [nil, source]
  }

  /// Returns whether a promise may be retained. The program, the owner and handlers that have not returned may retain a
  /// settled promise. A pending promise may also keep some dead entries (rule 4.9), which retain promises that once
  /// waited for it.
  func mayBeAlive(_ promise: Int) -> Bool {
    let node = nodes[promise]
    let source = node.producer.flatMap { handlers[$0].source }
    let waitedFor = node.adopted.union(node.awaited) + (node.combination?.inputs ?? []) + [source].compactMap { $0 }
    return node.isHeld || node.hasOwner || node.outcome == nil || waitedFor.contains(where: isPending)
      || handlers.contains { ($0.source == promise || $0.target == promise) && ($0.state != .gone || $0.leavesJob) }
      || handlers.contains { $0.source == promise && keepsSourceForCleanup($0) }
      // The closure that makes the values captures the inputs.
      || nodes.contains { $0.outcome == nil && $0.combination?.inputs.contains(promise) == true }
  }

  /// Returns whether the outcome of the source may still be passed on after a cleanup. If the promise of the handler
  /// has closed a ring, no rule says when the source is released.
  private func keepsSourceForCleanup(_ handler: Handler) -> Bool {
    guard handler.kind == .alwaysThen, let target = handler.target else { return false }
    if nodes[target].cleanup != nil { return true }
    guard case .adopts(let cleanup) = handler.behaviour.result, isPending(cleanup) else { return false }
    return nodes[target].outcome?.failure == .cycle(target)
  }
}
