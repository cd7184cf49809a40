import PromiseCombinators

extension Operation {
  /// Operations that read an asynchronous sequence or call async closures repeatedly.
  static let async: [Operation] = [
    Operation("Promise.forEach(_:on:_:)") { Promise.forEach($0.stream, on: $0.context, $0.step()) },
    Operation("Promise.forEach(_:on main:_:)") { Promise.forEach($0.stream, on: .main, $0.step()) },
    Operation("Promise.traverse(_:concurrency:until:on:_:)") {
      Promise.traverse($0.stream, concurrency: 2, on: $0.context, $0.step())
    },
    Operation("Promise.traverse(_:concurrency:until:on main:_:)") {
      Promise.traverse($0.stream, concurrency: 2, on: .main, $0.step())
    },
    Operation("Promise.asyncTraverse(_:concurrency:priority:_:)") { scene in
      Promise.asyncTraverse(scene.elements, concurrency: 2) { [tracked = scene.capture()] _ in
        try await tracked.carrying(scene.source).value(cancelsSource: true)
      }
    },
    Operation("Promise.asyncTraverse(_:concurrency:priority:_:)") { scene in
      Promise.asyncTraverse(scene.stream, concurrency: 2) { [tracked = scene.capture()] _ in
        try await tracked.carrying(scene.source).value(cancelsSource: true)
      }
    },
    Operation("Promise.asyncUsing(_:release:priority:_:)") { scene in
      Promise.asyncUsing(
        { [tracked = scene.capture()] in try await tracked.carrying(scene.source).value },
        release: { [tracked = scene.capture()] _ in withExtendedLifetime(tracked) {} }
      ) { [tracked = scene.capture()] _ in try await tracked.carrying(scene.source).value }
    },
    Operation("Promise.asyncUsing(_:release:priority:_:)") { scene in
      Promise.asyncUsing(
        { [tracked = scene.capture()] in try await tracked.carrying(scene.source).value },
        release: { [tracked = scene.capture()] _, _ in withExtendedLifetime(tracked) {} }
      ) { [tracked = scene.capture()] _ in try await tracked.carrying(scene.source).value }
    },
    Operation("Promise.asyncRetry(attempts:backoff:within:priority:timers:while:_:)") { scene in
      Promise.asyncRetry(attempts: 3, backoff: scene.backoff) { [tracked = scene.capture()] in
        try await tracked.carrying(scene.source).value(cancelsSource: true)
      }
    },
    Operation("Promise.asyncRetry(attempts:backoff:within:priority:timers:while:_:)") { scene in
      Promise.asyncRetry(attempts: 3, backoff: scene.backoff, within: .seconds(9)) { [tracked = scene.capture()] _ in
        try await tracked.carrying(scene.source).value(cancelsSource: true)
      }
    },
  ]
}

extension Scene {
  /// A sequence of three values.
  var stream: AsyncStream<Parcel> {
    let elements = elements
    return AsyncStream { continuation in
      for element in elements { continuation.yield(element) }
      continuation.finish()
    }
  }
}
