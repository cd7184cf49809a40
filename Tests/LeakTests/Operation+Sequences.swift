import LinkFamilies
import PromiseCombinators
import TestSupport

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
    Operation("Promise.repeat(on:_:)") { scene in
      Promise.repeat(on: scene.context, scene.steps())
    },
    Operation("Promise.repeat(on main:_:)") { scene in
      let steps = scene.steps()
      return Promise.repeat(on: .main) { steps() }
    },
    Operation("Promise.chain(_:_:on:)") { scene in
      let link: @Sendable (Parcel) -> Promise<Parcel> = scene.step()
      return Promise.chain(scene.value(), [link, link], on: scene.context)
    },
    Operation("Promise.chain(_:_:on main:)") { scene in
      let link: @MainActor @Sendable (Parcel) -> Promise<Parcel> = { [tracked = scene.capture()] _ in
        tracked.carrying(scene.source)
      }
      return Promise.chain(scene.value(), [link, link], on: .main)
    },
    Operation("Promise.forEach(_:on:_:)") { Promise.forEach($0.elements, on: $0.context, $0.step()) },
    Operation("Promise.forEach(_:on main:_:)") { scene in
      Promise.forEach(scene.elements, on: .main) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.traverse(_:concurrency:on:_:)") {
      Promise.traverse($0.elements, concurrency: 2, on: $0.context, $0.step())
    },
    Operation("Promise.traverse(_:concurrency:on main:_:)") { scene in
      Promise.traverse(scene.elements, concurrency: 2, on: .main) { [tracked = scene.capture()] _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.using(_:release:on:_:)") { scene in
      Promise.using(
        { [tracked = scene.capture()] in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled(())) }, on: scene.context
      ) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.using(_:release:on main:_:)") { scene in
      Promise.using(
        { [tracked = scene.capture()] in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled(())) }, on: .main
      ) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:on:timers:while:_:)") { scene in
      Promise.retry(attempts: 3, backoff: scene.backoff, on: scene.context, while: scene.predicate()) {
        [tracked = scene.capture()] in tracked.carrying(scene.source)
      }
    },
    Operation("Promise.retry(attempts:backoff:within:on:timers:while:_:)") { scene in
      Promise.retry(
        attempts: 3, backoff: scene.backoff, within: .seconds(9), on: scene.context, while: scene.predicate()
      ) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:on main:timers:while:_:)") { scene in
      let predicate = scene.predicate()
      return Promise.retry(attempts: 3, backoff: scene.backoff, on: .main, while: { predicate($0, $1) }) {
        [tracked = scene.capture()] in tracked.carrying(scene.source)
      }
    },
    Operation("Promise.retry(attempts:backoff:within:on main:timers:while:_:)") { scene in
      let predicate = scene.predicate()
      return Promise.retry(attempts: 3, backoff: scene.backoff, on: .main, while: { predicate($0, $1) }) {
        [tracked = scene.capture()] _ in tracked.carrying(scene.source)
      }
    },
    Operation("Backoff.overridden(by:)") { scene in
      let backoff = scene.backoff.overridden { [tracked = scene.capture()] _ in tracked.carrying(nil) }
      return Promise.retry(attempts: 3, backoff: backoff) { scene.source }
    },
    Operation("Backoff.init(_:)") { scene in
      Promise.retry(attempts: 3, backoff: scene.backoff) { scene.source }
    },
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

  /// Returns a closure for three steps.
  func steps() -> @Sendable () -> Promise<Parcel>? {
    let count = Locked(0)
    return { [source, tracked = capture()] in tracked.carrying(count.increment() > 3 ? nil : source) }
  }

  var backoff: Backoff { Backoff { [tracked = capture()] _ in tracked.carrying(.seconds(1)) } }

  func predicate() -> @Sendable (Int, any Error) -> Bool { { [tracked = capture()] _, _ in tracked.carrying(true) } }
}
