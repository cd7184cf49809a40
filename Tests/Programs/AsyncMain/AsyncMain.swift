import Foundation
import PromiseContexts
import PromiseWaiting

/// State of the main actor.
@MainActor
private final class Screen {
  var lines: [String] = []
}

/// A program with an async `main`, which awaits promises while handlers run on the main actor.
@main
enum AsyncMain {
  @MainActor
  static func main() async throws {
    let screen = Screen()
    let owner = Deferred<Int>()
    let end = owner.promise
      .map(on: .main) { value in
        screen.lines.append("main \(value)")
        return value + 1
      }
      .map { $0 + 1 }
      .tap(on: .main) { screen.lines.append("main \($0)") }
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { owner.fulfill(1) }
    screen.lines.append("awaiting")
    let value = try await end.value
    for line in screen.lines + ["awaited \(value)"] { print(line) }
    let rejected = Promise<Int>.run { throw CancellationError() }
    do {
      _ = try await rejected.value
      exit(1)
    } catch is CancellationError {
      print("threw")
    }
    guard screen.lines.count == 3 else { exit(1) }
    print("wait for the pool:", waiting { Promise.run { 1 } })
    // Only a debug build refuses these waits. In a release build they would hang.
    #if DEBUG
      print("wait for the main actor:", waiting { Promise.run(on: .main) { 1 } })
      print("wait for a chain:", waiting { Promise.run { 1 }.map(on: .main) { $0 }.map { $0 } })
      print(
        "wait for a handler that returns such a promise:",
        waiting { Promise.run { 1 }.then { number in Promise.run(on: .main) { number } } })
      _ = try await Promise<Int>.run(on: .main) { 1 }.value
      print("wait in a handler:", try await Promise.run(on: .main) { waiting { Promise.run(on: .main) { 1 } } }.value)
    #endif
  }

  /// Blocks the main actor until the promise is settled.
  @MainActor
  private static func waiting(for make: () -> Promise<Int>) -> String {
    do {
      // The time is long, so that no wait times out.
      return try "\(make().waitForValue(within: .seconds(600)))"
    } catch WaitError.wouldBlock(let context, _, _) {
      return "refused: \(context)"
    } catch {
      return "\(error)"
    }
  }
}
