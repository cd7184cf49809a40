// Properties of steps for the shrinker.

import PromiseCombinators

extension Step {
  var makesPromise: Bool {
    switch self {
    case .make, .link, .start, .shield, .combine: true
    default: false
    }
  }

  /// The promises that the step needs in order to make a promise.
  var sources: [Int] {
    switch self {
    case .link(let source, _, _, _), .shield(let source): [source]
    case .combine(_, let inputs): inputs
    default: []
    }
  }

  var makesHandler: Bool {
    switch self {
    case .link, .start, .shield, .observe, .await: true
    default: false
    }
  }

  /// Returns the same step on other promises. Throws if one of them no longer exists.
  func mapPromises(_ map: (Int) throws -> Int) throws -> Step {
    switch self {
    case .make, .run, .dropJobs: return self
    case .link(let promise, let kind, let context, let behaviour):
      return try .link(map(promise), kind, on: context, behaviour.mapPromises(map))
    case .start(let kind, let context, let behaviour): return try .start(kind, on: context, behaviour.mapPromises(map))
    case .shield(let promise): return try .shield(map(promise))
    case .combine(let combinator, let inputs):
      let mapped = inputs.compactMap { try? map($0) }
      if mapped.isEmpty, let first = inputs.first { _ = try map(first) }
      return .combine(combinator, mapped)
    case .observe(let promise, let kind, let context, let act):
      return try .observe(map(promise), kind, on: context, doing: act?.mapPromises(map))
    case .await(let promise, let isCancelled, let cancelsSource):
      return try .await(map(promise), isCancelled: isCancelled, cancelsSource: cancelsSource)
    case .cancelTasks(let promise): return try .cancelTasks(map(promise))
    case .settle(let promise, let ending): return try .settle(map(promise), ending)
    case .follow(let promise, let other): return try .follow(map(promise), map(other))
    case .cancel(let promise, let reason, let upstream): return try .cancel(map(promise), reason, upstream: upstream)
    case .hook(let promise, let act): return try .hook(map(promise), doing: act?.mapPromises(map))
    case .awaitedHook(let promise, let cause, let returned, let act):
      return try .awaitedHook(map(promise), cause, returning: map(returned), doing: act?.mapPromises(map))
    case .report(let promise, let eighths): return try .report(map(promise), eighths: eighths)
    case .look(let promise): return try .look(map(promise))
    case .dropOwner(let promise): return try .dropOwner(map(promise))
    case .drop(let promise): return try .drop(map(promise))
    }
  }

  /// The simpler alternatives to this step, in order, with the simplest first.
  var simpler: [Step] {
    switch self {
    case .make, .shield, .follow, .hook(_, nil), .dropOwner, .drop, .cancelTasks, .look: []
    case .run(let context): context > 0 ? [.run(0)] : []
    case .dropJobs(let context): context > 0 ? [.dropJobs(0)] : []
    case .link(let promise, let kind, let context, let behaviour):
      kind.simpler.map { .link(promise, $0, on: context, behaviour) }
        + (context > 0 ? [.link(promise, kind, on: 0, behaviour)] : [])
        + behaviour.simpler.map { .link(promise, kind, on: context, $0) }
    case .start(let kind, let context, let behaviour):
      [.make] + (context > 0 ? [.start(kind, on: 0, behaviour)] : [])
        + behaviour.simpler.map { .start(kind, on: context, $0) }
    case .combine(let combinator, let inputs):
      combinator.simpler.map { .combine($0, inputs) }
        + (inputs.count > 1 ? inputs.indices.map { .combine(combinator, inputs.without($0)) } : [])
    case .observe(let promise, let kind, let context, let act):
      (kind == .onSettled ? [] : [.observe(promise, .onSettled, on: context, doing: act)])
        + (context > 0 ? [.observe(promise, kind, on: 0, doing: act)] : [])
        + Self.simpler(act).map { .observe(promise, kind, on: context, doing: $0) }
    case .await(let promise, let isCancelled, let cancelsSource):
      (isCancelled ? [.await(promise, cancelsSource: cancelsSource)] : [])
        + (cancelsSource ? [.await(promise, isCancelled: isCancelled)] : [])
    case .hook(let promise, let act): Self.simpler(act).map { .hook(promise, doing: $0) }
    case .awaitedHook(let promise, let cause, let returned, let act):
      [.hook(promise, doing: act)]
        + (cause == .anyEnd ? [.awaitedHook(promise, .cancel, returning: returned, doing: act)] : [])
        + Self.simpler(act).map { .awaitedHook(promise, cause, returning: returned, doing: $0) }
    case .report(let promise, let eighths): eighths == 4 ? [] : [.report(promise, eighths: 4)]
    case .settle(let promise, let ending): ending.simpler.map { .settle(promise, $0) }
    case .cancel(let promise, let reason, let upstream):
      reason.simpler.map { .cancel(promise, $0, upstream: upstream) } + (upstream ? [.cancel(promise, reason)] : [])
    }
  }

  /// Returns the simpler alternatives to an act of a handler or a hook.
  private static func simpler(_ act: Step?) -> [Step?] { act.map { [nil] + $0.simpler } ?? [] }
}

extension [Int] {
  fileprivate func without(_ index: Int) -> [Int] {
    var others = self
    others.remove(at: index)
    return others
  }
}

extension Combinator {
  fileprivate var simpler: [Combinator] {
    let order: [Combinator] = [.race(), .any(), .all(.leaveRunning), .allSettled(atLeast: 0), .some(2)]
    return Array(order[..<(order.firstIndex(of: self) ?? order.count)])
  }
}

extension Kind {
  /// The simpler kinds, with the simplest first. A kind that is not in the list can become any of them.
  fileprivate var simpler: [Kind] {
    let order: [Kind] = [.map, .recover, .always, .then, .alwaysThen]
    return Array(order[..<(order.firstIndex(of: self) ?? order.count)])
  }
}

extension Step.Failure {
  fileprivate var simpler: [Step.Failure] {
    switch self {
    case .cancellation: []
    case .test(1): [.cancellation]
    case .test: [.cancellation, .test(1)]
    }
  }
}

extension Step.Ending {
  fileprivate var simpler: [Step.Ending] {
    switch self {
    case .value(1): []
    case .value, .failure(.test(1)): [.value(1)]
    case .failure: [.value(1), .failure(.test(1))]
    }
  }
}

extension Step.Behaviour {
  func mapPromises(_ map: (Int) throws -> Int) throws -> Step.Behaviour {
    var behaviour = try Step.Behaviour(first: first?.mapPromises(map), result: result)
    if case .adopts(let promise) = result { behaviour.result = try .adopts(map(promise)) }
    return behaviour
  }

  fileprivate var simpler: [Step.Behaviour] {
    var behaviours: [Step.Behaviour] = []
    if first != nil { behaviours.append(Step.Behaviour(result: result)) }
    if result != .gives(1) { behaviours.append(Step.Behaviour(first: first, result: .gives(1))) }
    if let first { behaviours += first.simpler.map { Step.Behaviour(first: $0, result: result) } }
    return behaviours
  }
}
