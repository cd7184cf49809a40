// What is retained, and what a promise shows of its source (rules 6.1 and 6.3).

extension Model {
  /// The promises that `parent` may be; `nil` stands for none.
  func parents(of promise: Int) -> [Int?] {
    guard let producer = nodes[promise].producer, handlers[producer].kind != .shielded,
      let source = handlers[producer].source
    else { return [nil] }
    return isPending(promise) && handlers[producer].state != .gone ? [source] : [nil, source]
  }

  /// Whether anything may retain the promise: if it is settled, the program, its owner, and handlers that have not returned. A pending
  /// promise may keep some dead entries (rule 4.9), and these what once waited for it.
  func mayBeAlive(_ promise: Int) -> Bool {
    let node = nodes[promise]
    let source = node.producer.flatMap { handlers[$0].source }
    let waitedFor = node.adopted + (node.combination?.inputs ?? []) + [source].compactMap { $0 }
    return node.isHeld || node.hasOwner || node.outcome == nil || waitedFor.contains(where: isPending)
      || handlers.contains { ($0.source == promise || $0.target == promise) && ($0.state != .gone || $0.leavesJob) }
      // The closure that makes the values captures the inputs.
      || nodes.contains { $0.outcome == nil && $0.combination?.inputs.contains(promise) == true }
  }
}
