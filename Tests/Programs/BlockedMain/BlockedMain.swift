import Dispatch
import Foundation
import PromiseContexts

private actor Ledger {
  private var lines = 0
  func write() -> Int {
    lines += 1
    return lines
  }
}

/// A server's shape: the main thread waits, and nobody serves the main queue. All that does not need it must work.
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

  /// Where it says it is. That must not be the main thread, which is blocked, or the handler ran inside a call.
  private static func place(_ name: String) -> [String] {
    guard !Thread.isMainThread else { fatalError("\(name) on the main thread") }
    return [name]
  }
}
