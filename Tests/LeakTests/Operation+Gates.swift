import PromiseGates

extension Operation {
  /// Operations of gates that admit closures. The scene retains the gate, and each closure returns the scene's promise.
  static let gates: [Operation] = [
    gate("SerialGate.run(on:queuePriority:_:)", SerialGate()) { $0.run(on: $1.context, $2) },
    gate("SerialGate.run(on main:queuePriority:_:)", SerialGate()) { $0.run(on: .main, $2) },
    gate("SerialGate.asyncRun(priority:queuePriority:_:)", SerialGate()) { gate, _, body in
      gate.asyncRun { try await body().value }
    },
    gate("ConcurrencyLimit.asyncRun(priority:queuePriority:_:)", ConcurrencyLimit(1)) { gate, _, body in
      gate.asyncRun(queuePriority: 1) { try await body().value }
    },
    gate("ReadersWriterGate.asyncRead(priority:_:)", ReadersWriterGate()) { gate, _, body in
      gate.asyncRead { try await body().value }
    },
    gate("ReadersWriterGate.asyncWrite(priority:_:)", ReadersWriterGate()) { gate, _, body in
      gate.asyncWrite { try await body().value }
    },
    gate("ConcurrencyLimit.run(on:queuePriority:_:)", ConcurrencyLimit(1, waitingAtMost: .seconds(1))) {
      $0.run(on: $1.context, queuePriority: 1, $2)
    },
    gate("ConcurrencyLimit.run(on main:queuePriority:_:)", ConcurrencyLimit(1)) { $0.run(on: .main, $2) },
    gate("RateLimit.run(on:queuePriority:_:)", RateLimit(1, per: .seconds(1))) { $0.run(on: $1.context, $2) },
    gate("RateLimit.run(on main:queuePriority:_:)", RateLimit(1, per: .seconds(1))) { $0.run(on: .main, $2) },
    gate("ReadersWriterGate.read(on:_:)", ReadersWriterGate()) { $0.read(on: $1.context, $2) },
    gate("ReadersWriterGate.read(on main:_:)", ReadersWriterGate()) { $0.read(on: .main, $2) },
    gate("ReadersWriterGate.write(on:_:)", ReadersWriterGate()) { $0.write(on: $1.context, $2) },
    gate("ReadersWriterGate.write(on main:_:)", ReadersWriterGate()) { $0.write(on: .main, $2) },
    gate("SingleFlight.run(for:on:_:)", SingleFlight<Int, Parcel>()) { $0.run(for: 1, on: $1.context, $2) },
    gate("SingleFlight.run(for:on main:_:)", SingleFlight<Int, Parcel>()) { $0.run(for: 1, on: .main, $2) },
    guests("SerialGate.whenIdle()", SerialGate()) { [$0.run(on: $1.context, $2), $0.whenIdle()] },
    guests("SerialGate.whenEmpty()", SerialGate()) { [$0.run(on: $1.context, $2), $0.whenEmpty()] },
    guests("SerialGate.whenRoom()", SerialGate(queueLimit: 1)) { [$0.run(on: $1.context, $2), $0.whenRoom()] },
    guests("ConcurrencyLimit.whenIdle()", ConcurrencyLimit(1)) { [$0.run(on: $1.context, $2), $0.whenIdle()] },
    guests("ConcurrencyLimit.whenEmpty()", ConcurrencyLimit(1)) { [$0.run(on: $1.context, $2), $0.whenEmpty()] },
    guests("ConcurrencyLimit.whenRoom()", ConcurrencyLimit(1, queueLimit: 1)) {
      [$0.run(on: $1.context, $2), $0.whenRoom()]
    },
    guests("ReadersWriterGate.whenIdle()", ReadersWriterGate()) { [$0.write(on: $1.context, $2), $0.whenIdle()] },
    guests("ReadersWriterGate.whenEmpty()", ReadersWriterGate()) { [$0.write(on: $1.context, $2), $0.whenEmpty()] },
    guests("ReadersWriterGate.whenRoom()", ReadersWriterGate(queueLimit: 1)) {
      [$0.write(on: $1.context, $2), $0.whenRoom()]
    },
    guests("RateLimit.whenIdle()", RateLimit(1, per: .seconds(1))) { [$0.run(on: $1.context, $2), $0.whenIdle()] },
    guests("RateLimit.whenRoom()", RateLimit(1, per: .seconds(1), queueLimit: 0)) {
      [$0.run(on: $1.context, $2), $0.whenRoom()]
    },
    gate("ValueCache.value(for:on:_:)", ValueCache<Int, Parcel>()) { $0.value(for: 1, on: $1.context, $2) },
    gate("ValueCache.value(for:on main:_:)", ValueCache<Int, Parcel>()) { $0.value(for: 1, on: .main, $2) },
    gate("ValueCache.asyncValue(for:priority:_:)", ValueCache<Int, Parcel>()) { cache, _, body in
      cache.asyncValue(for: 1) { try await body().value(cancelsSource: true) }
    },
    Operation("ValueCache.init(lifetime:staleWhileRevalidating:limit:timers:label:cost:)") { scene in
      let cache = ValueCache<Int, Parcel> { [tracked = scene.capture()] _ in tracked.carrying(1) }
      return cache.value(for: 1, on: scene.context, scene.body())
    },
    gate("ValueCache.cachedValue(for:)", ValueCache<Int, Parcel>(lifetime: .zero, staleWhileRevalidating: .seconds(1)))
    {
      cache, scene, body in
      _ = cache.cachedValue(for: 1)
      return cache.value(for: 1, on: scene.context, body)
    },
    gate("ValueCache.removeValue(for:)", ValueCache<Int, Parcel>(limit: 0)) { cache, scene, body in
      cache.removeValue(for: 1)
      return cache.value(for: 1, on: scene.context, body)
    },
    gate("ValueCache.removeAll()", ValueCache<Int, Parcel>()) { cache, scene, body in
      cache.removeAll()
      return cache.value(for: 1, on: scene.context, body)
    },
  ]

  /// An operation on a gate that the scene retains. The body returns the promises of one or several guests.
  private static func guests<Gate: Sendable>(
    _ name: String, _ make: @escaping @autoclosure @Sendable () -> Gate,
    _ run: @escaping @Sendable (Gate, Scene, @escaping @Sendable () -> Promise<Parcel>) -> [AnyPromise]
  ) -> Operation {
    Operation(
      name,
      many: { scene in
        let gate = make()
        scene.keep(gate)
        return run(gate, scene, scene.body())
      })
  }

  static func gate<Gate: Sendable>(
    _ name: String, _ make: @escaping @autoclosure @Sendable () -> Gate,
    _ run: @escaping @Sendable (Gate, Scene, @escaping @Sendable () -> Promise<Parcel>) -> Promise<Parcel>
  ) -> Operation {
    guests(name, make()) { gate, scene, _ in (0..<3).map { _ in run(gate, scene, scene.body()) } }
  }
}

extension Scene {
  func body() -> @Sendable () -> Promise<Parcel> { { [source, tracked = capture()] in tracked.carrying(source) } }
}
