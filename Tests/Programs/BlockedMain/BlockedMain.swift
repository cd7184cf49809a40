import Foundation
import PromiseContexts

private actor Ledger {
  private var lines = 0
  func write() -> Int {
    lines += 1
    return lines
  }
}

/// A program with the shape of a server. Its main thread waits, and no thread serves the main queue. Every context that
/// does not need the main queue must work.
@main
enum BlockedMain {
  static func main() {
    let done = DispatchSemaphore(value: 0)
    let serial = DispatchQueue(label: "serial")
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let ledger = Ledger()
    let owner = Deferred<[String]>()
    owner.promise
      .map { $0 + place("pool") }
      .map(on: serial) { $0 + place("queue") }
      .map(on: concurrent) { $0 + place("concurrent queue") }
      .map(on: .concurrent(concurrent)) { $0 + place(".concurrent") }
      .map(on: .global()) { $0 + place(".global") }
      .map(isolatedTo: ledger) { ledger, seen in seen + place("actor \(ledger.write())") }
      .then { seen in Promise.task { seen + place("task") } }
      .then { seen in
        Promise { deferred in
          DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { deferred.fulfill(seen + place("second timer")) }
        }
      }
      .onSettled(on: serial) { result in
        for line in (try? result.get()) ?? ["rejected"] { print(line) }
        done.signal()
      }
    DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { owner.fulfill(place("timer")) }
    done.wait()
  }

  /// Returns the name as a list. The caller must not be on the main thread. That thread is blocked, so the handler
  /// would run inside a call.
  private static func place(_ name: String) -> [String] {
    guard !Thread.isMainThread else { fatalError("\(name) on the main thread") }
    return [name]
  }
}
