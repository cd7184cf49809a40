import PromiseCombinators
import TestSupport

extension Operation<Node> {
  /// Operations of the owner.
  static let ofOwners: [Operation] = [
    .owner("fulfil", .settles) { node in
      { owner in
        let value = node.stage.value()
        guard owner.fulfill(value) else { return .after }
        let isRight = owner.promise.state.value === value
        node.stage.check { try Violation.unless(isRight, "fulfilled with another value") }
        return .settled
      }
    },
    .owner("reject", .settles) { node in
      let error = node.stage.error()
      return { owner in owner.reject(error) ? .settled : .after }
    },
    .owner("follow a settled one", .settles) { node in
      { owner in owner.follow(.fulfilled(node.stage.value())) ? .settled : .after }
    },
    .owner("follow a pending one") { node in
      let other = Held(node.stage.other().promise)
      return { owner in other.take().map(owner.follow) == true ? .before : .after }
    },
    .owner("what it follows settles", .maySettle) { node in
      let other = Held(node.stage.other())
      if let promise = other.object?.promise { node.owner?.object?.follow(promise) }
      return { _ in
        other.take()?.fulfill(node.stage.value())
        return .nothing
      }
    },
    .owner("the owner goes", .maySettle) { node in
      node.owner?.drop()
      return { _ in .nothing }
    },
    .owner("the owner's time is up", .maySettle) { node in
      node.owner?.object?.timeout(.seconds(1), timers: node.stage.timers)
      return { _ in
        node.stage.timers.ring()
        return .nothing
      }
    },
    .owner("report") { node in
      { owner in
        if owner.report(progress: 0.5) { return .before }
        return owner.promise.isPending ? .nothing : .after
      }
    },
    .owner("onCancel") { node in
      let stage = node.stage
      return { owner in
        let runs = Runs(stage.census)
        let handler = runs.handler
        owner.onCancel { _ in handler() }
        let ran = runs.number == 1
        stage.check { try Violation.unless(runs.number <= 1, "a hook ran \(runs.number) times") }
        return ran ? .after : owner.promise.isPending ? .before : .nothing
      }
    },
  ]

  /// Operations that settle a promise whose handler is under way.
  static let ofHandlers: [Operation] = [
    .acting("the handler runs", .maySettle) { $0.takeJob()?.run() },
    .acting("the handler is let go", .maySettle) { _ = $0.takeJob() },
  ]

  /// Operations of any client.
  static let ofClients = ofCancellers + ofLinkers + ofObservers + ofWaiters

  static let ofCancellers: [Operation] = [
    .promise("cancel", .settles) { node in
      let reason = node.stage.error()
      return { promise in
        promise.cancel(reason: reason)
        return seen(of: promise, settledWith: reason)
      }
    },
    .promise("give up", .givesUp) { _ in
      { promise in
        promise.cancel(upstream: true)
        return .nothing
      }
    },
    .promise("cancel a bag", .givesUp) { node in
      let bag = CancelBag()
      let reason = node.stage.error()
      node.promise.object?.bound(to: bag)
      return { promise in
        bag.cancelAll(reason: reason)
        return seen(of: promise, settledWith: reason)
      }
    },
    .promise("a bag is released", .givesUp) { node in
      let bag = Held(CancelBag())
      if let bag = bag.object { node.promise.object?.bound(to: bag) }
      return { _ in
        bag.drop()
        return .nothing
      }
    },
    .promise("put into a bag") { node in
      let bag = Held(CancelBag())
      node.stage.check(bag.drop)
      return { promise in
        if let bag = bag.object { promise.bound(to: bag) }
        return promise.isPending ? .before : .nothing
      }
    },
    .promise("a limit of a link expires", .mayGiveUp) { node in
      if let promise = node.promise.object {
        node.stage.keep(promise.timeout(.seconds(1), timers: node.stage.timers))
      }
      return { _ in
        node.stage.timers.ring()
        return .nothing
      }
    },
  ]

  private static func seen(of promise: Promise<Tracked>, settledWith reason: TestError) -> SeenSettlement {
    guard case .failure(let error) = promise.result else { return promise.isPending ? .nothing : .after }
    return error as? TestError == reason ? .settled : .after
  }
}
