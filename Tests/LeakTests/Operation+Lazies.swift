import PromiseCombinators

extension Operation {
  /// Operations that make a lazy promise or use one before it starts.
  static let lazies: [Operation] =
    lazyMaking + lazyLinks + lazyObservers + [
      Operation("LazyPromise.start()") { scene in
        let lazy = scene.lazy()
        lazy.start()
        return lazy.promise
      },
      Operation("LazyPromise.cancel()") { scene in
        let lazy = scene.lazy()
        lazy.cancel()
        return lazy.promise
      },
      Operation("LazyPromise.cancel(reason:upstream:)") { scene in
        let lazy = scene.lazy()
        lazy.cancel(reason: scene.error(), upstream: true)
        return lazy.promise
      },
    ]

  private static let lazyMaking: [Operation] = [
    Operation("LazyPromise.init(on:_:)") { scene in
      LazyPromise<Parcel>(on: scene.context) { [tracked = scene.capture()] in tracked.carrying($0).follow(scene.source)
      }.promise
    },
    Operation("LazyPromise.init(on main:_:)") { scene in
      LazyPromise<Parcel>(on: .main) { [tracked = scene.capture()] in tracked.carrying($0).follow(scene.source) }
        .promise
    },
    Operation("LazyPromise.run(on:_:)") { scene in
      LazyPromise.run(on: scene.context) { [tracked = scene.capture()] in tracked.carrying(scene.value()) }.promise
    },
    Operation("LazyPromise.run(on main:_:)") { scene in
      LazyPromise.run(on: .main) { [tracked = scene.capture()] in tracked.carrying(scene.value()) }.promise
    },
    Operation("LazyPromise.adopting(on:_:)") { $0.lazy().promise },
    Operation("LazyPromise.adopting(on main:_:)") { LazyPromise.adopting(on: .main, $0.body()).promise },
  ]

  private static let lazyLinks: [Operation] = [
    Operation("LazyPromise.map(on:to:_:)") { scene in
      scene.lazy().map(on: scene.context) { [tracked = scene.capture()] in tracked.carrying($0) }.promise
    },
    Operation("LazyPromise.then(on:to:_:)") { $0.lazy().then(on: $0.context, $0.step()).promise },
    Operation("LazyPromise.recover(on:_:)") { scene in
      scene.lazy().recover(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(scene.value()) }
        .promise
    },
    Operation("LazyPromise.rescue(on:_:)") { $0.lazy().rescue(on: $0.context, $0.step()).promise },
    Operation("LazyPromise.derive(_:)") { scene in
      scene.lazy().derive { [tracked = scene.capture()] in tracked.carrying($0) }.promise
    },
  ]

  /// Makes two lazy promises and attaches an observer to each of them.
  static func lazy(_ name: String, _ observe: @escaping @Sendable (LazyPromise<Parcel>, Scene) -> Void) -> Operation {
    Operation(
      name,
      many: { scene in
        (0..<2).map { _ in
          let lazy = scene.lazy()
          observe(lazy, scene)
          let promise = lazy.promise
          // The observer keeps the work going if this client gives up (rule 4.6). Then the lazy promise is cancelled.
          promise.onRejected(on: scene.context) { _ in lazy.cancel() }
          return promise
        }
      })
  }
}

extension Scene {
  /// Returns a lazy promise that adopts the scene's promise when it starts.
  func lazy() -> LazyPromise<Parcel> {
    LazyPromise.adopting(on: context, body())
  }
}
