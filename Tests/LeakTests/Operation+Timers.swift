import PromiseCombinators

extension Operation {
  /// Operations that wait for a time. An hour passes in the scene's world.
  static let timers: [Operation] = [
    Operation("Promise.after(_:timers:)") { _ in Promise<Void>.after(.seconds(1)) },
    Operation("Promise.after(_:fulfill:timers:)") { Promise.after(.seconds(1), fulfill: $0.value()) },
    Operation("Promise.after(_:reject:timers:)") { Promise<Parcel>.after(.seconds(1), reject: $0.error()) },
    Operation("Promise.delay(_:timers:)") { $0.source.delay(.seconds(1)) },
    Operation(
      "Promise.timeout(_:error:cancelsSource:timers:)",
      many: { scene in
        [scene.source.timeout(.seconds(1), error: scene.error()), scene.source.timeout(.seconds(7_200))]
      }
    ),
    Operation(
      "Promise.timeoutOrNil(_:cancelsSource:timers:)",
      many: { scene in [scene.source.timeoutOrNil(.seconds(1)), scene.source.timeoutOrNil(.seconds(7_200))] }
    ),
    timer("TimerContext.schedule(after:_:)") { scene, action in scene.world.clock.schedule(after: .seconds(1), action)
    },
    timer("StandardTimers.schedule(after:from:_:)") { _, action in
      StandardTimers.standard.schedule(after: .seconds(1), from: CreationSite(), action)
    },
  ]

  /// An operation that starts two timers and cancels one of them. The other timer fires.
  private static func timer(
    _ name: String, _ schedule: @escaping @Sendable (Scene, @escaping @Sendable () -> Void) -> any ScheduledTimer
  ) -> Operation {
    Operation(doing: name) { scene in
      let timers = (0..<2).map { _ in schedule(scene) { [tracked = scene.capture()] in tracked.carrying(()) } }
      timers[0].cancel()
      for timer in timers { scene.keep(timer) }
    }
  }
}
