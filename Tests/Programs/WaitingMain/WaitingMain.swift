import Foundation
import PromiseContexts
import PromiseFoundation
import PromiseWaiting

/// A command-line program that waits for promises on its main thread. Jobs of the main thread run during a wait, or the
/// wait is refused.
@main
enum WaitingMain {
  /// A time that is long enough that none of these waits times out.
  private static let limit = Duration.seconds(600)

  static func main() throws {
    let onMain = Promise.run(on: .main) { 1 }.map { $0 + 1 }.map(on: .main) { $0 + 1 }
    print("chain over main: \(try onMain.waitForValue(within: limit))")

    let owner = Deferred<String>()
    let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in owner.fulfill("fired") }
    print("timer of the run loop: \(try owner.promise.waitForValue(within: limit))")
    timer.invalidate()

    let later = Deferred<Int>()
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { later.reject(CancellationError()) }
    print("rejected: \(try later.promise.waitForError(within: limit))")

    do {
      try Deferred<Int>().promise.shielded().waitForValue(within: .milliseconds(1))
    } catch {
      print("broken: \(error is WaitError)")
    }

    let forgotten = Deferred<Int>()
    do {
      try forgotten.promise.waitForValue(within: .milliseconds(1))
    } catch WaitError.timedOut {
      print("timed out")
    }

    // While a block of the main queue runs, other blocks of it cannot run.
    let nested = Promise.run(on: .main) { () -> [String] in
      let pool = try Promise.run { "pool" }.waitForValue(within: limit)
      do {
        try Promise.run(on: .main) {}.waitForValue(within: limit)
        return [pool, "waited"]
      } catch WaitError.wouldBlock(let context, _, _) {
        return [pool, "refused: \(context)"]
      } catch {
        return [pool, "\(error)"]
      }
    }
    for line in try nested.waitForValue(within: limit) { print("nested: \(line)") }

    // The run loop also runs the handlers on contexts of Foundation that belong to the main thread.
    let source = Deferred<Int>()
    let onThread = source.promise.map(on: .currentThread) { $0 + 1 }.map(on: OperationQueue.main) { $0 + 1 }
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { source.fulfill(1) }
    print("contexts of Foundation: \(try onThread.waitForValue(within: limit))")

    // Inside a handler on such a context, others there cannot run.
    for context in [ThreadContext.current, OperationQueue.main] as [any ExecutionContext] {
      let inner = forgotten.promise.map(on: context) { $0 }
      let nested = Promise.run(on: context) { () -> String in
        do {
          return "waited: \(try inner.waitForValue(within: limit))"
        } catch WaitError.wouldBlock {
          return "refused"
        } catch {
          return "\(error)"
        }
      }
      print("inside: \(try nested.waitForValue(within: limit))")
      inner.cancel()
    }

    // The hook waits for another one, which code of the run loop causes.
    let outer = Deferred<Int>()
    let stopped = Deferred<Int>()
    outer.onCancel { _ in print("hook: \((try? stopped.promise.waitForValue(within: limit)) ?? 0)") }
    let other = Deferred<Int>()
    other.onCancel { _ in stopped.fulfill(1) }
    let canceller = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in other.promise.cancel() }
    outer.promise.cancel()
    canceller.invalidate()

    // The promise follows `needed` only after the run loop has run. So a wait must check again which contexts the
    // promise needs.
    let (queue, follower) = (DispatchQueue(label: "occupied"), Deferred<Int>())
    let needed = forgotten.promise.map(on: queue) { $0 }
    let following = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in follower.follow(needed) }
    do {
      try queue.sync { _ = try follower.promise.waitForValue(within: limit) }
    } catch WaitError.wouldBlock(let context, _, _) {
      print("later: refused: \(context)")
    }
    following.invalidate()
    withExtendedLifetime(forgotten) {}
  }
}
