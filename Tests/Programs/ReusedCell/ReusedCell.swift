import Dispatch
import Foundation
import PromiseCombinators

/// A cell of a list and a form, as in two recipes, on a main thread that runs its run loop. An answer comes while that
/// thread is busy. So its handler is queued when the cell or the form asks for something else (rule 2.5).
@main @MainActor
enum ReusedCell {
  private static let rounds = 100

  static func main() {
    DispatchQueue.main.async { MainActor.assumeIsolated { play(rounds) } }
    RunLoop.main.run()
    exit(2)
  }

  private static let cell = Cell()
  private static let form = Form()

  /// Plays a round, and the next one when the handlers of this one would have run.
  private static func play(_ left: Int) {
    if left == 0 {
      for (name, log) in [("cell", cell.shown), ("form", form.shown)] {
        print("\(name): \(log.filter { $0 == "new" }.count) new, \(log.filter { $0 != "new" }.count) stale")
      }
      exit(0)
    }
    for isFailure in [false, true] {
      cell.show(answer(isFailure ? .failure(NoAnswer()) : .success("old")))
      form.check(answer(isFailure ? .failure(NoAnswer()) : .success("old")))
    }
    cell.show(answer(.success("new")))
    form.check(answer(.success("new")))
    // Behind the handlers that are queued on the main queue.
    DispatchQueue.main.async { MainActor.assumeIsolated { play(left - 1) } }
  }

  private struct NoAnswer: Error {}

  /// Returns an answer that another thread gives while this thread waits for it.
  private static func answer(_ result: Result<String, any Error>) -> (promise: Promise<String>, give: () -> Void) {
    let owner = Deferred<String>()
    return (
      owner.promise,
      {
        let hasAnswered = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          owner.settle(result)
          hasAnswered.signal()
        }
        hasAnswered.wait()
      }
    )
  }

  @MainActor
  final class Cell {
    private var wanted: Promise<String>?
    private(set) var shown: [String] = []

    func show(_ answer: (promise: Promise<String>, give: () -> Void)) {
      wanted?.cancel(upstream: true)
      let wanted = answer.promise
      self.wanted = wanted
      wanted.onFulfilled(on: .main) { [weak self] image in self?.shown.append(image) }
      wanted.onFailed(on: .main) { [weak self] _ in self?.shown.append("placeholder") }
      answer.give()
    }
  }

  @MainActor
  final class Form {
    private var check: Promise<String>?
    private(set) var shown: [String] = []

    func check(_ answer: (promise: Promise<String>, give: () -> Void)) {
      check?.cancel(upstream: true)
      let check = answer.promise
      self.check = check
      check
        .onFulfilled(on: .main) { [weak self] hint in self?.shown.append(hint) }
        .onFailed(on: .main) { [weak self] _ in self?.shown.append("unknown") }
      answer.give()
    }
  }
}
