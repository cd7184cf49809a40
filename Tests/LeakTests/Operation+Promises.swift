extension Operation {
  /// Operations that make one promise, derive a promise from one promise, or are calls of clients.
  static let promises: [Operation] =
    making + ending + bound + [
      Operation("Promise.asVoid()") { $0.source.asVoid() },
      Operation("Promise.shielded()") { $0.source.shielded() },
      Operation("Promise.labeled(_:)") { $0.source.labeled("a") },
      Operation("PromiseOnContext.labeled(_:)") { $0.source.on($0.context).labeled("a").promise },
      Operation("PromiseOnMain.labeled(_:)") { $0.source.on(.main).labeled("a").promise },
      Operation("PromiseOnActor.labeled(_:)") { $0.source.on(isolatedTo: Owner()).labeled("a").promise },
      Operation("PromiseOnContext.asVoid()") { $0.source.on($0.context).asVoid().promise },
      Operation("PromiseOnContext.shielded()") { $0.source.on($0.context).shielded().promise },
      Operation("PromiseOnMain.asVoid()") { $0.source.on(.main).asVoid().promise },
      Operation("PromiseOnMain.shielded()") { $0.source.on(.main).shielded().promise },
      Operation("PromiseOnActor.asVoid()") { $0.source.on(isolatedTo: Owner()).asVoid().promise },
      Operation("PromiseOnActor.shielded()") { $0.source.on(isolatedTo: Owner()).shielded().promise },
      Operation("Promise.on(_:)") { $0.source.on($0.context).promise },
      Operation("Promise.on(_ main:)") { $0.source.on(.main).promise },
      Operation("Promise.on(isolatedTo:)") { $0.source.on(isolatedTo: Owner()).promise },
      Operation("PromiseView.on(_:)") { $0.source.on(.main).on($0.context).promise },
      Operation("PromiseView.on(_ main:)") { $0.source.on($0.context).on(.main).promise },
      Operation("PromiseView.on(isolatedTo:)") { $0.source.on(.main).on(isolatedTo: Owner()).promise },
    ]

  private static let making: [Operation] = [
    Operation("Promise.fulfilled(_:)") { Promise.fulfilled($0.value()) },
    Operation("Promise.fulfilled()") { _ in Promise.fulfilled() },
    Operation("Promise.rejected(_:)") { Promise<Parcel>.rejected($0.error()) },
    Operation("Promise.init(_:)") { scene in
      Promise<Parcel> { deferred in
        deferred.onCancel { [tracked = scene.capture()] _ in tracked.carrying(()) }
        deferred.follow(scene.source)
        throw scene.error()
      }
    },
    Operation("Promise.init(catching:)") { scene in Promise<Parcel>(catching: { throw scene.error() }) },
    Operation(
      "Promise.task(priority:_:)",
      many: { scene in
        [
          Promise.task { [tracked = scene.capture()] in tracked.carrying(try await scene.source.value) },
          Promise<Parcel>.task { [tracked = scene.capture()] in throw tracked.carrying(scene.error()) },
        ]
      }),
  ]

  /// An operation on a promise whose handler has captured a tracked object.
  private static func below(_ name: String, _ body: @escaping @Sendable (Promise<Parcel>, Scene) -> Void) -> Operation {
    Operation(name) { scene in
      let result = scene.source.always(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
      body(result, scene)
      return result
    }
  }

  private static let ending: [Operation] = [
    below("AnyPromise.cancel()") { promise, _ in promise.cancel() },
    below("AnyPromise.cancel(reason:upstream:)") { $0.cancel(reason: $1.error(), upstream: true) },
    below("PromiseView.cancel()") { $0.on($1.context).cancel() },
    below("PromiseView.cancel(reason:upstream:)") { $0.on($1.context).cancel(reason: $1.error(), upstream: true) },
  ]

  private static func bound(_ name: String, _ bind: @escaping @Sendable (Promise<Parcel>, Screen, Scene) -> Void)
    -> Operation
  {
    below(name) { promise, scene in
      let screen = Screen(scene.capture())
      bind(promise, screen, scene)
      scene.keep(screen)
    }
  }

  private static let bound: [Operation] = [
    bound("Promise.bound(to:)") { promise, screen, _ in promise.bound(to: screen) },
    bound("Promise.bound(to:)") { promise, screen, _ in promise.bound(to: screen.cancelBag) },
    bound("PromiseOnContext.bound(to:)") { $0.on($2.context).bound(to: $1) },
    bound("PromiseOnContext.bound(to:)") { $0.on($2.context).bound(to: $1.cancelBag) },
    bound("PromiseOnMain.bound(to:)") { promise, screen, _ in promise.on(.main).bound(to: screen) },
    bound("PromiseOnMain.bound(to:)") { promise, screen, _ in promise.on(.main).bound(to: screen.cancelBag) },
    bound("PromiseOnActor.bound(to:)") { promise, screen, _ in promise.on(isolatedTo: Owner()).bound(to: screen) },
    bound("PromiseOnActor.bound(to:)") { promise, screen, _ in
      promise.on(isolatedTo: Owner()).bound(to: screen.cancelBag)
    },
    bound("CancelBag.cancelAll(reason:)") { promise, screen, scene in
      promise.bound(to: screen)
      screen.cancelBag.cancelAll(reason: scene.error())
    },
    bound("CancelBag.close(reason:)") { promise, screen, scene in
      screen.cancelBag.close(reason: scene.error())
      promise.bound(to: screen)
    },
    bound("CancelBag.whenFinished()") { promise, screen, scene in
      promise.bound(to: screen)
      scene.keep(screen.cancelBag.whenFinished())
    },
  ]
}

/// An object that cancels its promises when it is deallocated.
private final class Screen: CancelBagOwner, Sendable {
  let cancelBag = CancelBag()
  private let tracked: Tracked

  init(_ tracked: Tracked) { self.tracked = tracked }
}
