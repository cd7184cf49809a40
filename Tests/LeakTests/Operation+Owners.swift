import PromiseCombinators

extension Operation {
  /// Operations of owners.
  static let owners: [Operation] =
    settling + resolving + hooked + [
      Operation("Deferred.init()") { scene in Deferred<Parcel>().promise },
      Operation("Deferred.init(cancelsWithoutClients:)") { scene in
        let owner = Deferred<Parcel>(cancelsWithoutClients: true)
        owner.onCancel { [tracked = scene.capture()] _ in tracked.carrying(()) }
        owner.follow(scene.source)
        return owner.promise
      },
      Operation("Promise.deferred()") { scene in
        let owner = Promise<Parcel>.deferred()
        owner.follow(scene.source)
        return owner.promise
      },
      Operation("Deferred.onCancel(_:)") { scene in
        let owner = Deferred<Parcel>()
        for _ in 0..<3 { owner.onCancel { [tracked = scene.capture()] _ in tracked.carrying(()) } }
        owner.follow(scene.source)
        let settled = Deferred<Parcel>()
        settled.fulfill(scene.value())
        settled.onCancel { [tracked = scene.capture()] _ in tracked.carrying(()) }
        scene.keep(settled)
        return owner.promise
      },
      Operation("AnyPromise.whenFinished()") { scene in scene.source.whenFinished() },
      Operation("Deferred.timeout(_:timers:)") { scene in
        let owner = Deferred<Parcel>()
        owner.timeout(.seconds(10))
        owner.follow(scene.source)
        scene.keep(owner)
        return owner.promise
      },
      Operation("Deferred.report(progress:)") { scene in
        scene.source.onProgress(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
        scene.deferred?.report(progress: 0.5)
        return scene.source
      },
    ]

  /// An operation that settles an owner twice with a value or an error of the scene. The scene retains the owner.
  private static func settling<Value: Sendable>(
    _ name: String, _ type: Value.Type, _ body: @escaping @Sendable (Deferred<Value>, Scene) -> Void
  ) -> Operation {
    Operation(name) { scene in
      let owner = Deferred<Value>()
      for _ in 0..<2 { body(owner, scene) }
      scene.keep(owner)
      return owner.promise
    }
  }

  /// An operation that adds a hook with a tracked object to an owner. The owner follows the scene's promise.
  private static func hooked(
    _ name: String, _ add: @escaping @Sendable (Deferred<Parcel>, Scene) -> Void
  ) -> Operation {
    Operation(name) { scene in
      let owner = Deferred<Parcel>()
      add(owner, scene)
      owner.follow(scene.source)
      return owner.promise
    }
  }

  private static let hooked: [Operation] = [
    hooked("Deferred.onCancel(on:_:)") { owner, scene in
      owner.onCancel(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    hooked("Deferred.onEnd(_:)") { owner, scene in
      for _ in 0..<3 { owner.onEnd { [tracked = scene.capture()] _ in tracked.carrying(()) } }
    },
    hooked("Deferred.onEnd(on:_:)") { owner, scene in
      owner.onEnd(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    hooked("Deferred.onCancelThen(_:)") { owner, scene in
      owner.onCancelThen { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled()) }
    },
    hooked("Deferred.onCancelThen(on:_:)") { owner, scene in
      owner.onCancelThen(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled()) }
    },
    hooked("Deferred.onCancelThen(on main:_:)") { owner, scene in
      owner.onCancelThen(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled()) }
    },
    hooked("Deferred.onEndThen(_:)") { owner, scene in
      owner.onEndThen { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled()) }
    },
    hooked("Deferred.onEndThen(on:_:)") { owner, scene in
      owner.onEndThen(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled()) }
    },
    hooked("Deferred.onEndThen(on main:_:)") { owner, scene in
      owner.onEndThen(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(Promise.fulfilled()) }
    },
    hooked("Deferred.asyncOnCancel(priority:_:)") { owner, scene in
      owner.asyncOnCancel { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    hooked("Deferred.asyncOnEnd(priority:_:)") { owner, scene in
      owner.asyncOnEnd { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    hooked("Deferred.onCancel(on main:_:)") { owner, scene in
      owner.onCancel(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    hooked("Deferred.onEnd(on main:_:)") { owner, scene in
      owner.onEnd(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    hooked("Deferred.onCancel(isolatedTo:_:)") { owner, scene in
      owner.onCancel(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
    hooked("Deferred.onEnd(isolatedTo:_:)") { owner, scene in
      owner.onEnd(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
  ]

  private static let settling: [Operation] = [
    settling("Deferred.follow(_:)", Parcel.self) { $0.follow($1.source) },
    settling("Deferred.fulfill()", Void.self) { owner, _ in owner.fulfill() },
    settling("Deferred.fulfill(_:)", Parcel.self) { $0.fulfill($1.value()) },
    settling("Deferred.reject(_:)", Parcel.self) { _ = $0.reject($1.error()) as Bool },
    settling("Deferred.reject(_:)", Parcel.self) { ($0.reject as (any Error) -> Void)($1.error()) },
    settling("Deferred.settle(_:)", Parcel.self) { $0.settle(.failure($1.error())) },
  ]

  private static let resolving: [Operation] = [
    settling("Deferred.resolve()", Void.self) { owner, _ in owner.resolve() },
    settling("Deferred.resolve(_:)", Void.self) { $0.resolve(Optional($1.error())) },
    settling("Deferred.resolve(_:)", Parcel.self) { $0.resolve($1.value()) },
    settling("Deferred.resolve(_:)", Parcel.self) { $0.resolve(Result<Parcel, ParcelError>.failure($1.error())) },
    settling("Deferred.resolve(_:_:)", Parcel.self) { $0.resolve(nil, Optional($1.value())) },
    settling("Deferred.resolve(_:_:)", Bool.self) { $0.resolve(true, $1.error()) },
    settling("Deferred.resolve(_:_:)", Parcel.self) { $0.resolve(Optional($1.value()), nil) },
    settling("Deferred.resolve(_:_:)", Parcel?.self) { $0.resolve(nil as (any Error)?, Optional($1.value())) },
    settling("Deferred.resolve(_:_:)", Parcel?.self) { $0.resolve(Optional($1.value()), nil as (any Error)?) },
    settling("Deferred.resolve(_:_:_:)", (Parcel, Parcel).self) { $0.resolve($1.value(), $1.value(), nil) },
  ]
}
