import PromiseCombinators
import TestSupport

extension Operation<Node> {
  /// Operations that derive a promise.
  static let ofLinkers: [Operation] = [
    linking("map", .value) { promise, stage, handler in
      promise.map(on: stage.context) { value in
        handler()
        return value
      }
    },
    linking("then", .value) { promise, stage, handler in
      let other = stage.other().promise
      return promise.then(on: stage.context) { _ in
        handler()
        return other
      }
    },
    linking("recover", .error) { promise, stage, handler in
      promise.recover(on: stage.context) { [census = stage.census] _ in
        handler()
        return Tracked(census)
      }
    },
    linking("always", .both) { promise, stage, handler in
      promise.always(on: stage.context) { _ in handler() }
    },
    linking("alwaysThen", .both) { promise, stage, handler in
      let cleanup = stage.other().promise
      return promise.alwaysThen(on: stage.context) { _ in
        handler()
        return cleanup
      }
    },
    linking("tap, and let go", .value, isKept: false) { promise, stage, handler in
      promise.tap(on: stage.context) { _ in handler() }
    },
    linking("recover, and let go", .error, isKept: false) { promise, stage, handler in
      promise.recover(on: stage.context) { [census = stage.census] _ in
        handler()
        return Tracked(census)
      }
    },
    linking("timeout", .none) { promise, stage, _ in promise.timeout(.seconds(1), timers: stage.timers) },
    linking("pass on", .none) { promise, _, _ in promise.asVoid() },
    linking("a new owner follows", .none) { promise, _, _ in Promise<Tracked> { $0.follow(promise) } },
    linking("a new owner follows, and goes", .none, isKept: false) { promise, _, _ in
      Promise<Tracked> { $0.follow(promise) }
    },
    linking("relay", .none) { promise, stage, _ in
      let relayed = Deferred<Tracked>()
      promise.relay(to: relayed)
      return relayed.promise
    },
    linking("all", .none) { promise, stage, _ in Promise.all([promise, stage.other().promise]) },
    linking("race", .none) { promise, stage, _ in Promise.race([stage.other().promise, promise]) },
    linking("shield and cancel that", .none) { promise, stage, _ in
      let shield = promise.shielded()
      shield.cancel()
      return shield
    },
    linking("cancel a link", .none) { promise, stage, handler in
      let link = promise.map(on: stage.context) { value in
        handler()
        return value
      }
      link.cancel()
      return link
    },
  ]

  /// The outcomes for which the handler of a link runs.
  private enum Handles { case none, value, error, both }

  private static func linking(
    _ name: String, _ handles: Handles, isKept: Bool = true,
    _ link: @escaping @Sendable (Promise<Tracked>, PromiseStage, @escaping @Sendable () -> Void) -> AnyPromise
  ) -> Operation {
    .promise(name) { node in
      let stage = node.stage
      return { promise in
        let runs = Runs(stage.census)
        let made = link(promise, stage, runs.handler)
        let seen: SeenSettlement = promise.isPending ? .before : .nothing
        if isKept { stage.keep(made) }
        if isKept, handles == .both {
          stage.checkBeforeEnd { [weak made] in
            let isToCome = made?.isPending == false && runs.number == 0
            try Violation.unless(!isToCome || made?.isFinished == false, "\(name): finished before its handler has run")
          }
        }
        stage.check { [made = isKept ? made : nil] in
          switch handles {
          case .none: try Violation.unless(runs.number == 0, "\(name): ran")
          case .both: try Violation.unless(runs.number == 1, "\(name): ran \(runs.number) times")
          case .value:
            try Violation.unless(runs.number <= 1, "\(name): ran \(runs.number) times")
            try Violation.unless(made?.isFulfilled != true || runs.number == 1, "\(name): fulfilled unrun")
          case .error:
            // The handler runs only if the source is rejected, and not if its own promise was cancelled first (rule
            // 2.5).
            let isRejected = node.promise.object?.isRejected ?? true
            let isRecovered = node.promise.object != nil && isRejected && made?.isFulfilled == true
            try Violation.unless(
              runs.number <= (isRejected ? 1 : 0) && runs.number >= (isRecovered ? 1 : 0),
              "\(name): ran \(runs.number) times")
          }
        }
        return seen
      }
    }
  }
}
