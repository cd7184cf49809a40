import Dispatch

/// Loops in Swift concurrency whose steps are done elsewhere. Each step is a task whose value the loop awaits.
enum StepTasks {
  static func measureOnPool(_ count: Int) throws -> Double {
    try measure(count) {
      var number = 0
      while number < count { number = await Task { [number] in number + 1 }.value }
      return number
    }
  }

  static func measureInActor(_ count: Int) throws -> Double {
    try measure(count) { await Looping().loop(count) }
  }

  /// Runs the loop, and returns nanoseconds per step. The value that arrives counts the steps.
  private static func measure(_ count: Int, loop: @escaping @Sendable () async -> Int) throws -> Double {
    try checkingTally(count, of: "loop of tasks") {
      Stopwatch.nanoseconds(per: count) {
        let done = DispatchSemaphore(value: 0)
        Task.detached { finish(await loop(), signalling: done) }
        done.wait()
      }
    }
  }

  /// An actor in place of the serial queue.
  private actor Looping {
    private var number = 0

    func loop(_ count: Int) async -> Int {
      while number < count { await Task { step() }.value }
      return number
    }

    private func step() { number += 1 }
  }
}
