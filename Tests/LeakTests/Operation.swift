import Testing

/// A call of a public function that takes, retains or passes on payloads or closures. It runs once in a scene.
struct Operation: Sendable, CustomTestStringConvertible {
  /// The name of the function as ``Listing`` writes it.
  let name: String
  /// Calls the function and returns the promises that it made.
  let run: @Sendable (Scene) throws -> [AnyPromise]

  var testDescription: String { name }

  init(_ name: String, many run: @escaping @Sendable (Scene) throws -> [AnyPromise]) {
    (self.name, self.run) = (name, run)
  }

  init(_ name: String, _ run: @escaping @Sendable (Scene) throws -> AnyPromise) {
    (self.name, self.run) = (name, { [try run($0)] })
  }

  init(doing name: String, _ run: @escaping @Sendable (Scene) throws -> Void) {
    self.name = name
    self.run = {
      try run($0)
      return []
    }
  }

  /// Calls the function in a new scene, applies the ending and checks that nothing is leaked. The captures must be
  /// released while the test retains all promises. The payloads must be released with the promises.
  func check(_ ending: Ending) async throws {
    let census: (payloads: Tracked.Census, captures: Tracked.Census)
    do {
      let scene = Scene()
      census = (scene.payloads, scene.captures)
      try scene.world.run {
        for result in try run(scene) { scene.add(result) }
        if ending.needsResult && scene.results.isEmpty { scene.source.cancel() } else { ending.apply(to: scene) }
      }
      scene.run()
      scene.dropKept()
      // A handler releases its captures before its promise is settled (rule 2.4).
      await wait {
        scene.run()
      } until: {
        census.captures.living == 0 && scene.results.allSatisfy { !$0.isPending }
      }
      #expect(census.captures.living == 0, "captured, while the promises are held: \(ending)")
      #expect(scene.results.allSatisfy { !$0.isPending }, "something is pending for ever: \(ending)")
    }
    await wait(until: { census.payloads.living == 0 })
    #expect(census.payloads.living == 0, "values and errors, after all: \(ending)")
  }

  /// Waits for the condition, because other threads may need time to run their handlers.
  private func wait(_ body: () -> Void = {}, until isOver: () -> Bool) async {
    _ = await eventually {
      if isOver() { return true }
      body()
      return false
    }
  }
}
