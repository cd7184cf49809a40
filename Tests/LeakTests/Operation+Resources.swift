import PromiseCombinators

extension Operation {
  /// Operations with values of `Resource`.
  static let resources: [Operation] = uses + inits

  private static let uses: [Operation] = [
    Operation("Promise.using(_:on:_:)") { Promise.using($0.resource(), on: $0.context, $0.step()) },
    Operation("Promise.using(_:on main:_:)") { Promise.using($0.resource(), on: .main, $0.step()) },
    Operation("Promise.using(_:isolatedTo:_:)") {
      Promise.using($0.resource(), isolatedTo: Owner(), $0.isolatedStep())
    },
    Operation("Promise.using(_:_:on:_:)") {
      Promise.using($0.resource(), $0.asyncResource(), on: $0.context, $0.stepWithBoth())
    },
    Operation("Promise.using(_:_:on main:_:)") {
      Promise.using($0.resource(), $0.resource(), on: .main, $0.stepWithBoth())
    },
    Operation("Promise.using(_:_:isolatedTo:_:)") { scene in
      Promise.using(scene.resource(), scene.resource(), isolatedTo: Owner()) { [tracked = scene.capture()] _, _, _ in
        tracked.carrying(scene.source)
      }
    },
    Operation("Promise.asyncUsing(_:priority:_:)") { scene in
      Promise.asyncUsing(scene.resource()) { [tracked = scene.capture()] _ in
        try await tracked.carrying(scene.source).value
      }
    },
    Operation("Promise.asyncUsing(_:_:priority:_:)") { scene in
      Promise.asyncUsing(scene.asyncResource(), scene.resource()) { [tracked = scene.capture()] _, _ in
        try await tracked.carrying(scene.source).value
      }
    },
  ]

  private static let inits: [Operation] = [
    using("Resource.init(_:release:on:)") { $0.resource() },
    using("Resource.init(_:release:on:)") {
      Resource($0.body(), release: $0.releaseWithOutcome() as Release, on: $0.context)
    },
    using("Resource.init(_:release:on main:)") {
      let release: @Sendable (Parcel) -> Promise<Void> = $0.release()
      return Resource($0.body(), release: release, on: .main)
    },
    using("Resource.init(_:release:on main:)") {
      Resource($0.body(), release: $0.releaseWithOutcome() as Release, on: .main)
    },
    using("Resource.init(_:release:isolatedTo:)") { scene in
      Resource(
        { [tracked = scene.capture()] _ in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _, _ in tracked.carrying(Promise.fulfilled(())) }, isolatedTo: Owner())
    },
    using("Resource.init(_:release:isolatedTo:)") { scene in
      Resource(
        { [tracked = scene.capture()] _ in tracked.carrying(scene.source) },
        release: { [tracked = scene.capture()] _, _, _ in tracked.carrying(Promise.fulfilled(())) },
        isolatedTo: Owner())
    },
    using("Resource.init(async:release:)") { $0.asyncResource() },
    using("Resource.init(async:release:)") { scene in
      Resource(
        async: { [tracked = scene.capture()] in try await tracked.carrying(scene.source).value },
        release: { [tracked = scene.capture()] _, _ in withExtendedLifetime(tracked) {} })
    },
  ]

  private typealias Release = @Sendable (Parcel, Result<Void, any Error>) -> Promise<Void>

  /// Returns an operation that uses a resource.
  private static func using(_ name: String, _ resource: @escaping @Sendable (Scene) -> Resource<Parcel>) -> Operation {
    Operation(name) { Promise.using(resource($0), on: $0.context, $0.step()) }
  }
}

extension Scene {
  fileprivate func resource() -> Resource<Parcel> {
    let release: @Sendable (Parcel) -> Promise<Void> = release()
    return Resource(body(), release: release, on: context)
  }

  fileprivate func asyncResource() -> Resource<Parcel> {
    Resource(
      async: { [source, tracked = capture()] in try await tracked.carrying(source).value },
      release: { [tracked = capture()] _ in withExtendedLifetime(tracked) {} })
  }

  /// Returns a closure that takes two resources and returns the scene's promise.
  fileprivate func stepWithBoth() -> @Sendable (Parcel, Parcel) -> Promise<Parcel> {
    { [source, tracked = capture()] _, _ in tracked.carrying(source) }
  }
}
