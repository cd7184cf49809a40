import LinkFamilies
import PromiseCombinators
import TestSupport

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
    Operation("Promise.repeat(isolatedTo:_:)") { scene in
      let steps = scene.steps()
      return Promise.repeat(isolatedTo: Owner()) { _ in steps() }
    },
    Operation("Promise.chain(_:_:isolatedTo:)") { scene in
      let link: @Sendable (isolated Owner, Parcel) -> Promise<Parcel> = { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
      return Promise.chain(scene.value(), [link, link], isolatedTo: Owner())
    },
    Operation("Promise.forEach(_:isolatedTo:_:)") { scene in
      Promise.forEach(scene.elements, isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.forEach(_:isolatedTo:_:)") { scene in
      Promise.forEach(scene.stream, isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.traverse(_:concurrency:isolatedTo:_:)") { scene in
      Promise.traverse(scene.elements, concurrency: 2, isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.traverse(_:concurrency:isolatedTo:_:)") { scene in
      Promise.traverse(scene.stream, concurrency: 2, isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.using(_:release:isolatedTo:_:)") { scene in
      Promise.using(
        { [tracked = scene.capture()] _ in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _, _ in tracked.carrying(Promise.fulfilled(())) }, isolatedTo: Owner()
      ) { [tracked = scene.capture()] _, _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:isolatedTo:timers:while:_:)") { scene in
      let predicate = scene.predicate()
      return Promise.retry(
        attempts: 3, backoff: scene.backoff, isolatedTo: Owner(), while: { predicate($1, $2) }
      ) { [tracked = scene.capture()] _ in tracked.carrying(scene.source) }
    },
    Operation("Promise.retry(attempts:backoff:within:isolatedTo:timers:while:_:)") { scene in
      let predicate = scene.predicate()
      return Promise.retry(
        attempts: 3, backoff: scene.backoff, within: .seconds(9), isolatedTo: Owner(), while: { predicate($1, $2) }
      ) { [tracked = scene.capture()] _, _ in tracked.carrying(scene.source) }
    },
  ]

  private static let isolatedGates: [Operation] = [
    gate("SerialGate.run(isolatedTo:queuePriority:_:)", SerialGate()) { gate, _, body in
      gate.run(isolatedTo: Owner()) { _ in body() }
    },
    gate("Limit.run(isolatedTo:queuePriority:_:)", Limit(1)) { gate, _, body in
      gate.run(isolatedTo: Owner()) { _ in body() }
    },
    gate("ReadersWriterGate.read(isolatedTo:_:)", ReadersWriterGate()) { gate, _, body in
      gate.read(isolatedTo: Owner()) { _ in body() }
    },
    gate("ReadersWriterGate.write(isolatedTo:_:)", ReadersWriterGate()) { gate, _, body in
      gate.write(isolatedTo: Owner()) { _ in body() }
    },
    gate("SingleFlight.run(_:isolatedTo:_:)", SingleFlight<Int, Parcel>()) { gate, _, body in
      gate.run(1, isolatedTo: Owner()) { _ in body() }
    },
    gate("ValueCache.value(for:isolatedTo:_:)", ValueCache<Int, Parcel>()) { cache, _, body in
      cache.value(for: 1, isolatedTo: Owner()) { _ in body() }
    },
    gate("SingleFlight.asyncRun(_:priority:_:)", SingleFlight<Int, Parcel>()) { gate, _, body in
      gate.asyncRun(1) { try await body().value(cancelsSource: true) }
    },
    gate("RateLimit.run(isolatedTo:queuePriority:_:)", RateLimit(1, per: .seconds(1))) { limit, _, body in
      limit.run(isolatedTo: Owner()) { _ in body() }
    },
    gate("RateLimit.asyncRun(priority:queuePriority:_:)", RateLimit(1, per: .seconds(1))) { limit, _, body in
      limit.asyncRun { try await body().value(cancelsSource: true) }
    },
  ]

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
