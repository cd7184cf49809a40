// Progress (rules 5.1 to 5.4).

extension Model {
  func progress(of promise: Int) -> Double {
    let node = nodes[promise]
    return isPending(promise) ? max(node.shown, amount(of: promise) / node.weight) : node.shown
  }

  /// Notes that a promise closes a ring by adopting another. No rule says whether it then has the progress of the
  /// adopted promise or of the promise that it followed before.
  mutating func noteRing(of promise: Int, adopting other: Int) {
    if other != promise { isProgressOpen = true }
  }

  /// Notes that a promise is about to follow another, whose progress counts from then on (rule 5.4). No rule says whether
  /// it keeps progress of the promise that it followed before and that no client has read. It does if a client has read
  /// the progress of a combinator's result before, which looks at its inputs from then on.
  mutating func noteFollow(by promise: Int) {
    if !nodes[promise].follows.isEmpty, progress(of: promise) > nodes[promise].shown { isProgressOpen = true }
  }

  /// Returns the weighted progress of the promises for which a pending promise waits.
  private func amount(of promise: Int) -> Double {
    let node = nodes[promise]
    let inner = node.follows.last
    if let combination = node.combination { return progress(of: combination) }
    guard let producer = node.producer, let source = handlers[producer].source else {
      // If an owner follows several promises, the newest counts.
      return inner.map(progress) ?? 0
    }
    let done = min(node.weight, nodes[source].weight * progress(of: source))
    guard let inner, !isPending(source) else { return done }
    let link = node.weight - nodes[source].weight
    // A link without a weight of its own is a `rescue`, which takes the rest.
    return done + (link == 0 ? node.weight - done : link) * progress(of: inner)
  }

  private func progress(of combination: Combination) -> Double {
    let values = combination.inputs.map { input in
      if case .allSettled = combination.combinator, !isPending(input) { return 1.0 }
      return progress(of: input)
    }
    if values.isEmpty { return 0 }
    let furthest = values.sorted(by: >).prefix(combination.combinator.countNeeded(of: values.count))
    return furthest.reduce(0, +) / Double(furthest.count)
  }

  /// Returns the progress that a client reads. From now on, the progress is not below that value (rule 5.1).
  mutating func look(at promise: Int) -> Double {
    let progress = progress(of: promise)
    nodes[promise].shown = progress
    return progress
  }

  /// Reports progress and returns whether the report counts (rule 5.1).
  mutating func report(_ promise: Int, eighths: Int) -> Bool {
    guard isPending(promise), let fraction = Step.fraction(eighths: eighths), fraction > 0 else { return false }
    let value = min(fraction, 1)
    guard value > (nodes[promise].follows.isEmpty ? nodes[promise].shown : look(at: promise)) else { return false }
    nodes[promise].shown = value
    return true
  }
}

extension Step {
  /// Returns `nil` for a report that is not a number.
  static func fraction(eighths: Int) -> Double? { eighths > 10 ? nil : Double(eighths) / 8 }
}

extension Kind {
  /// The weight of the link itself (rule 5.4).
  var weight: Double {
    switch self {
    case .then, .thenBoth: 1
    case .heavyMap: 2
    case .heavyThen: 3
    default: 0
    }
  }
}
