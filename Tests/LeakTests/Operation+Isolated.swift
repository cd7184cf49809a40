import PromiseCombinators
import PromiseGates

/// An actor on which closures run.
actor Owner {}

extension Operation {
  /// Operations that run their closures on an actor.
  static let isolated: [Operation] = isolatedSequences + isolatedGates + isolatedLazies

  private static let isolatedSequences: [Operation] = [
    Operation("Promise.reduce(_:isolatedTo:_:)") { scene in
      scene.source.reduce(scene.elements, isolatedTo: Owner()) { [tracked = scene.capture()] _, _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.reduce(all:isolatedTo:_:)") { scene in
      Promise.reduce(all: [scene.source, scene.source], isolatedTo: Owner()) { [tracked = scene.capture()] _, _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.repeat(isolatedTo:_:)") { scene in
      let steps = scene.steps()
      return Promise.repeat(isolatedTo: Owner()) { _ in steps() }
    },
    Operation("Promise.chain(_:_:isolatedTo:)") { scene in
      let link: @Sendable (isolated Owner, Parcel) -> Promise<Parcel> = scene.isolatedStep()
      return Promise.chain(scene.value(), [link, link], isolatedTo: Owner())
    },
    Operation("Promise.forEach(_:isolatedTo:_:)") {
      Promise.forEach($0.elements, isolatedTo: Owner(), $0.isolatedStep())
    },
    Operation("Promise.forEach(_:isolatedTo:_:)") {
      Promise.forEach($0.stream, isolatedTo: Owner(), $0.isolatedStep())
    },
    Operation("Promise.traverse(_:concurrency:until:isolatedTo:_:)") {
      Promise.traverse($0.elements, concurrency: 2, isolatedTo: Owner(), $0.isolatedStep())
    },
    Operation("Promise.traverse(_:concurrency:until:isolatedTo:_:)") {
      Promise.traverse($0.stream, concurrency: 2, isolatedTo: Owner(), $0.isolatedStep())
    },
    Operation("Promise.using(_:release:isolatedTo:_:)") { scene in
      Promise.using(
        { [tracked = scene.capture()] _ in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _, _ in tracked.carrying(Promise.fulfilled(())) }, isolatedTo: Owner()
      ) { [tracked = scene.capture()] _, _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.using(_:release:isolatedTo:_:)") { scene in
      Promise.using(
        { [tracked = scene.capture()] _ in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _, _, _ in tracked.carrying(Promise.fulfilled(())) },
        isolatedTo: Owner()
      ) { [tracked = scene.capture()] _, _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:until:isolatedTo:timers:while:_:)") { scene in
      let predicate = scene.predicate()
      return Promise.retry(
        attempts: 3, backoff: scene.backoff, isolatedTo: Owner(), while: { predicate($1, $2) }
      ) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:until:isolatedTo:timers:while:_:)") { scene in
      let predicate = scene.predicate()
      return Promise.retry(
        attempts: 3, backoff: scene.backoff, within: .seconds(9), isolatedTo: Owner(), while: { predicate($1, $2) }
      ) { [tracked = scene.capture()] _, _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:until:isolatedTo:timers:carrying:asking:_:)") { scene in
      Promise.retry(
        attempts: 3, backoff: scene.backoff, isolatedTo: Owner(), carrying: scene.value(),
        asking: { [tracked = scene.capture()] _, _, _ in tracked.carrying(.fulfilled(true)) }
      ) { [tracked = scene.capture()] _, _ in tracked.carrying(scene.source) }
    },
  ]

  private static let isolatedGates: [Operation] = [
    gateOnActor("SerialGate.run(isolatedTo:queuePriority:_:)", SerialGate()) { $0.run(isolatedTo: Owner(), $1) },
    gateOnActor("ConcurrencyLimit.run(isolatedTo:queuePriority:_:)", ConcurrencyLimit(1)) {
      $0.run(isolatedTo: Owner(), $1)
    },
    gateOnActor("ReadersWriterGate.read(isolatedTo:_:)", ReadersWriterGate()) { $0.read(isolatedTo: Owner(), $1) },
    gateOnActor("ReadersWriterGate.write(isolatedTo:_:)", ReadersWriterGate()) { $0.write(isolatedTo: Owner(), $1) },
    gateOnActor("SingleFlight.run(for:isolatedTo:_:)", SingleFlight<Int, Parcel>()) {
      $0.run(for: 1, isolatedTo: Owner(), $1)
    },
    gateOnActor("ValueCache.value(for:isolatedTo:_:)", ValueCache<Int, Parcel>()) {
      $0.value(for: 1, isolatedTo: Owner(), $1)
    },
    gate("SingleFlight.asyncRun(for:priority:_:)", SingleFlight<Int, Parcel>()) { gate, _, body in
      gate.asyncRun(for: 1) { try await body().value(cancelsSource: true) }
    },
    gateOnActor("RateLimit.run(isolatedTo:queuePriority:_:)", RateLimit(1, per: .seconds(1))) {
      $0.run(isolatedTo: Owner(), $1)
    },
    gate("RateLimit.asyncRun(priority:queuePriority:_:)", RateLimit(1, per: .seconds(1))) { limit, _, body in
      limit.asyncRun { try await body().value(cancelsSource: true) }
    },
  ]

  private static func gateOnActor<Gate: Sendable>(
    _ name: String, _ make: @escaping @autoclosure @Sendable () -> Gate,
    _ run: @escaping @Sendable (Gate, @escaping @Sendable (isolated Owner) -> Promise<Parcel>) -> Promise<Parcel>
  ) -> Operation { gate(name, make()) { gate, _, body in run(gate) { _ in body() } } }

  private static let isolatedLazies: [Operation] = [
    Operation("LazyPromise.init(isolatedTo:_:)") { scene in
      LazyPromise<Parcel>(isolatedTo: Owner()) { [tracked = scene.capture()] in
        tracked.carrying($1).follow(scene.source)
      }
      .promise
    },
    Operation("LazyPromise.run(isolatedTo:_:)") { scene in
      LazyPromise.run(isolatedTo: Owner()) { [tracked = scene.capture()] _ in tracked.carrying(scene.value()) }.promise
    },
    Operation("LazyPromise.adopting(isolatedTo:_:)") { scene in
      LazyPromise.adopting(isolatedTo: Owner()) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
        .promise
    },
  ]
}

extension Scene {
  /// Returns a closure for an actor that returns the scene's promise.
  func isolatedStep<Argument>() -> @Sendable (isolated Owner, Argument) -> Promise<Parcel> {
    { [source, tracked = capture()] _, _ in tracked.carrying(source) }
  }
}
