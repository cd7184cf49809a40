import Dispatch
import Foundation
import PromiseContexts

/// What only the main actor touches.
@MainActor
private final class Screen {
  var lines: [String] = []
}

/// An async `main`, which awaits promises while handlers run on the main actor.
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
  }
}
