import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

// Contains the Swift blocks of README.md, word for word. `Scripts/check-snippets.py` compares them. The declarations that they
// use are below.

/// Tests that the example of README.md has the effects that the text describes.
@Suite("The example of the README") struct ReadmeTests {
  private let disk = Disk()

  func load(_ name: String) -> Promise<String> {
    Promise { deferred in
      let reading = read(name, completion: deferred.resolve)  // a callback becomes a promise
      deferred.onCancel { [weak reading] _ in reading?.stop() }  // the text is not wanted any more
    }
  }

  func show(_ name: String, on screen: Screen) -> Promise<String> {
    load(name)
      .map { try User(text: $0) }  // runs on a background thread; a throw rejects
      .then { user in load(user.picture) }  // waits for another promise
      .tap(on: .main) { screen.picture = $0 }  // without `on: .main` this would not compile
      .catchFailure(on: .main) { screen.message = "\($0)" }  // sees every error from above, but no cancellation
  }

  @Test @MainActor func leavingStopsTheReading() throws {
    try TestWorld.run { world in
      let shown = show("ada", on: Screen())
      world.runUntilIdle()
      #expect(disk.namesInReading == ["ada"])
      shown.cancel(upstream: true)  // the user leaves
      #expect(disk.namesInReading.isEmpty)
    }
  }

  @Test("The example shows the picture", .rule("2.6"))
  @MainActor func showsPicture() throws {
    try TestWorld.run { world in
      let screen = Screen()
      let shown = show("ada", on: screen)
      disk.answer("ada", "ada.png")
      world.runUntilIdle()
      disk.answer("ada.png", "a picture")
      world.runUntilIdle()
      #expect(shown.state.value == "a picture")
      #expect(screen.picture == "a picture")
      #expect(screen.message.isEmpty)
    }
  }

  @Test("The example shows nothing to a user who has left", .rule("2.5"))
  @MainActor func showsNoCancellation() throws {
    try TestWorld.run { world in
      let screen = Screen()
      let shown = show("ada", on: screen)
      world.runUntilIdle()
      shown.cancel(upstream: true)
      world.runUntilIdle()
      #expect(shown.isCancelled)
      #expect(screen.message.isEmpty)
    }
  }

  @Test("The example shows an error from anywhere in the chain", .rule("2.3"), arguments: [false, true])
  @MainActor func showsError(isThrown: Bool) throws {
    try TestWorld.run { world in
      let screen = Screen()
      let shown = show("ada", on: screen)
      disk.answer("ada", isThrown ? "" : nil, isThrown ? nil : TestError(404))
      world.runUntilIdle()
      #expect(shown.isRejected)
      #expect(screen.picture.isEmpty)
      #expect(screen.message == "TestError(number: 404)")
    }
  }

  // MARK: - Declarations of the examples

  @MainActor final class Screen {
    var picture = ""
    var message = ""
  }

  private func read(_ name: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) -> Disk.Reading {
    disk.read(name, completion: completion)
  }
}

private struct User {
  let picture: String

  init(text: String) throws {
    guard !text.isEmpty else { throw TestError(404) }
    picture = text
  }
}

/// A disk whose readings the test settles. It retains the readings until they end.
private final class Disk: Sendable {
  final class Reading: Sendable {
    let name: String
    let completion: @Sendable (String?, (any Error)?) -> Void
    let disk: Disk

    init(_ name: String, from disk: Disk, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
      (self.name, self.disk, self.completion) = (name, disk, completion)
    }

    func stop() { disk.readings.withLock { $0[name] = nil } }
  }

  private let readings = Locked<[String: Reading]>([:])

  var namesInReading: [String] { readings.withLock { Array($0.keys) } }

  func read(_ name: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) -> Reading {
    let reading = Reading(name, from: self, completion: completion)
    readings.withLock { $0[name] = reading }
    return reading
  }

  func answer(_ name: String, _ text: String?, _ error: TestError? = nil) {
    readings.withLock { $0.removeValue(forKey: name) }?.completion(text, error)
  }
}
