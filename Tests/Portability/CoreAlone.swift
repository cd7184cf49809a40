// Uses PromiseCore without Dispatch, with a context of its own and with async code.
import PromiseCore
import Synchronization

/// A context that runs its handlers when the program calls `run()`.
final class Steps: ExecutionContext {
  private let jobs = Mutex<[Job]>([])

  func schedule(_ job: consuming Job) {
    let job = job
    jobs.withLock { $0.append(job) }
  }

  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job.run() }
  }
}

// prints: nothing yet
// prints: The answer is 42.
let steps = Steps()
let answer = Deferred<Int>()
let shown = answer.promise.map(on: steps) { "The answer is \($0)." }.onFulfilled(on: steps) { print($0) }
answer.fulfill(42)
print("nothing yet")
steps.run()

// prints: It was 42.
print(try await answer.promise.asyncMap { "It was \($0)." }.value)

// prints: cancelled
let unwanted = Deferred<Int>()
unwanted.onCancel { _ in print("cancelled") }
unwanted.promise.map(on: steps) { $0 + 1 }.cancel(upstream: true)
_ = shown
