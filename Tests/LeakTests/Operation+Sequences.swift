import PromiseCombinators

extension Operation {
  /// Operations that call a closure repeatedly. Each step returns the scene's promise.
  static let sequences: [Operation] = [
    Operation("Promise.reduce(_:on:_:)") { scene in
      scene.source.reduce(scene.elements, on: scene.context) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.reduce(_:on main:_:)") { scene in
      scene.source.reduce(scene.elements, on: .main) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.reduce(all:on:_:)") { scene in
      Promise.reduce(all: [scene.source, scene.source], on: scene.context) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.reduce(all:on main:_:)") { scene in
      Promise.reduce(all: [scene.source, scene.source], on: .main) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.repeat(on:_:)") { Promise.repeat(on: $0.context, $0.steps()) },
    Operation("Promise.repeat(on main:_:)") { Promise.repeat(on: .main, $0.steps()) },
    Operation("Promise.chain(_:_:on:)") { scene in
      let link: @Sendable (Parcel) -> Promise<Parcel> = scene.step()
      return Promise.chain(scene.value(), [link, link], on: scene.context)
    },
    Operation("Promise.chain(_:_:on main:)") { scene in
      let link: @MainActor @Sendable (Parcel) -> Promise<Parcel> = scene.step()
      return Promise.chain(scene.value(), [link, link], on: .main)
    },
    Operation("Promise.forEach(_:on:_:)") { Promise.forEach($0.elements, on: $0.context, $0.step()) },
    Operation("Promise.forEach(_:on main:_:)") { Promise.forEach($0.elements, on: .main, $0.step()) },
    Operation("Promise.traverse(_:concurrency:until:on:_:)") {
      Promise.traverse($0.elements, concurrency: 2, on: $0.context, $0.step())
    },
    Operation("Promise.traverse(_:concurrency:until:on main:_:)") {
      Promise.traverse($0.elements, concurrency: 2, on: .main, $0.step())
    },
    Operation("Promise.using(_:release:on:_:)") {
      Promise.using($0.body(), release: $0.release(), on: $0.context, $0.step())
    },
    Operation("Promise.using(_:release:on main:_:)") {
      Promise.using($0.body(), release: $0.release(), on: .main, $0.step())
    },
    Operation("Promise.using(_:release:on:_:)") {
      Promise.using($0.body(), release: $0.releaseWithOutcome(), on: $0.context, $0.step())
    },
    Operation("Promise.using(_:release:on main:_:)") {
      Promise.using($0.body(), release: $0.releaseWithOutcome(), on: .main, $0.step())
    },
    Operation("Promise.retry(attempts:backoff:within:until:on:timers:while:_:)") {
      Promise.retry(attempts: 3, backoff: $0.backoff, on: $0.context, while: $0.predicate(), $0.body())
    },
    Operation("Promise.retry(attempts:backoff:within:until:on:timers:while:_:)") { scene in
      Promise.retry(
        attempts: 3, backoff: scene.backoff, within: .seconds(9), on: scene.context, while: scene.predicate()
      ) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:until:on main:timers:while:_:)") {
      Promise.retry(attempts: 3, backoff: $0.backoff, on: .main, while: $0.predicate(), $0.body())
    },
    Operation("Promise.retry(attempts:backoff:within:until:on main:timers:while:_:)") {
      Promise.retry(attempts: 3, backoff: $0.backoff, on: .main, while: $0.predicate(), $0.step())
    },
    Operation("Promise.retry(attempts:backoff:within:until:on:timers:carrying:asking:_:)") { scene in
      Promise.retry(
        attempts: 3, backoff: scene.backoff, on: scene.context, carrying: scene.value(),
        asking: { [tracked = scene.capture()] _, _ in tracked.carrying(.fulfilled(true)) }, scene.step())
    },
    Operation("Promise.retry(attempts:backoff:within:until:on main:timers:carrying:asking:_:)") { scene in
      Promise.retry(
        attempts: 3, backoff: scene.backoff, on: .main, carrying: scene.value(),
        asking: { [tracked = scene.capture()] _, _ in tracked.carrying(.fulfilled(true)) }, scene.step())
    },
    Operation("RetryAttempt.carry(_:)") { scene in
      Promise.retry(attempts: 3, backoff: scene.backoff, on: scene.context, carrying: scene.value()) { attempt in
        attempt.carry(scene.value())
        return scene.source
      }
    },
    Operation("Backoff.overridden(by:)") { scene in
      let backoff = scene.backoff.overridden { [tracked = scene.capture()] _ in tracked.carrying(nil) }
      return Promise.retry(attempts: 3, backoff: backoff) { scene.source }
    },
    Operation("Backoff.init(_:)") { scene in Promise.retry(attempts: 3, backoff: scene.backoff) { scene.source } },
    Operation("Backoff.jittered(_:)") { scene in
      let backoff = Backoff.constant(.seconds(1)).jittered { [tracked = scene.capture()] in tracked.carrying(0.5) }
      return Promise.retry(attempts: 3, backoff: backoff) { scene.source }
    },
  ]
}

extension Scene {
  var elements: [Parcel] { (0..<3).map { _ in value() } }

  /// Returns a closure that returns the scene's promise.
  func step<Argument>() -> @Sendable (Argument) -> Promise<Parcel> {
    { [source, tracked = capture()] _ in tracked.carrying(source) }
  }

  func release() -> @Sendable (Parcel) -> Promise<Void> {
    { [tracked = capture()] _ in tracked.carrying(Promise.fulfilled(())) }
  }

  func releaseWithOutcome<Outcome>() -> @Sendable (Parcel, Outcome) -> Promise<Void> {
    { [tracked = capture()] _, _ in tracked.carrying(Promise.fulfilled(())) }
  }

  /// Returns a closure for three steps.
  func steps() -> @Sendable () -> Promise<Parcel>? {
    let count = Locked(0)
    return { [source, tracked = capture()] in tracked.carrying(count.increment() > 3 ? nil : source) }
  }

  var backoff: Backoff { Backoff { [tracked = capture()] _ in tracked.carrying(.seconds(1)) } }

  func predicate() -> @Sendable (Int, any Error) -> Bool { { [tracked = capture()] _, _ in tracked.carrying(true) } }
}
