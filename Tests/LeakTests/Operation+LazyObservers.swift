// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
import PromiseCombinators

extension Operation {
  static let lazyObservers: [Operation] = [
    lazy("LazyPromise.onFulfilled(on:_:)") { lazy, scene in
      lazy.onFulfilled(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onFulfilled(on main:_:)") { lazy, scene in
      lazy.onFulfilled(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onFulfilled(isolatedTo:_:)") { lazy, scene in
      lazy.onFulfilled(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onRejected(on:_:)") { lazy, scene in
      lazy.onRejected(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onRejected(on main:_:)") { lazy, scene in
      lazy.onRejected(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onRejected(isolatedTo:_:)") { lazy, scene in
      lazy.onRejected(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onFailed(on:_:)") { lazy, scene in
      lazy.onFailed(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onFailed(on main:_:)") { lazy, scene in
      lazy.onFailed(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onFailed(isolatedTo:_:)") { lazy, scene in
      lazy.onFailed(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onSettled(on:_:)") { lazy, scene in
      lazy.onSettled(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onSettled(on main:_:)") { lazy, scene in
      lazy.onSettled(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onSettled(isolatedTo:_:)") { lazy, scene in
      lazy.onSettled(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onProgress(on:_:)") { lazy, scene in
      lazy.onProgress(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onProgress(on main:_:)") { lazy, scene in
      lazy.onProgress(on: .main) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    },
    lazy("LazyPromise.onProgress(isolatedTo:_:)") { lazy, scene in
      lazy.onProgress(isolatedTo: Owner()) { [tracked = scene.capture()] _, _ in tracked.carrying(()) }
    },
  ]
}
