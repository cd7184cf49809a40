import Dispatch
import PromiseContexts
import TestSupport
import Testing

// The Swift block of README.md, word for word. `make lint` checks that it is here. The declarations that it uses are below.

func load(_ name: String) -> Promise<String> {
  Promise { deferred in read(name, completion: deferred.resolve) }  // a callback becomes a promise
}

func show(_ name: String, on screen: Screen) {
  load(name)
    .map { try User(text: $0) }  // runs on a background thread; a throw rejects
    .then { user in load(user.picture) }  // waits for another promise
    .tap(on: .main) { screen.picture = $0 }  // without `on: .main` this would not compile
    .catch(on: .main) { screen.message = "\($0)" }  // sees every error from above
}

/// The example of README.md does what it says.
@Suite("README", .bounded)
struct ReadmeTests {
  @Test("the first example shows the picture on the main actor")
  func showsPicture() async {
    let screen = Screen()
    await screen.waiting { show("ada", on: screen) }
    #expect(await screen.picture == "ada.png, as text")
    #expect(await screen.message.isEmpty)
  }

  @Test("the first example shows an error from anywhere in the chain")
  func showsError() async {
    let screen = Screen()
    await screen.waiting { show("nobody", on: screen) }
    #expect(await screen.picture.isEmpty)
    #expect(await screen.message == "TestError(number: 404)")
  }
}

// MARK: - What the examples use

@MainActor
final class Screen {
  var picture = "" { didSet { changed?.resume() } }
  var message = "" { didSet { changed?.resume() } }
  private var changed: CheckedContinuation<Void, Never>?

  /// Returns when a change of the picture or the message has followed.
  func waiting(for action: () -> Void) async {
    await withCheckedContinuation {
      changed = $0
      action()
    }
    changed = nil
  }
}

private struct User {
  let picture: String

  init(text: String) throws {
    guard text != "unknown" else { throw TestError(404) }
    picture = "ada.png"
  }
}

private func read(_ name: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
  DispatchQueue.global().async { completion(name == "nobody" ? "unknown" : "\(name), as text", nil) }
}
